"""The words of disruption: the Events that nodes, claims and pools get, under the names of Karpenter's.

What stands in a node's way is `DisruptionBlocked`, what makes it not worth while `Unconsolidatable`; a
pool is told what holds all its nodes. A move for money is a `ConsolidationCandidate` while it is looked
at, and is `ConsolidationRejected` or, in a Balanced pool, `ConsolidationApproved`. Nodes on their way in
or out get none of these: their conditions say so. The same is not said again for a quarter of an hour.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from nodewright.core.disruption.worth import SCORE_DIVISOR, money
from nodewright.model.command import Record
from nodewright.model.decision import Tell
from nodewright.model.disruption import DRIFTED, Command, Kept, Score
from nodewright.model.keeping import Keeping
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, Ref, refer
from nodewright.model.wording.keeping import kept_sentence

BLOCKED: Final = "DisruptionBlocked"
UNCONSOLIDATABLE: Final = "Unconsolidatable"
CANDIDATE: Final = "ConsolidationCandidate"
REJECTED: Final = "ConsolidationRejected"
APPROVED: Final = "ConsolidationApproved"
LAUNCHING: Final = "DisruptionLaunching"
WAITING: Final = "DisruptionWaitingReadiness"
TERMINATING: Final = "DisruptionTerminating"
QUIET_MS: Final = 900_000
_NAMES_MAX: Final = 3

ON_NODE: Final = {
    **dict.fromkeys(
        (
            Keeping.NODE_PROTECTED, Keeping.POD_PROTECTED, Keeping.PDB_BLOCKS,
            Keeping.POOL_UNKNOWN, Keeping.LAST_REPLICAS, Keeping.COMPANY_MOVES, Keeping.NO_SPARE_NODE,
        ),
        BLOCKED,
    ),
    **dict.fromkeys(
        (
            Keeping.LABELS_MISSING, Keeping.SWITCHED_OFF, Keeping.ONLY_EMPTY, Keeping.NO_ROOM,
            Keeping.NOTHING_CHEAPER, Keeping.NOT_WORTH_IT, Keeping.SPOT_TO_SPOT_OFF,
            Keeping.TOO_FEW_SPOT_TYPES, Keeping.SCORE_TOO_LOW, Keeping.CHURNING,
            Keeping.BUFFER_HELD, Keeping.NOT_REACHED,
        ),
        UNCONSOLIDATABLE,
    ),
}  # fmt: skip
"""What is told on a node and its claim, and under which name."""

ON_POOL: Final = (
    Keeping.BUDGET_CLOSED, Keeping.BUDGET_BROKEN, Keeping.PAUSED, Keeping.WAVE_HALTED,
    Keeping.BACKING_OFF,
)  # fmt: skip
"""What is told once on the pool: it holds all nodes alike."""

_BUDGETS: Final = (
    Keeping.BUDGET_CLOSED, Keeping.BUDGET_SPENT, Keeping.BUDGET_BROKEN, Keeping.RATE_REACHED,
    Keeping.NOMINATED, Keeping.PAUSED,
)  # fmt: skip
_SCHEDULING: Final = (
    Keeping.NO_ROOM, Keeping.NOTHING_CHEAPER, Keeping.NOT_WORTH_IT, Keeping.SCORE_TOO_LOW,
)  # fmt: skip


def tell_kept(kept: Kept, subjects: Iterable[Ref]) -> Iterator[Tell]:
    """Tell why a node stays, on it and on its claim; a drifted node without a way out is blocked."""
    reason = ON_NODE[kept.reason]
    if kept.values.get("reason") == DRIFTED:
        reason = BLOCKED
    facts = {name: str(value) for name, value in kept.values.items()}
    note = kept_sentence(kept)
    for ref in subjects:
        yield Tell(
            subject=ref,
            reason=reason,
            note=note,
            dedupe=(kept.code,),
            quiet_ms=QUIET_MS,
            facts=facts,
        )


def tell_pool(kept: Kept, pool: NodePool) -> Tell:
    """Tell what holds all nodes of a pool, once for each reason that they could go for."""
    return Tell(
        subject=refer(NODE_POOLS, pool),
        reason=BLOCKED,
        note=kept_sentence(kept),
        dedupe=(kept.code, str(kept.values.get("reason", ""))),
        quiet_ms=QUIET_MS,
    )


def tell_candidate(command: Command, subjects: Iterable[Ref]) -> Iterator[Tell]:
    """Tell of a replacement that is looked at a second time before it is made."""
    note = f"{describe_command(command)}, which saves {money(command.savings)} an hour"
    for ref in subjects:
        yield Tell(subject=ref, reason=CANDIDATE, note=note, quiet_ms=QUIET_MS)


def tell_rejected(kept: Kept, subjects: Iterable[Ref]) -> Iterator[Tell]:
    """Tell that a node which was to go does not, by the second look."""
    kind = rejection_of(kept)
    note = f"the node was to go and stays ({kind}): {kept_sentence(kept)}"
    for ref in subjects:
        yield Tell(subject=ref, reason=REJECTED, note=note, dedupe=(kind,), facts={"kind": kind})


def rejection_of(kept: Kept) -> str:
    """Say in Karpenter's word why a move that looked right does not any more."""
    if kept.reason in _BUDGETS:
        return "budget"
    return "scheduling" if kept.reason in _SCHEDULING else "churn"


def tell_approved(score: Score, subjects: Iterable[Ref]) -> Iterator[Tell]:
    """Tell that a Balanced pool finds a move worth what it disrupts."""
    note = (
        f"the move scores {_decimal(score.score)}, and Balanced NodePool {score.node_pool} asks for "
        f"{1 / SCORE_DIVISOR:.2f} (k = {SCORE_DIVISOR}): it saves {_percent(score.savings)} of the pool's "
        f"price and moves {_percent(score.cost)} of what runs there"
    )
    for ref in subjects:
        yield Tell(subject=ref, reason=APPROVED, note=note)


def tell_waiting(claim: NodeClaim, record: Record, *, is_launched: bool) -> Tell:
    """Tell what a replacement is waited for."""
    words = "waiting for the node to be ready" if is_launched else "launching the node"
    return Tell(
        subject=refer(NODE_CLAIMS, claim),
        reason=WAITING if is_launched else LAUNCHING,
        note=f"{words}: it replaces others ({record.reason})",
    )


def tell_terminating(record: Record, subjects: Iterable[Ref]) -> Iterator[Tell]:
    """Tell that a node goes now."""
    note = f"disrupting the node: {record.reason} ({record.id})"
    for ref in subjects:
        yield Tell(subject=ref, reason=TERMINATING, note=note)


def describe_command(command: Command) -> str:
    """Say what a command does in one line."""
    names = _names([one.node for one in command.nodes])
    if not command.replacements:
        return f"{command.reason}: {names} {'go' if len(command.nodes) > 1 else 'goes'}"
    types = _names([one.offering.instance_type for one in command.replacements])
    return f"{command.reason}: {names} replaced by {types}"


def _names(every: Sequence[str]) -> str:
    first = ", ".join(every[:_NAMES_MAX])
    return f"{first} and {len(every) - _NAMES_MAX} more" if len(every) > _NAMES_MAX else first


def _decimal(thousandths: int) -> str:
    return f"{thousandths // 10 / 100:.2f}"


def _percent(thousandths: int) -> str:
    return f"{thousandths / 10:.1f} %"
