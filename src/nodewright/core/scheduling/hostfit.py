"""Existing nodes first: they are paid for. First fit in their order, compared in one go."""

import numpy as np

from nodewright.core.scheduling.batch import Batch, Entry
from nodewright.core.scheduling.board import LASTING_ON_HOSTS, Board
from nodewright.core.scheduling.hosts import Host
from nodewright.core.scheduling.ledger import FREE_MAX


class HostFit:
    """Columns over existing nodes: what is free on each."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._free = [
            np.array([_free(host, name) for host in board.hosts], dtype=np.int64)
            for name in board.resources
        ]

    def fill(self, batch: Batch, entry: Entry) -> None:
        """Put pods of one shape onto existing nodes until no node takes one more."""
        board = self._board
        shape, wish = entry.shape, entry.wish
        mask = np.ones(len(board.hosts), dtype=np.bool_)
        for column, amount in zip(self._free, shape.amounts, strict=True):
            if amount:
                mask &= column >= amount
        rows = [int(row) for row in np.flatnonzero(mask)]
        progress = True
        while progress and entry.left > 0:
            progress = False
            still: list[int] = []
            for row in rows:
                host = board.hosts[row]
                while entry.left > 0:
                    if wish.needs.exclusive & board.exclusive:
                        return
                    refusal = board.on_host(shape, wish, host)
                    if refusal is not None:
                        if refusal not in LASTING_ON_HOSTS:
                            still.append(row)
                        break
                    self._put(batch, entry, row)
                    progress = True
            # Neighbours may have made room elsewhere: those that minded them are asked again.
            rows = still

    def _put(self, batch: Batch, entry: Entry, row: int) -> None:
        shape, wish = entry.shape, entry.wish
        pod = batch.take(entry, 1)[0]
        self._board.put_on_host(shape, wish, self._board.hosts[row], pod)
        for column, amount in zip(self._free, shape.amounts, strict=True):
            column[row] -= amount


def _free(host: Host, name: str) -> int:
    if host.is_full:
        return -1
    return min(host.available.get(name, 0), FREE_MAX)
