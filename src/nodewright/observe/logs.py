"""Logs: one decision, one line.

A line is written when a decision was acted on, with what came of it, and when something is told that was
not told before. It has the decision's own words and nothing of the objects that it holds, so that no
secret can get into it.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

from nodewright.model.decision import Decision, Keep
from nodewright.model.resource import Ref
from nodewright.model.world import World
from nodewright.observe.fresh import Fresh, code_of
from nodewright.observe.lines import FACTS
from nodewright.ports.kube import Answer, Outcome

LOGGER: Final = "nodewright.decisions"
_ROUTINE: Final = frozenset(("Status", "PodEvent", "Hash", "HashVersion", "Finalizer"))
"""Changes that keep books: they are of interest to those who look for a fault in us."""

_EXPECTED: Final = frozenset((
    Outcome.EXISTS, Outcome.NOT_FOUND, Outcome.CONFLICT, Outcome.BLOCKED, Outcome.BUSY,
    Outcome.NOT_LEADER,
))  # fmt: skip
"""Outcomes that a controller meets every day and deals with by itself."""


class Log:
    """A witness that writes lines."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._log = logger or logging.getLogger(LOGGER)
        self._fresh = Fresh()

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Write a line for each thing that is told for the first time."""
        del world
        for one in self._fresh.pick(controller, decisions):
            level = logging.DEBUG if isinstance(one, Keep) else logging.INFO
            self._write(level, controller, one, {"decideMs": duration_ms})

    def came_of(
        self, controller: str, decision: Decision, answer: Answer, duration_ms: int
    ) -> None:
        """Write a line for each act."""
        more: dict[str, object] = {"outcome": answer.outcome.value, "actMs": duration_ms}
        if not answer.is_done and answer.message:
            more["error"] = answer.message
        self._write(_level(decision, answer), controller, decision, more)

    def _write(
        self, level: int, controller: str, decision: Decision, more: Mapping[str, object]
    ) -> None:
        if not self._log.isEnabledFor(level):
            return
        subject = decision.subject
        fields: dict[str, object] = {
            "controller": controller,
            "decision": decision.id,
            "kind": decision.kind,
            "reason": decision.reason,
            subject.resource.kind: _named(subject),
        }
        if code := code_of(decision):
            fields["code"] = code
        if decision.cause:
            fields["cause"] = decision.cause
        message = decision.note or f"{decision.kind} {subject}"
        self._log.log(level, "%s", message, extra={FACTS: {**fields, **more}})


def _named(subject: Ref) -> dict[str, str]:
    named = {"name": subject.name}
    return {"namespace": subject.namespace, **named} if subject.namespace else named


def _level(decision: Decision, answer: Answer) -> int:
    if not answer.is_done and answer.outcome not in _EXPECTED:
        return logging.WARNING
    return logging.DEBUG if decision.reason in _ROUTINE else logging.INFO
