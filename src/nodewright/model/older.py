"""Karpenter's older objects on a live cluster: what each is read as, and what there is to say of it.

What they became carries the mark of where it came from, in memory only: whoever writes to it must
write to the object that is really there.
"""

from typing import Any, Final

import msgspec

from nodewright.model.metadata import Condition, ObjectMeta
from nodewright.model.resource import OLDER, Object, Resource

CONVERTED_FROM: Final = "nodewright.dev/converted-from"


class OlderStatus(msgspec.Struct, frozen=True, rename="camel"):
    """What the controllers said of an older object."""

    conditions: tuple[Condition, ...] = ()


class OlderObject(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One older object: its kind and name, what it became, and what was lost or refused."""

    api_version: str
    kind: str
    metadata: ObjectMeta
    status: OlderStatus = OlderStatus()
    became: tuple[str, ...] = ()
    refused: str = ""
    lost: tuple[str, ...] = ()

    @property
    def resource(self) -> Resource[Any]:
        """Its kind in the API."""
        found = (self.api_version, self.kind)
        return next(one for one in OLDER if (one.api_version, one.kind) == found)


def origin_of(thing: Object) -> Resource[Any] | None:
    """Give the kind of the older object that a converted one was made from; none for others."""
    mark = thing.metadata.annotations.get(CONVERTED_FROM)
    if mark is None:
        return None
    return next((one for one in OLDER if f"{one.api_version}/{one.kind}" == mark), None)
