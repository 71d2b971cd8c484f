"""Recheck: is a command that was decided a while ago still right, on the World of now.

Its nodes must still be candidates, their budget must still be there, and every pod must still have its
place: the node that it was promised, or one of the replacements with every type that was listed for it.
Empty nodes are judged one by one; whatever else goes together stays or goes together.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from nodewright.core.disruption.budgets import Purse
from nodewright.core.disruption.candidates import Candidate, Census, find_candidates
from nodewright.core.disruption.decide import find_allowances
from nodewright.core.disruption.floor import Floor
from nodewright.core.disruption.gates import judge_budget, judge_gates
from nodewright.core.disruption.stage import Stage
from nodewright.core.scheduling.board import Fitting
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.disruption import DRIFTED, EMPTY, Command, Kept, Memory, Method, Settings
from nodewright.model.instance import NanoUSD
from nodewright.model.plan import PlannedNode
from nodewright.model.pod import Pod
from nodewright.model.wording.keeping import kept_sentence
from nodewright.model.world import World


class Failure(StrEnum):
    """What kind of thing has changed."""

    CHURN = "churn"
    BUDGET = "budget"
    SCHEDULING = "scheduling"


class Rejected(msgspec.Struct, frozen=True):
    """Why a command is not started after all."""

    failure: Failure
    node: str
    sentence: str


def recheck(
    world: World, command: Command, memory: Memory, settings: Settings
) -> Command | Rejected:
    """Give the command if it is still right, what is left of it if nodes were empty, or why not."""
    census = Census(world)
    every, kept = find_candidates(census, memory)
    by_name = {one.name: one for one in every}
    purse = Purse(find_allowances(census, memory), is_unlimited=settings.to_end)
    good: list[Candidate] = []
    first: Rejected | None = None
    for leaving in command.nodes:
        one = by_name.get(leaving.node)
        if one is None:
            refusal = kept.get(leaving.node)
            said = kept_sentence(refusal) if refusal is not None else "the node is gone"
            first = first or Rejected(Failure.CHURN, leaving.node, said)
            continue
        verdict = _still_may_go(one, command, purse, (world.now_ms, settings))
        if verdict is None:
            purse.take(one.pool_name)
            good.append(one)
        else:
            first = first or verdict
    if command.reason == EMPTY:
        return _fewer(command, good) if good else _nobody(command, first)
    if first is not None or command.method is Method.STATIC_DRIFT:
        return first or command
    return _places_hold(Stage(census, good, memory, settings), command, good) or command


def _still_may_go(
    one: Candidate, command: Command, purse: Purse, at: tuple[int, Settings]
) -> Rejected | None:
    is_waived = command.reason == DRIFTED and one.has_grace
    refusal: Kept | None = None if is_waived else one.blocked
    if command.reason == EMPTY and not one.is_empty:
        return Rejected(Failure.CHURN, one.name, "pods have come to the node")
    refusal = refusal or judge_gates(one, command.reason, *at)
    if refusal is not None:
        return Rejected(Failure.CHURN, one.name, kept_sentence(refusal))
    refusal = judge_budget(one, command.reason, purse)
    if refusal is not None:
        return Rejected(Failure.BUDGET, one.name, kept_sentence(refusal))
    return None


def _fewer(command: Command, good: Sequence[Candidate]) -> Command:
    names = {one.name for one in good}
    nodes = tuple(one for one in command.nodes if one.node in names)
    return replace(command, nodes=nodes, savings=NanoUSD(sum(one.price for one in nodes)))


def _nobody(command: Command, first: Rejected | None) -> Rejected:
    return first or Rejected(Failure.CHURN, command.nodes[0].node, "no node is left")


def _places_hold(
    stage: Stage, command: Command, candidates: Sequence[Candidate]
) -> Rejected | None:
    """Put every pod where it was to go, and tell which one does not fit there any more."""
    floor = stage.floor
    by_place: dict[int, dict[Shape, list[Pod]]] = {}
    strangers: dict[Shape, list[Pod]] = {}
    for one in candidates:
        if one.name not in floor.row_of:
            return Rejected(Failure.CHURN, one.name, "the node can no longer be read")
        row = floor.row_of[one.name]
        floor.close(row)
        for shape, pods in floor.lift(row).items():
            for pod in pods:
                place = command.moves.get(pod.key)
                if isinstance(place, int):
                    by_place.setdefault(place, {}).setdefault(shape, []).append(pod)
                elif place is None or not _put(floor, place, shape, pod):
                    strangers.setdefault(shape, []).append(pod)
    for shape, pods in strangers.items():
        # A pod that came meanwhile, or whose room was taken, may find another place.
        if left := floor.place(shape, pods):
            said = f"pod {left[0].key} has no place any more"
            return Rejected(Failure.SCHEDULING, candidates[0].name, said)
    return _replacements_hold(stage, command, by_place)


def _put(floor: Floor, place: str, shape: Shape, pod: Pod) -> bool:
    row = floor.row_of.get(place)
    return row is not None and floor.offer(row, shape, pod)


def _replacements_hold(
    stage: Stage, command: Command, by_place: Mapping[int, Mapping[Shape, list[Pod]]]
) -> Rejected | None:
    name = command.nodes[0].node
    for index, node in enumerate(command.replacements):
        types = _types_for(stage, node, by_place.get(index, {}))
        missing = set(node.instance_types) - types
        if missing:
            said = f"{min(missing)} would no longer hold the pods of replacement {index}"
            return Rejected(Failure.SCHEDULING, name, said)
    return None


def _types_for(stage: Stage, node: PlannedNode, loads: Mapping[Shape, list[Pod]]) -> set[str]:
    """Give the types that a node for these pods could be launched as today."""
    board = stage.floor.board
    supply = next((one for one in board.supplies if one.name == node.node_pool), None)
    if supply is None:
        return set()
    draft = board.new_draft(supply)
    for shape, pods in loads.items():
        for _ in pods:
            for wish in shape.ladder.rungs():
                fitting = board.on_draft(shape, wish, draft)
                if isinstance(fitting, Fitting):
                    board.put_on_draft(shape, wish.level, draft, fitting)
                    break
            else:
                return set()
    return set(supply.alive_names(draft.bits))
