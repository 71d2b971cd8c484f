"""To the end: decide, carry out, decide again, until nothing is left to gain.

Waits and budgets are left out. Rounds are counted: an answer that never ends is none.
"""

from typing import Final

from msgspec.structs import replace

from nodewright.core.disruption.aftermath import carry_out
from nodewright.core.disruption.decide import decide
from nodewright.model.disruption import Command, Decided, Memory, Settings
from nodewright.model.world import World

ROUNDS_MAX: Final = 24


def decide_to_end(world: World, settings: Settings, memory: Memory) -> Decided:
    """Give all that would be done until nothing is left to gain, in order."""
    endless = replace(settings, to_end=True)
    first = decided = decide(world, world.now_ms, endless, memory)
    commands: list[Command] = list(decided.commands)
    for turn in range(1, ROUNDS_MAX):
        if not decided.commands:
            break
        world = carry_out(world, decided.commands, f"new-{turn}")
        decided = decide(world, world.now_ms, endless, memory)
        commands += decided.commands
    return replace(
        decided,
        commands=tuple(commands),
        forceful=first.forceful,
        price_before=first.price_before,
        price_after=decided.price_after,
    )
