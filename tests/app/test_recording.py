import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

import pytest

from nodewright.app.recording import (
    Asking,
    record_audit,
    record_prometheus,
    record_source,
    take_change,
    write_trace,
)
from nodewright.app.workloads import Source, open_workload
from nodewright.model.errors import UserError
from nodewright.model.metadata import ObjectMeta
from nodewright.model.pod import Container, Pod, PodSpec, PodStatus, ResourceRequirements
from nodewright.model.resource import PODS
from nodewright.state.mirror import Change
from nodewright.trace.recording import Recorder


def a_pod(phase="Pending", node=""):
    asks = ResourceRequirements(requests={"cpu": "1"})
    return Pod(
        ObjectMeta(name="p", namespace="a", uid="u", creation_timestamp="1970-01-01T00:00:02Z"),
        PodSpec(containers=(Container(asks),), node_name=node),
        PodStatus(phase=phase),
    )


def test_a_watched_pod_is_written_when_it_has_ended():
    recorder = Recorder(1_000)
    steps = [
        (None, a_pod(), 2_500),
        (a_pod(), a_pod(node="n"), 4_000),
        (a_pod(node="n"), a_pod("Succeeded", "n"), 9_000),
        (a_pod("Succeeded", "n"), None, 9_500),
    ]

    found = [
        entry
        for old, new, at_ms in steps
        for entry in take_change(recorder, Change(PODS, "a/p", old, new), at_ms)
    ]

    assert [(one.at_ms, one.lasts_ms) for one in found] == [(1_000, 5_000)]


def test_a_trace_out_of_order_is_written_in_order(tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_bytes(
        b'{"trace": "nodewright.dev/v1", "name": "odd"}\n'
        b'{"at": 9, "pod": "a/late", "cpu": 1}\n{"at": 1, "pod": "a/early", "cpu": 1}\n'
    )

    written = write_trace(record_source(Source(str(path)), "trace"), tmp_path / "even.jsonl")

    entries = open_workload(Source(written.file)).entries
    assert [one.name for one in entries] == ["a/early", "a/late"]
    assert (written.entries, written.seconds) == (2, 9.0)
    with pytest.raises(UserError, match="nothing that --from csv reads"):
        record_source(Source(str(path)), "csv")


def test_an_audit_log_that_breaks_off_leaves_no_half_trace(tmp_path):
    log = tmp_path / "audit.log"
    log.write_text('{"verb": "list"}\n')

    with pytest.raises(UserError):
        write_trace(record_audit((str(log),)), tmp_path / "t.jsonl")

    assert [one.name for one in tmp_path.iterdir()] == ["audit.log"]


class _Prometheus(BaseHTTPRequestHandler):
    asked: list[dict[str, list[str]]] = []

    def do_GET(self):
        wanted = parse_qs(urlparse(self.path).query)
        self.asked.append(wanted)
        start, end = float(wanted["start"][0]), float(wanted["end"][0])
        values = [[at, "2"] for at in range(int(start), int(end) + 1, 600)]
        labels = {"namespace": "a", "pod": "p", "resource": "cpu"}
        data = {"resultType": "matrix", "result": [{"metric": labels, "values": values}]}
        body = json.dumps({"status": "success", "data": data}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_prometheus_is_asked_window_after_window():
    server = HTTPServer(("127.0.0.1", 0), _Prometheus)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        (entry,) = record_prometheus(Asking(url, 0, 10 * 3_600, 600)).entries
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

    assert (entry.at_ms, entry.until_ms, entry.size.resources) == (0, None, {"cpu": "2000m"})
    assert [one["start"] for one in _Prometheus.asked] == [["0"], ["21600"]]


def test_a_prometheus_that_does_not_answer_is_one_sentence():
    with pytest.raises(UserError, match="Prometheus does not answer"):
        list(record_prometheus(Asking("http://127.0.0.1:9", 0, 60)).entries)
    with pytest.raises(UserError, match="not after its begin"):
        list(record_prometheus(Asking("http://127.0.0.1:9", 60, 0)).entries)
