"""What a user asks the play to do, by annotations on a NodePool or its class; the pool's win.

| annotation (`kwok.nodewright.dev/…`) | value | what happens |
| --- | --- | --- |
| `boot-delay` | `30s` | a machine takes so long to become a node |
| `no-capacity` | `m5.*/us-east-1a/spot, */*/on-demand` | such offerings cannot be had |
| `launch-error` | `Code: words` | every launch is refused with it |
| `never-registers` | `true` | the machine runs and never becomes a node |
| `never-ready` | `true` | the node comes and its kubelet stays silent |
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Final

import msgspec

from nodewright.model.duration import BadDuration, parse_go_duration
from nodewright.model.kwoknodeclass import KWOKNodeClass
from nodewright.model.nodeclass import NodeClass
from nodewright.model.nodepool import NodePool

PREFIX: Final = "kwok.nodewright.dev/"
BOOT_DELAY: Final = f"{PREFIX}boot-delay"
NO_CAPACITY: Final = f"{PREFIX}no-capacity"
LAUNCH_ERROR: Final = f"{PREFIX}launch-error"
NEVER_REGISTERS: Final = f"{PREFIX}never-registers"
NEVER_READY: Final = f"{PREFIX}never-ready"
BOOT_MS: Final = 5_000

type OfferingKey = tuple[str, str, str]
"""Instance type, zone and capacity type."""


class BadWish(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """An annotation that cannot be read."""


class Wishes(msgspec.Struct, frozen=True):
    """How the machines of one pool are played."""

    boot_ms: int = BOOT_MS
    sold_out: tuple[tuple[str, str, str], ...] = ()
    launch_error: str = ""
    never_registers: bool = False
    never_ready: bool = False

    def is_sold_out(self, key: OfferingKey) -> bool:
        """Tell whether an offering cannot be had."""
        return any(all(map(fnmatchcase, key, pattern)) for pattern in self.sold_out)


def read_wishes(pool: NodePool | None, node_class: NodeClass | None) -> Wishes:
    """Read what is asked for; what cannot be read is one sentence."""
    said: dict[str, str] = {}
    if node_class is not None:
        said |= node_class.metadata.annotations
    if pool is not None:
        said |= pool.metadata.annotations
    return Wishes(
        boot_ms=_boot_ms(said, node_class),
        sold_out=tuple(
            _pattern(one) for one in said.get(NO_CAPACITY, "").split(",") if one.strip()
        ),
        launch_error=said.get(LAUNCH_ERROR, ""),
        never_registers=said.get(NEVER_REGISTERS) == "true",
        never_ready=said.get(NEVER_READY) == "true",
    )


def _boot_ms(said: Mapping[str, str], node_class: NodeClass | None) -> int:
    place, written = f"annotation {BOOT_DELAY}", said.get(BOOT_DELAY)
    if written is None and isinstance(node_class, KWOKNodeClass):
        place, written = "nodeRegistrationDelay", node_class.spec.node_registration_delay
    if written is None:
        return BOOT_MS
    try:
        return max(0, parse_go_duration(written))
    except BadDuration as error:
        raise BadWish(f"{place}: {error}") from None


def _pattern(text: str) -> tuple[str, str, str]:
    parts = [part.strip() or "*" for part in text.split("/")]
    if len(parts) > 3:
        raise BadWish(f"annotation {NO_CAPACITY}: {text.strip()!r} is not type/zone/capacity-type")
    kind, zone, capacity_type = (*parts, "*", "*")[:3]
    return (kind, zone, capacity_type)
