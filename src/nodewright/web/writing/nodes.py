"""The long table of nodes, and which of its rows changed since somebody last looked."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

import msgspec

from nodewright.model.instant import print_instant
from nodewright.view.values import NodeRow, View
from nodewright.web.answers.nodes import Nodes
from nodewright.web.writing.numbers import (
    requested_percent,
    used_percent,
    write_instant,
    write_money,
)

GONE_MAX: Final = 20_000
LABELS_MAX: Final = 8
KEYS_MAX: Final = 100

type Labels = Mapping[str, Mapping[str, str]]
"""The labels of nodes, by name."""


class Asked(msgspec.Struct, frozen=True):
    """What is asked about nodes: only what is new since a revision, and which labels."""

    since: int = 0
    labels: tuple[str, ...] = ()


class Ledger:
    """Remembers since which revision each row is as it is, and who is gone."""

    def __init__(self) -> None:
        self._rows: dict[str, NodeRow] = {}
        self._since: dict[str, int] = {}
        self._gone: deque[tuple[int, str]] = deque(maxlen=GONE_MAX)
        self._first = 0
        self.revision = 0

    def note(self, rows: Sequence[NodeRow], revision: int) -> None:
        """Take note of the rows of a look; looks come in order."""
        if revision <= self.revision:
            return
        if not self.revision:
            self._first = revision
        before, self._rows = self._rows, {one.name: one for one in rows}
        for name, row in self._rows.items():
            known = before.get(name)
            if known is not row and known != row:
                self._since[name] = revision
        for name in before.keys() - self._rows.keys():
            del self._since[name]
            if len(self._gone) == GONE_MAX:
                # Who looked before that can no longer be told all who went.
                self._first = self._gone[0][0] + 1
            self._gone.append((revision, name))
        self.revision = revision

    def news(self, since: int) -> tuple[list[NodeRow], tuple[str, ...]] | None:
        """Give the rows that are new since a revision and those who went; nothing if it is too long ago."""
        if not self._first <= since <= self.revision:
            return None
        rows = [row for name, row in self._rows.items() if self._since[name] > since]
        gone = {name: None for at, name in self._gone if at > since and name not in self._rows}
        return rows, tuple(gone)


def write_nodes(view: View, ledger: Ledger, asked: Asked, labels: Labels) -> Nodes:
    """Write the table, or what is new of it."""
    found = ledger.news(asked.since) if asked.since else None
    rows: Sequence[NodeRow] = view.nodes
    gone: tuple[str, ...] = ()
    if found is not None:
        rows, gone = found
    wanted = asked.labels[:LABELS_MAX]
    return Nodes(
        revision=ledger.revision,
        at=print_instant(view.now_ms),
        whole=found is None,
        name=tuple([one.name for one in rows]),
        node_pool=tuple([one.node_pool for one in rows]),
        instance_type=tuple([one.instance_type for one in rows]),
        capacity_type=tuple([one.capacity_type for one in rows]),
        zone=tuple([one.zone for one in rows]),
        price_per_hour=tuple([write_money(one.price_nanousd_hour) for one in rows]),
        cpu_percent=tuple([requested_percent(one.cpu) for one in rows]),
        memory_percent=tuple([requested_percent(one.memory) for one in rows]),
        cpu_used_percent=tuple([used_percent(one.cpu) for one in rows]),
        memory_used_percent=tuple([used_percent(one.memory) for one in rows]),
        pods=tuple([one.pods for one in rows]),
        pods_max=tuple([one.pods_max for one in rows]),
        state=tuple([one.state for one in rows]),
        since=tuple([write_instant(one.state_since_ms) for one in rows]),
        code=tuple([one.next.code for one in rows]),
        reason=tuple([one.state_detail for one in rows]),
        next=tuple([say_next(one) for one in rows]),
        idle_per_hour=tuple([write_money(one.idle_nanousd_hour) for one in rows]),
        created=tuple([write_instant(one.made_ms) for one in rows]),
        labels={
            key: tuple([labels.get(one.name, {}).get(key, "") for one in rows]) for key in wanted
        },
        label_keys=_keys(labels.values()),
        gone=gone,
    )


def say_next(row: NodeRow) -> str:
    """Say in one line what becomes of a node."""
    text = row.next.text
    return f"{row.next.verb}: {text}" if text else str(row.next.verb)


def _keys(labels: Iterable[Mapping[str, str]]) -> tuple[str, ...]:
    """Give the keys of labels that nodes have, each once."""
    found = {key: None for one in labels for key in one}
    return tuple(sorted(islice(found, KEYS_MAX)))
