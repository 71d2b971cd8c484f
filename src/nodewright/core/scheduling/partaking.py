"""Taking part: whether a spread that looks at some nodes only will look at a node in the making.

A spread counts pods on nodes that its pod could go to. What a planned node will be is open as long
as it may be bought in several ways, so the answer is certain, impossible, or only possible. A label
of a pool's own that is left open (`NotIn`, `Exists`) gets some value when the node is made.
"""

from enum import IntEnum

from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.supply import Bits
from nodewright.core.scheduling.topology import NodeFilter
from nodewright.model.requirements import Requirement, Requirements


class Part(IntEnum):
    """How certain it is that pods on a node are counted."""

    NEVER = 0
    PERHAPS = 1
    SURELY = 2


def part_of(draft: Draft, nodes: NodeFilter | None) -> Part:
    """Tell whether a draft, as whatever it may be bought, passes a filter of nodes."""
    if nodes is None:
        return Part.SURELY
    if not nodes.admits_taints(draft.supply.taints):
        return Part.NEVER
    if nodes.affinity is None:
        return Part.SURELY
    perhaps = surely = 0
    for term in nodes.affinity:
        some, every = _ways(draft, term)
        perhaps |= some
        surely |= every
    if not perhaps:
        return Part.NEVER
    return Part.PERHAPS if draft.bits & ~surely else Part.SURELY


def _ways(draft: Draft, term: Requirements) -> tuple[Bits, Bits]:
    """Give the ways to buy a draft that may have the labels of a term, and those that will."""
    supply = draft.supply
    labels = draft.state.requirements
    some = every = draft.bits
    for key, wanted in term.items():
        have = labels.get(key)
        if key in supply.settings.well_known:
            some &= supply.meeting(have.intersect(wanted) if have else wanted)
            if have is None and not wanted.is_negative:
                # What nobody says of a node yet to be made is not there.
                some &= supply.labelled(key)
            if have is None or not have.is_within(wanted):
                every &= supply.surely(wanted)
        elif have is None:
            if not wanted.is_negative:
                return 0, 0
        else:
            given = have.intersect(_some_value(key)) if have.complement else have
            if not (given.intersects(wanted) or (given.is_negative and wanted.is_negative)):
                return 0, 0
            if not given.is_within(wanted):
                every = 0
    return some, every & some


def _some_value(key: str) -> Requirement:
    """Give what becomes of a label of a pool's own that nobody settles: it is there."""
    return Requirement(key, complement=True)
