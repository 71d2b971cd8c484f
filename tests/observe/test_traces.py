"""Spans: a look with its decisions, and below it what came of each."""

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from builders import NOW_MS, a_pod, a_type, a_world
from nodewright.model.decision import Delete, Refuse
from nodewright.model.resource import NODE_CLAIMS, PODS, Ref, refer
from nodewright.observe.traces import Traces
from nodewright.ports.kube import Answer, Outcome

DELETE = Delete(subject=Ref(NODE_CLAIMS, "c"), reason="expired", cause="clock")
REFUSE = Refuse(subject=refer(PODS, a_pod("p")), reason="FailedScheduling", code="NW-1204")


@pytest.fixture
def made():
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return Traces(provider.get_tracer("test"), lambda: NOW_MS), exporter.get_finished_spans


def test_what_came_of_a_decision_is_below_the_look_at_which_it_was_taken(made):
    traces, spans = made
    traces.decided("expiration", a_world(a_type()), [DELETE], 20)
    traces.came_of("expiration", DELETE, Answer(Outcome.DONE), 5)
    look, act = spans()

    assert (look.name, act.name) == ("decide expiration", "act Delete")
    assert act.parent.span_id == look.context.span_id
    assert act.attributes["nodewright.outcome"] == "Done"
    assert act.attributes["nodewright.decision"] == DELETE.id
    assert look.end_time - look.start_time == 20_000_000
    assert [one.name for one in look.events] == ["Delete"]


def test_a_verdict_that_is_confirmed_again_makes_no_span(made):
    traces, spans = made
    for _ in range(3):
        traces.decided("provisioning", a_world(a_type()), [REFUSE], 1)

    assert [one.name for one in spans()] == ["decide provisioning"]


def test_what_failed_is_an_error(made):
    traces, spans = made
    traces.came_of("expiration", DELETE, Answer(Outcome.FORBIDDEN, "not allowed"), 5)

    assert spans()[0].status.is_ok is False
