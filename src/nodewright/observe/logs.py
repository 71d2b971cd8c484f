"""Logs: one event that matters, one line.

What is done is written when it was done, with what came of it. What one look at many pods led to is
summed up: pods that were found, claims and nodes that are to take them, and those that got no place,
by cause and only when there is a new one among them. Every single decision is there for those who ask
for details. A line has no more of an object than `facts` lists, so that no secret can get into it.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from nodewright.model.decision import Decision, Launch, Nominate, Refuse, Start
from nodewright.model.reason import Reason
from nodewright.model.world import World
from nodewright.observe import wording
from nodewright.observe.facts import NARROW, Claims, Facts, describe_work, name_it, shorten
from nodewright.observe.fresh import Fresh, code_of
from nodewright.observe.lines import FACTS
from nodewright.observe.wording import DEBUG, INFO
from nodewright.ports.kube import Answer, Outcome

LOGGER: Final = "nodewright.decisions"
_PLANNER: Final = "provisioning"
_LAUNCHER: Final = "lifecycle"
_FAILURES_MAX: Final = 10_000
_EXPECTED: Final = frozenset((
    Outcome.EXISTS, Outcome.NOT_FOUND, Outcome.CONFLICT, Outcome.BLOCKED, Outcome.BUSY,
    Outcome.NOT_LEADER,
))  # fmt: skip
"""Outcomes that a controller meets every day and deals with by itself."""

_LASTING: Final = frozenset((Outcome.BLOCKED, Outcome.BUSY))
"""Those that may last, so that somebody has to be told what holds things up."""

_NOT_PROVISIONABLE: Final = ("NW-10", Reason.DAEMON_NO_ROOM.code)
"""Codes of pods that no new node could help."""


class Log:
    """A witness that writes lines."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._log = logger or logging.getLogger(LOGGER)
        self._fresh = Fresh()
        self._claims = Claims()
        self._found: set[str] = set()
        self._launched: dict[str, tuple[Start, Facts]] = {}
        self._failures: dict[str, str] = {}

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Sum up what pods were given, and write what is told for the first time."""
        if controller not in NARROW:
            self._claims.see(world)
        took: Facts = {"decideMs": duration_ms}
        fresh = self._fresh.pick(controller, decisions)
        if controller == _PLANNER:
            for message, about, facts in self._sum_up(decisions, fresh):
                self._write(INFO, message, controller, about, {**facts, **took})
        elif controller == _LAUNCHER:
            self._tell_of_launches(controller, world)
        for one in fresh:
            row = wording.word(one)
            if self._log.isEnabledFor(row.level):
                named = {**_of(one, row.message), **name_it(one.subject)}
                self._write(row.level, row.message, controller, one, {**named, **took})

    def came_of(
        self, controller: str, decision: Decision, answer: Answer, duration_ms: int
    ) -> None:
        """Write what was done, or why it was not."""
        row = wording.word(decision)
        more: Facts = {"outcome": answer.outcome.value, "actMs": duration_ms}
        if not answer.is_done:
            if answer.message:
                more["error"] = answer.message
            level = self._failure_level(decision, answer, row)
            message = wording.word_failure(decision)
            self._write_work(level, message, controller, decision, more)
            return
        self._failures.pop(_key(decision), None)
        if isinstance(decision, Start):
            # What the machine is stands on the claim, which is seen at the next look.
            self._launched[decision.subject.name] = (decision, more)
            return
        level = row.level if answer.outcome is Outcome.DONE else DEBUG
        self._write_work(level, row.message, controller, decision, more)

    def _sum_up(
        self, decisions: Sequence[Decision], fresh: Sequence[Decision]
    ) -> Iterator[tuple[str, Decision, Facts]]:
        """Give what one plan led to: the message, a decision to look it up by, and the numbers."""
        asked = {one.subject.uid: one for one in decisions if _is_provisionable(one)}
        new = [one for uid, one in asked.items() if uid not in self._found]
        self._found = set(asked)
        if new:
            yield wording.FOUND, new[0], {"count": len(new), "Pods": _name_pods(new)}
        launches = [one for one in decisions if isinstance(one, Launch)]
        made = {one.claim.metadata.name for one in launches}
        if launches:
            served = sum(len(one.pods) for one in launches)
            yield wording.COMPUTED, launches[0], {"nodeclaims": len(launches), "pods": served}
        fitted = [one for one in fresh if isinstance(one, Nominate) and one.host not in made]
        if fitted:
            hosts = sorted({one.host for one in fitted})
            numbers: Facts = {"nodes": len(hosts), "pods": len(fitted), "Nodes": shorten(hosts)}
            yield wording.FITTED, fitted[0], numbers
        yield from _sum_up_refusals(decisions, fresh)

    def _tell_of_launches(self, controller: str, world: World) -> None:
        """Write the launches whose machines are known by now; those of lost claims are forgotten."""
        if not self._launched:
            return
        there = {claim.metadata.name: claim for claim in world.node_claims}
        for name, (start, more) in list(self._launched.items()):
            claim = there.get(name)
            if claim is not None and not claim.status.provider_id:
                continue
            del self._launched[name]
            if claim is not None:
                row = wording.word(start)
                self._write_work(row.level, row.message, controller, start, more)

    def _failure_level(self, decision: Decision, answer: Answer, row: wording.Row) -> int:
        if answer.outcome not in _EXPECTED:
            return logging.WARNING
        if answer.outcome not in _LASTING or row.level < INFO or not answer.message:
            return DEBUG
        # It is tried again and again: once in these words is enough.
        key = _key(decision)
        if self._failures.get(key) == answer.message:
            return DEBUG
        if len(self._failures) >= _FAILURES_MAX:
            self._failures.clear()
        self._failures[key] = answer.message
        return INFO

    def _write_work(
        self, level: int, message: str, controller: str, decision: Decision, more: Facts
    ) -> None:
        if self._log.isEnabledFor(level):
            about = {**_of(decision, message), **name_it(decision.subject)}
            facts = {**about, **describe_work(decision, self._claims), **more}
            self._write(level, message, controller, decision, facts)

    def _write(
        self, level: int, message: str, controller: str, decision: Decision, facts: Facts
    ) -> None:
        if self._log.isEnabledFor(level):
            head: Facts = {"controller": controller, "decision": decision.id}
            if decision.cause:
                head["cause"] = decision.cause
            self._log.log(level, "%s", message, extra={FACTS: {**head, **facts}})


def _of(decision: Decision, message: str) -> Facts:
    """Give what a decision is, beside whom it is about and what the message says."""
    found: Facts = {"kind": decision.kind, "reason": decision.reason}
    if code := code_of(decision):
        found["code"] = code
    if decision.note and decision.note != message:
        found["note"] = decision.note
    return found


def _sum_up_refusals(
    decisions: Sequence[Decision], fresh: Sequence[Decision]
) -> Iterator[tuple[str, Decision, Facts]]:
    """Give each cause for which a pod is refused that was not before, with all whom it concerns."""
    groups: dict[str, list[Refuse]] = {}
    for one in decisions:
        if isinstance(one, Refuse):
            groups.setdefault(one.code, []).append(one)
    news = {id(one) for one in fresh}
    for code, group in sorted(groups.items()):
        new = [one for one in group if id(one) in news]
        if new:
            facts: Facts = {"code": code, "count": len(group), "new": len(new)}
            facts |= {"Pods": _name_pods(new), "note": new[0].note}
            yield wording.REFUSED, new[0], facts


def _is_provisionable(decision: Decision) -> bool:
    if isinstance(decision, Refuse):
        return not decision.code.startswith(_NOT_PROVISIONABLE)
    return isinstance(decision, Nominate)


def _name_pods(decisions: Iterable[Decision]) -> str:
    refs = (one.subject for one in decisions)
    return shorten(f"{ref.namespace}/{ref.name}" for ref in refs)


def _key(decision: Decision) -> str:
    return f"{decision.kind} {decision.subject}"
