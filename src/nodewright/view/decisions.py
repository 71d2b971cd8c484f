"""Decisions in one line each, and what commands of today have saved.

What a node that is made will cost is the price of the cheapest way to buy it that its claim allows: an
estimate, as is every saving in which such a node stands for another one.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.core.disruption.cost import Prices
from nodewright.journal.kin import split_subject
from nodewright.journal.reading import Entry
from nodewright.journal.records import Decided
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.view.notebook import Told, code_in
from nodewright.view.values import DecisionRow, Nano

ROWS_MAX: Final = 1_000
_HOUR_MS: Final = 3_600_000
_DONE: Final = "Done"
# What they say was said by the command that they carry out.
_CARRIED_OUT: Final = frozenset({"orchestration", "termination", "lifecycle"})
_QUIET: Final = frozenset({"Keep"})
"""Verbs that leave everything as it is."""

type PriceOfClaim = Callable[[str], Nano | None]
"""Gives what a claim that is there costs an hour, by its name."""


class Saved(msgspec.Struct, frozen=True):
    """What commands have saved: so far, an hour, and of how many that is not known."""

    so_far: Nano | None
    per_hour: Nano = 0
    unknown: int = 0


class Pricing:
    """Prices what decisions make; a decision is priced once."""

    def __init__(self) -> None:
        self._known: dict[str, Nano | None] = {}

    def of(self, one: Decided, prices: Prices, price_of: PriceOfClaim) -> Nano | None:
        """Give what a decision makes the cluster cost more an hour; less than nothing is saved."""
        if one.id not in self._known:
            found = _price(one, prices, price_of)
            if found is None:
                return None
            if len(self._known) > 2 * ROWS_MAX:
                self._known.clear()
            self._known[one.id] = found
        return self._known[one.id]


def is_quiet(row: DecisionRow) -> bool:
    """Tell whether a decision leaves everything as it is."""
    return row.verb in _QUIET


def list_decisions(
    told: Told, prices: Prices, pricing: Pricing, price_of: PriceOfClaim
) -> tuple[DecisionRow, ...]:
    """Give the latest decisions, latest first."""
    rows: list[DecisionRow] = []
    for entry in _merge(told):
        row = _row(entry, pricing.of(entry.decision, prices, price_of))
        if row is not None:
            rows.append(row)
            if len(rows) == ROWS_MAX:
                break
    return tuple(rows)


def add_savings(
    told: Told, since_ms: int, now_ms: int, price: Callable[[Decided], Nano | None]
) -> Saved:
    """Sum up what commands since an instant have saved until now, less what they made dearer."""
    so_far, per_hour, unknown, count = 0, 0, 0, 0
    for entry in told.acts:
        one = entry.decision
        is_done = entry.outcome is None or entry.outcome.outcome == _DONE
        if one.kind != "Disrupt" or one.at_ms < since_ms or not is_done:
            continue
        count += 1
        change = price(one)
        if change is None:
            unknown += 1
        else:
            per_hour -= change
            so_far -= change * max(0, now_ms - one.at_ms) // _HOUR_MS
    return Saved(None if count and count == unknown else so_far, per_hour, unknown)


def _merge(told: Told) -> Iterator[Entry]:
    """Give acts and words together, latest first."""
    both = sorted((*told.acts, *told.words), key=lambda one: one.decision.at_ms)
    return reversed(both)


def _row(entry: Entry, price: Nano | None) -> DecisionRow | None:
    one = entry.decision
    kind, name = split_subject(one.subject)
    verb = _verb(one, kind)
    if not verb:
        return None
    text = one.note if one.kind in ("Launch", "Disrupt") else f"{name}: {one.note or one.reason}"
    again = one.content.get("look_again_ms")
    return DecisionRow(
        id=one.id,
        at_ms=one.at_ms,
        verb=verb,
        text=text,
        code=code_in(one),
        reason=one.reason,
        subject=one.subject,
        price_nanousd_hour=price,
        outcome=entry.outcome.outcome if entry.outcome is not None else "",
        until_ms=one.at_ms + again if isinstance(again, int) else None,
    )


def _verb(one: Decided, kind: str) -> str:
    match one.kind:
        case "Launch" | "Refuse":
            return one.kind
        case "Disrupt":
            return "Replace" if one.content.get("claims") else "Delete"
        case "Delete" if kind == "NodeClaim" and one.controller not in _CARRIED_OUT:
            return "Delete"
        case "End" if one.controller not in _CARRIED_OUT:
            return "End"
        case "Keep":
            return "Propose"
        case "Tell":
            return "Keep"
        case _:
            return ""


def _price(one: Decided, prices: Prices, price_of: PriceOfClaim) -> Nano | None:
    match one.kind:
        case "Launch":
            return _claim_price(one.content.get("claim"), prices, price_of)
        case "Disrupt":
            return _command_price(one, prices, price_of)
        case _:
            return None


def _command_price(command: Decided, prices: Prices, price_of: PriceOfClaim) -> Nano | None:
    leaving: Any = command.content.get("leaving") or ()
    claims: Any = command.content.get("claims") or ()
    before: list[Nano | None] = [each.get("price") for each in leaving]
    after = [_claim_price(each, prices, price_of) for each in claims]
    gone, made = [one for one in before if one], [one for one in after if one is not None]
    if len(gone) < len(before) or len(made) < len(after):
        return None
    return sum(made) - sum(gone)


def _claim_price(claim: Any, prices: Prices, price_of: PriceOfClaim) -> Nano | None:
    """Give what a claim costs: its machine's price, else that of the cheapest one that it may become."""
    if not isinstance(claim, Mapping):
        return None
    metadata: Any = claim.get("metadata") or {}
    known = price_of(str(metadata.get("name", "")))
    if known is not None:
        return known
    pool = str((metadata.get("labels") or {}).get(NODEPOOL, ""))
    wanted = {
        str(each.get("key")): each.get("values") or ()
        for each in (claim.get("spec") or {}).get("requirements") or ()
        if each.get("operator", "In") == "In"
    }
    offers = [
        offering.price
        for name in wanted.get(INSTANCE_TYPE, ())
        if (found := prices.type_of(pool, str(name))) is not None
        for offering in found.offerings
        if offering.available
        and _is_in(offering.zone, wanted.get(ZONE))
        and _is_in(offering.capacity_type, wanted.get(CAPACITY_TYPE))
    ]
    return min(offers, default=None)


def _is_in(value: str, wanted: Any) -> bool:
    return not wanted or value in wanted
