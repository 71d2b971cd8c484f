"""Decide which nodes of a World could go, and write the answer down in its published form."""

import gc
from collections.abc import Mapping
from time import perf_counter

import msgspec

from nodewright.app.planning import money, planned_node
from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.cost import Prices
from nodewright.core.disruption.decide import decide
from nodewright.core.disruption.endgame import decide_to_end
from nodewright.model.disruption import AWS_RULES, Command, Decided, Kept, Settings
from nodewright.model.instance import NanoUSD
from nodewright.model.instant import print_instant
from nodewright.model.keeping import Keeping
from nodewright.model.wording import Language
from nodewright.model.wording.keeping import kept_sentence
from nodewright.model.world import World

type Document = dict[str, object]


class Consolidated(msgspec.Struct, frozen=True):
    """An answer and how long deciding took."""

    decided: Decided
    seconds: float
    prices: Mapping[str, NanoUSD] = {}


def consolidate_world(world: World, *, to_end: bool = False) -> Consolidated:
    """Decide which nodes go, timing from typed objects in memory to the finished answer."""
    settings = Settings(repair_rules=AWS_RULES)
    # Deciding makes many small values and no cycles: looking for cycles would only cost time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        start = perf_counter()
        memory = recall_world(world)
        if to_end:
            decided = decide_to_end(world, settings, memory)
        else:
            decided = decide(world, world.now_ms, settings, memory)
        return Consolidated(decided, perf_counter() - start, _prices(world, decided.kept))
    finally:
        if was_enabled:
            gc.enable()


def _prices(world: World, kept: Mapping[str, Kept]) -> dict[str, NanoUSD]:
    """Give what nodes cost that stay, as far as they are there and that is known."""
    prices = Prices(world)
    known = {
        node.metadata.name: prices.of(node.metadata.labels)
        for node in world.nodes
        if (one := kept.get(node.metadata.name)) is not None and one.reason is not Keeping.NOT_OURS
    }
    return {name: price for name, price in known.items() if price is not None}


def consolidated_document(done: Consolidated, language: Language = "en") -> Document:
    """Write an answer as the document that `consolidate -o json` prints."""
    decided = done.decided
    by_reason: dict[str, list[str]] = {}
    for one in decided.forceful:
        by_reason.setdefault(one.reason, []).append(one.node)
    return {
        "actions": [_action(one) for one in decided.commands],
        "forceful": [{"reason": why, "nodes": nodes} for why, nodes in by_reason.items()],
        "kept": {name: kept_document(one, language) for name, one in decided.kept.items()},
        "pricePerHour": {
            "before": money(decided.price_before),
            "after": money(decided.price_after),
        },
        "solveSeconds": round(done.seconds, 6),
    }


def _action(command: Command) -> Document:
    return {
        "reason": command.reason,
        "method": command.method.value,
        "detail": command.detail,
        "nodes": [one.node for one in command.nodes],
        "replacements": [planned_node(one) for one in command.replacements],
        "moves": dict(command.moves),
        "savingsPerHour": money(command.savings),
    }


def kept_document(kept: Kept, language: Language = "en") -> Document:
    """Write down why a node stays."""
    written: Document = {"code": kept.code, "summary": kept_sentence(kept, language)}
    if kept.blockers:
        written["blockers"] = list(kept.blockers)
    if kept.until_ms is not None:
        written["until"] = print_instant(kept.until_ms)
    return written
