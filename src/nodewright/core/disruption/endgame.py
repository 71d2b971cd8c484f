"""To the end: decide, carry out, decide again, until nothing is left to gain.

Waits and budgets are left out. What was moved is remembered from round to round, as a controller would:
moving it again costs more. Where there are not too many pods, two ways are gone and the better one told:
node by node, and everything anew at once, which finds what no single step leads to. Rounds are counted:
an answer that never ends is none.
"""

from typing import Final

from msgspec.structs import replace

from nodewright.core.disruption.aftermath import carry_out
from nodewright.core.disruption.decide import decide
from nodewright.core.disruption.loads import workload_of
from nodewright.core.disruption.memory import remember_moves
from nodewright.core.disruption.worth import HOUR_MS
from nodewright.model.disruption import Command, Decided, Memory, Settings
from nodewright.model.world import World

ROUNDS_MAX: Final = 24
ANEW_PODS_MAX: Final = 5000
"""Up to how many pods it is tried to plan everything anew."""


def decide_to_end(world: World, settings: Settings, memory: Memory) -> Decided:
    """Give all that would be done until nothing is left to gain, in order."""
    endless = replace(settings, to_end=True)
    done = _go(world, endless, memory)
    if len(world.pods) > ANEW_PODS_MAX:
        return done
    other = _go(world, replace(endless, anew=True), memory)
    return min(done, other, key=lambda one: _burden(one, settings))


def _go(world: World, settings: Settings, memory: Memory) -> Decided:
    first = decided = decide(world, world.now_ms, settings, memory)
    commands: list[Command] = list(decided.commands)
    for turn in range(1, ROUNDS_MAX):
        if not decided.commands:
            break
        memory = _remember(world, memory, decided.commands)
        world = carry_out(world, decided.commands, f"new-{turn}")
        decided = decide(world, world.now_ms, replace(settings, anew=False), memory)
        commands += decided.commands
    return replace(
        decided,
        commands=tuple(commands),
        forceful=first.forceful,
        price_before=first.price_before,
        price_after=decided.price_after,
    )


def _remember(world: World, memory: Memory, commands: tuple[Command, ...]) -> Memory:
    """Take note of the workloads whose pods have been moved."""
    moved = {key for one in commands for key in one.moves}
    workloads = {workload_of(pod) for pod in world.pods if pod.key in moved}
    pools = {node.node_pool for one in commands for node in one.nodes}
    return remember_moves(memory, sorted(pools), sorted(filter(None, workloads)), world.now_ms)


def _burden(done: Decided, settings: Settings) -> int:
    """Give what an end costs for the time in which moves must pay, with the moves that led to it."""
    moves = sum(len(one.moves) for one in done.commands)
    return done.price_after * max(settings.payback_ms, HOUR_MS) // HOUR_MS + (
        moves * settings.pod_move_price
    )
