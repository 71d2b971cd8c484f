"""Questions about decisions: a journal is asked where there is one, else what the view remembers."""

from typing import Final, Protocol

import msgspec

from nodewright.journal.kin import Wanted
from nodewright.journal.reading import NO_DECISION, Entry, Filter, Found, Listing
from nodewright.model.errors import UserError
from nodewright.model.instant import print_instant
from nodewright.view.values import View
from nodewright.web.answers.decisions import DecisionPage, Decisions, Picture
from nodewright.web.answers.overview import Mark
from nodewright.web.answers.shared import DecisionRow
from nodewright.web.writing.decisions import (
    claims_of,
    leaving_of,
    name_of,
    write_decisions,
    write_row,
)
from nodewright.web.writing.picture import Scene
from nodewright.web.writing.spoken import mark_shown, write_shown

PAGE_DEFAULT: Final = 100
PAGE_MAX: Final = 500
EFFECTS_MAX: Final = 30
SIBLINGS_MAX: Final = 50
DAY_MS: Final = 86_400_000
ACTS: Final = frozenset({"Launch", "Disrupt", "Delete", "End", "Refuse", "Keep", "Evict"})
"""What people ask about; the rest (conditions, finalizers, labels) is bookkeeping."""


class Records(Protocol):
    """A journal that can be asked."""

    def entries(self, wanted: Filter) -> Listing:
        """Give the decisions that are wanted."""
        ...

    def find(self, name: str) -> Found:
        """Give a decision with its World."""
        ...


class Timeline:
    """Answers about decisions."""

    def __init__(self, journal: Records | None) -> None:
        self._journal = journal

    def page(self, wanted: Filter, view: View) -> Decisions:
        """Give a page of decisions, the latest first."""
        if self._journal is None:
            return _page_of_view(wanted, view)
        try:
            listing = self._journal.entries(wanted)
        except UserError as error:
            # What the view remembers is better than nothing, and why there is no more is said.
            return msgspec.structs.replace(_page_of_view(wanted, view), problems=(error.message,))
        prices = {one.id: one.price_nanousd_hour for one in view.decisions}
        return write_decisions(listing, prices, wanted.limit)

    def about_node(self, name: str, view: View) -> tuple[DecisionRow, ...]:
        """Give the latest decisions about a node."""
        wanted = Filter(limit=EFFECTS_MAX, about=Wanted(node=name), kinds=ACTS)
        return self.page(wanted, view).decisions

    def marks(self, view: View) -> tuple[Mark, ...]:
        """Mark when nodes came and went during the last day."""
        return mark_shown(view.decisions, view.now_ms - DAY_MS)

    def decision(self, name: str, view: View) -> DecisionPage:
        """Explain one decision."""
        if self._journal is None:
            return _shown_alone(name, view)
        found = self._journal.find(name)
        one = found.entry.decision
        prices = {each.id: each.price_nanousd_hour for each in view.decisions}
        scene = Scene(found.open().world, one)
        before, after = scene.prices_around()
        row = write_row(found.entry, prices)
        return DecisionPage(
            decision=row,
            look=found.look.id,
            decided_in_ms=found.look.duration_ms,
            basis=dict(one.basis),
            alternatives=tuple(scene.alternatives()),
            price_before=before,
            price_after=after,
            effects=tuple(write_row(each, prices) for each in self._effects(found)),
            siblings=tuple(
                write_row(Entry(each), prices) for each in found.siblings if each.id != one.id
            )[:SIBLINGS_MAX],
            picture=scene.picture(),
            snapshot=f"/snapshot?decision={one.id}",
        )

    def _effects(self, found: Found) -> list[Entry]:
        """Give what came after, about the claims that were made and the nodes that went."""
        one, journal = found.entry.decision, self._journal
        assert journal is not None
        names = [name_of(claim) for claim in claims_of(one)]
        names += [str(node.get("claim") or node.get("node")) for node in leaving_of(one)]
        effects: dict[str, Entry] = {}
        for name in [each for each in names if each][:5]:
            wanted = Filter(subject=name, since_ms=one.at_ms, limit=EFFECTS_MAX)
            for entry in journal.entries(wanted).entries:
                if entry.decision.id != one.id:
                    effects[entry.decision.id] = entry
        ordered = sorted(effects.values(), key=lambda each: each.decision.at_ms)
        return ordered[:EFFECTS_MAX]


def _page_of_view(wanted: Filter, view: View) -> Decisions:
    about = wanted.about
    rows = [
        one
        for one in view.decisions
        if one.at_ms >= wanted.since_ms
        and (wanted.kinds in (ACTS, frozenset()) or one.verb in wanted.kinds)
        and (not wanted.before_ms or one.at_ms < wanted.before_ms)
        and all(
            not name or name in one.subject or name in one.text
            for name in (about.node, about.pod, about.pool)
        )
    ][: wanted.limit]
    before = print_instant(rows[-1].at_ms) if len(rows) >= max(1, wanted.limit) else None
    return Decisions(tuple(map(write_shown, rows)), before)


def _shown_alone(name: str, view: View) -> DecisionPage:
    for one in view.decisions:
        if one.id == name:
            return DecisionPage(write_shown(one), "", 0, {}, (), None, None, (), (), Picture(), "")
    raise UserError(
        f"no decision {name[:100]} is known",
        code=NO_DECISION,
        advice="older ones are thrown away",
    )
