"""What is known of the cloud when decisions about machines are made, and what was said to it."""

from collections.abc import Mapping
from functools import cached_property

import msgspec

from nodewright.model.quantity import Milli


class SeenMachine(msgspec.Struct, frozen=True, rename="camel"):
    """A machine of ours as the cloud listed it; where it stands, as far as that is known."""

    provider_id: str
    claim: str
    launched_ms: int
    is_alive: bool = True
    capacity_type: str = ""
    subnet_id: str = ""
    security_groups: tuple[str, ...] = ()
    placement_group: str = ""


class SeenNode(msgspec.Struct, frozen=True):
    """A node that came up: as what, from which image, and with how much memory."""

    instance_type: str
    image_id: str
    memory: Milli


class CloudView(msgspec.Struct, frozen=True, rename="camel", dict=True):
    """The machines that were listed, and the answers to those that were given back.

    `machines` is None where the cloud was not asked or did not answer: then nothing is known, and
    that is not the same as there being none.
    """

    machines: tuple[SeenMachine, ...] | None = None
    ending: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()

    def is_missing(self, provider_id: str) -> bool:
        """Tell whether a machine is known not to exist."""
        if provider_id in self.gone:
            return True
        return self.machines is not None and provider_id not in self._listed

    @cached_property
    def _listed(self) -> frozenset[str]:
        return frozenset(one.provider_id for one in self.machines or ())


class EndedMachine(msgspec.Struct, frozen=True, rename="camel"):
    """A machine that has ended, and why, in the cloud's own words."""

    provider_id: str
    because: str = ""


class CloudNotice(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What the cloud said of some machines, which are named by the last part of their provider ids.

    One without a receipt came of asking. `claims` are the NodeClaims for which machines were made whose
    provider ids are not written down yet.
    """

    receipt: str
    kind: str
    machines: tuple[str, ...] = ()
    detail: Mapping[str, str] = {}
    claims: tuple[str, ...] = ()


class QueueView(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How the queue of messages does: since when it is so, and what is wrong where something is."""

    since_ms: int
    fault: str = ""
    message: str = ""
