"""A command as it stands on the cluster: written on every claim that goes, until it has gone or may stay.

What was begun must be known to whoever leads next, so it lives beside the objects that it is about. The
claims of one command are those that carry the same id, and its replacements carry that id too. A record
that cannot be read counts as none: its nodes may stay.
"""

from typing import Final

import msgspec

from nodewright.model.disruption import Method, Running
from nodewright.model.nodeclaim import NodeClaim

COMMAND: Final = "nodewright.dev/disruption"
"""The annotation of a claim that goes; its value is a record."""

REPLACES: Final = "nodewright.dev/replaces"
"""The annotation of a claim that was made for a command; its value is the command's id."""

DISRUPTION_REASON: Final = "DisruptionReason"
"""The condition of a claim that goes."""


class Record(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A command that was begun: why, found by what, what it waits for, and since when."""

    id: str
    reason: str
    method: Method
    started_ms: int
    replacements: tuple[str, ...] = ()

    def write(self) -> str:
        """Give the text of the annotation."""
        return msgspec.json.encode(self).decode()

    def running(self, nodes: tuple[str, ...]) -> Running:
        """Give the command as decisions know it, with its nodes."""
        return Running(self.id, self.reason, nodes, self.replacements, self.started_ms)


def read_record(claim: NodeClaim) -> Record | None:
    """Give the command that a claim is part of, if any."""
    written = claim.metadata.annotations.get(COMMAND)
    if not written:
        return None
    try:
        return msgspec.json.decode(written, type=Record)
    except msgspec.DecodeError:
        return None
