"""What users wrote into their objects gets into no metric, line, status or span."""

import io
import logging

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from builders import NOW_MS, a_pod, a_pool, a_type, a_world
from builders.lives import with_meta
from nodewright.core.provisioning import provision
from nodewright.model.decision import Launch, Start
from nodewright.model.resource import NODE_CLAIMS, refer
from nodewright.observe.lines import ConsoleLines, JsonLines
from nodewright.observe.logs import Log
from nodewright.observe.metrics import Metrics
from nodewright.observe.status import Latest, Replica, status_document
from nodewright.observe.traces import Traces
from nodewright.ports.kube import Answer, Outcome

SECRET = "hunter2-hunter2"
DONE = Answer(Outcome.DONE)
HIDDEN = {"example.org/token": SECRET}


@pytest.mark.parametrize("lines", [JsonLines({}), ConsoleLines()], ids=["json", "console"])
def test_annotations_of_pods_pools_and_claims_are_shown_to_nobody(lines):
    pod = with_meta(a_pod("p", cpu="1"), annotations=HIDDEN)
    huge = with_meta(a_pod("huge", cpu="99"), annotations=HIDDEN)
    world = a_world(pod, huge, with_meta(a_pool(), annotations=HIDDEN), a_type())
    stream, exporter, provider = io.StringIO(), InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    logger = logging.getLogger(f"secrets.{type(lines).__name__}")
    logger.setLevel(logging.DEBUG)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(lines)
    logger.addHandler(handler)
    metrics, latest = Metrics(), Latest()
    traces = Traces(provider.get_tracer("test"), lambda: NOW_MS)
    decisions = tuple(provision(world))
    launch = next(one for one in decisions if isinstance(one, Launch))
    claim = with_meta(launch.claim, annotations=HIDDEN)
    start = Start(subject=refer(NODE_CLAIMS, claim), reason="Launch", claim=claim)
    for witness in (metrics, Log(logger), latest, traces):
        witness.decided("provisioning", world, decisions, 1)
        for one in (launch, start):
            witness.came_of("provisioning", one, DONE, 1)
    status = status_document(world, metrics.money.bill(world), latest, Replica("me", "1"))
    spans = [one.to_json() for one in exporter.get_finished_spans()]

    assert stream.getvalue()
    assert spans
    for shown in (stream.getvalue(), metrics.page().decode(), str(status), *spans):
        assert SECRET not in shown
