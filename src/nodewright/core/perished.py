"""Machines that end before they are nodes: their claims say so, and why, in the cloud's own words.

The usual cause is a key that EC2 may not use for the machine's volumes: the launch succeeds, and the
machine is gone a second later. Without this, its claim would wait for a node until it is given up.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.core.lifecycle import MACHINE_ENDED, write_findings
from nodewright.core.lifecycle_conditions import (
    FALSE,
    LAUNCHED,
    REGISTERED,
    Finding,
    find,
    is_true,
    says,
)
from nodewright.model.decision import Decision, Tell
from nodewright.model.instant import parse_instant
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, refer
from nodewright.model.world import World

LOOK_AFTER_MS: Final = 3_000


def is_launched_only(claim: NodeClaim) -> bool:
    """Tell whether a claim has a machine, as far as it knows, and waits for its node."""
    registered = find(claim.status.conditions, REGISTERED)
    return (
        claim.metadata.deletion_timestamp is None
        and is_true(claim, LAUNCHED)
        and not is_true(claim, REGISTERED)
        and (registered is None or registered.reason != MACHINE_ENDED)
    )


def is_worth_a_look(claim: NodeClaim, now_ms: int) -> bool:
    """Tell whether the machine of such a claim should be there by now."""
    launched = find(claim.status.conditions, LAUNCHED)
    since = launched.last_transition_time if launched is not None else None
    return (
        is_launched_only(claim)
        and since is not None
        and now_ms - parse_instant(since) >= LOOK_AFTER_MS
    )


def judge_perished(world: World) -> Iterator[Decision]:
    """Give what is written on claims whose machines have ended, and what is told of them."""
    ended = {one.provider_id: one.because for one in world.beside.ended}
    for claim in world.node_claims:
        because = ended.get(claim.status.provider_id)
        if because is None or not is_worth_a_look(claim, world.now_ms):
            continue
        why = because or "the cloud does not say why"
        machine = claim.status.provider_id.rpartition("/")[2]
        note = f"the machine {machine} ended before it became a node: {why}"
        finding = Finding(REGISTERED, FALSE, MACHINE_ENDED, note)
        if not says(claim, finding):
            ref = refer(NODE_CLAIMS, claim)
            yield Tell(subject=ref, reason=MACHINE_ENDED, note=note, is_warning=True)
            yield write_findings(claim, [finding], world.now_ms)
