"""Traces: each look that decided something is a span, and what came of each decision is its child.

Only those who install the extra and name an endpoint have this. A span says what a line of the log says:
ids, kinds, subjects and reasons, no part of an object.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    Status,
    StatusCode,
    Tracer,
    set_span_in_context,
)

from nodewright.model.decision import Decision
from nodewright.model.world import World
from nodewright.observe.fresh import WORDS, Fresh
from nodewright.ports.kube import Answer

_EVENTS_MAX: Final = 100
_REMEMBERED_MAX: Final = 10_000
_NS: Final = 1_000_000


class Traces:
    """A witness that makes spans."""

    def __init__(self, tracer: Tracer, now_ms: Callable[[], int]) -> None:
        self._tracer = tracer
        self._now_ms = now_ms
        self._fresh = Fresh()
        self._parents: OrderedDict[str, SpanContext] = OrderedDict()

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Make a span of a look at which something is to be done or newly told."""
        del world
        told = self._fresh.pick(controller, decisions)
        acts = [one for one in decisions if not isinstance(one, WORDS)]
        if not told and not acts:
            return
        end_ms = self._now_ms()
        span = self._tracer.start_span(
            f"decide {controller}",
            start_time=(end_ms - duration_ms) * _NS,
            attributes={
                "nodewright.controller": controller,
                "nodewright.cause": decisions[0].cause,
                "nodewright.decisions": len(decisions),
            },
        )
        for one in (*acts, *told)[:_EVENTS_MAX]:
            span.add_event(one.kind, _describe(one), timestamp=end_ms * _NS)
        span.end(end_ms * _NS)
        for one in acts:
            self._parents[one.id] = span.get_span_context()
        while len(self._parents) > _REMEMBERED_MAX:
            self._parents.popitem(last=False)

    def came_of(
        self, controller: str, decision: Decision, answer: Answer, duration_ms: int
    ) -> None:
        """Make a span of what came of a decision, below the look at which it was taken."""
        end_ms = self._now_ms()
        parent = self._parents.get(decision.id)
        context = set_span_in_context(NonRecordingSpan(parent)) if parent is not None else None
        span = self._tracer.start_span(
            f"act {decision.kind}",
            context=context,
            start_time=(end_ms - duration_ms) * _NS,
            attributes={
                **_describe(decision),
                "nodewright.controller": controller,
                "nodewright.outcome": answer.outcome.value,
            },
        )
        if not answer.is_done:
            span.set_status(Status(StatusCode.ERROR, answer.outcome.value))
        span.end(end_ms * _NS)


def _describe(decision: Decision) -> dict[str, str]:
    return {
        "nodewright.decision": decision.id,
        "nodewright.kind": decision.kind,
        "nodewright.subject": str(decision.subject),
        "nodewright.reason": decision.reason,
    }
