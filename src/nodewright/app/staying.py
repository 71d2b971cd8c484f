"""Why nodes stay or go, and the week of budgets, as the documents that `explain -o json` prints."""

from nodewright.app.consolidating import Document, kept_document
from nodewright.app.planning import money
from nodewright.core.explain.calendar import PoolCalendar
from nodewright.core.explain.staying import Staying, went_for
from nodewright.model.instant import print_instant
from nodewright.model.nodepool import DISRUPTION_REASONS
from nodewright.model.wording import Language


def staying_document(staying: Staying, name: str, language: Language = "en") -> Document:
    """Write down whether a node goes, and what every rule says to it."""
    verdict = went_for(staying) if staying.goes else staying.kept
    command = staying.command
    return {
        "goes": staying.goes,
        **(kept_document(verdict, language) if verdict is not None else {}),
        "pricePerDay": None if staying.price_per_day is None else money(staying.price_per_day),
        "drift": staying.drift or None,
        "checks": [
            {
                "rule": one.name,
                "ok": one.verdict is None,
                "verdict": None if one.verdict is None else kept_document(one.verdict, language),
            }
            for one in staying.checks
        ],
        "rules": [
            {
                "reason": one.reason,
                "applies": one.applies,
                "verdict": None if one.verdict is None else kept_document(one.verdict, language),
            }
            for one in staying.rules
        ],
        "action": None
        if command is None
        else {
            "reason": command.reason,
            "nodes": [one.node for one in command.nodes],
            "replacements": [one.offering.instance_type for one in command.replacements],
            "moves": {
                key: place
                for key, place in command.moves.items()
                if any(one.node == name and key in one.pods for one in command.nodes)
            },
            "savingsPerHour": money(command.savings),
        },
    }


def calendar_document(pools: tuple[PoolCalendar, ...]) -> Document:
    """Write down the week of every pool's budgets."""
    return {
        "nodePools": [
            {
                "name": one.node_pool,
                "nodes": one.total,
                "going": one.going,
                "budgets": list(one.written),
                "problem": one.problem or None,
                "pausedUntil": None
                if one.paused_until_ms is None
                else print_instant(one.paused_until_ms),
                "calendar": [
                    {
                        "from": print_instant(span.from_ms),
                        "to": print_instant(span.to_ms),
                        **{reason: span.allowed[reason] for reason in DISRUPTION_REASONS},
                    }
                    for span in one.spans
                ],
            }
            for one in pools
        ]
    }
