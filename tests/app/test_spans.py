"""Spans go to the endpoint that was named, and nowhere unless one is."""

import http.server
import threading

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from builders import NOW_MS, a_type, a_world
from nodewright.app.settings import Written, read_settings
from nodewright.app.spans import read_endpoint, tracing
from nodewright.model.decision import Delete
from nodewright.model.errors import UserError
from nodewright.model.resource import NODE_CLAIMS, Ref

DELETE = Delete(subject=Ref(NODE_CLAIMS, "c"), reason="expired")


@pytest.fixture
def collector():
    """A collector on loopback that keeps what it is sent."""
    taken = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            taken.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            """Say nothing."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", taken
    server.shutdown()
    server.server_close()


def test_traces_are_off_unless_an_endpoint_is_named():
    with tracing("", "1", lambda: NOW_MS) as witnesses:
        assert witnesses == ()
    assert read_settings(Written()).written.traces == ""


def test_spans_are_sent_to_the_endpoint_that_was_named(collector):
    address, taken = collector
    with tracing(read_endpoint(address), "1.2", lambda: NOW_MS) as (witness,):
        witness.decided("expiration", a_world(a_type()), [DELETE], 1)
    (path, body), *_ = taken
    sent = ExportTraceServiceRequest.FromString(body)

    assert path == "/v1/traces"
    names = [
        span.name
        for one in sent.resource_spans
        for scope in one.scope_spans
        for span in scope.spans
    ]
    assert names == ["decide expiration"]


@pytest.mark.parametrize("text", ["collector:4318", "ftp://collector", "http://"])
def test_what_is_no_address_is_refused_in_one_sentence(text):
    with pytest.raises(UserError, match="is not an address"):
        read_settings(Written(traces=text))
