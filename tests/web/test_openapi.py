"""The OpenAPI page, and whatever can be sent to what it describes: no request breaks the server."""

import asyncio
import socket
import threading
from contextlib import contextmanager

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from builders.dashboards import EXAMPLE, given_by, looked_at
from nodewright.kube.machine import this_machine
from nodewright.web.described import ROUTES
from nodewright.web.gate import Rules
from nodewright.web.opening import open_dashboard
from nodewright.web.server import serve

FEW = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
MANY = settings(FEW, max_examples=2_000, derandomize=False)
FINITE = [one for one in ROUTES if one.path != "/api/events"]
# What takes nothing cannot be asked wrongly.
WAYS = [(one, GenerationMode.POSITIVE) for one in FINITE]
WAYS += [(one, GenerationMode.NEGATIVE) for one in FINITE if one.takes or one.body]
NAMES = [f"{one.name}-{mode.value}" for one, mode in WAYS]
PATHS = (b"/api/", b"/api/nodes/", b"/api/decisions/", b"/api/nodes?", b"/api/decisions?", b"/")


@contextmanager
def serving():
    """Serve the dashboard of the example from a thread; give the port."""
    ports, stop = [], threading.Event()
    begun = threading.Event()

    async def run():
        source = await looked_at(EXAMPLE.read_bytes())
        given = given_by(source)
        async with (
            open_dashboard(given, this_machine().clock) as shown,
            serve(shown.app(Rules()), 0) as port,
        ):
            ports.append(port)
            begun.set()
            await asyncio.to_thread(stop.wait)

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert begun.wait(120)
    yield ports[0]
    stop.set()
    thread.join(30)


@pytest.fixture(scope="module")
def port():
    with serving() as found:
        yield found


@pytest.fixture(scope="module")
def described(port):
    """The page as it is served."""
    return schemathesis.openapi.from_url(f"http://localhost:{port}/api/openapi.json")


def judge(case):
    reply = case.call()
    assert reply.status_code < 500, (case.as_curl_command(), reply.status_code, reply.text[:500])
    if reply.status_code >= 400:
        assert reply.json()["message"]


def try_out(operation, mode, how):
    @how
    @given(case=operation.as_strategy(generation_mode=mode))
    def tries(case):
        judge(case)

    tries()


@pytest.mark.parametrize(("route", "mode"), WAYS, ids=NAMES)
def test_nothing_that_the_page_describes_breaks_the_server(described, route, mode):
    try_out(described[route.path][route.method.upper()], mode, FEW)


@pytest.mark.soak
@pytest.mark.parametrize(("route", "mode"), WAYS, ids=NAMES)
def test_nothing_breaks_the_server_however_long_it_is_tried(described, route, mode):
    try_out(described[route.path][route.method.upper()], mode, MANY)


def send(port, data):
    """Send bytes, and give the status of the answer; nothing where the server hung up."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as wire:
        wire.sendall(data)
        wire.shutdown(socket.SHUT_WR)
        head = wire.recv(64)
    return int(head.split(b" ")[1]) if head.startswith(b"HTTP/1.1 ") else None


def speak(port, path, name, value):
    lines = (b"GET " + path + b" HTTP/1.1", b"Host: localhost", name + b": " + value)
    return send(port, b"\r\n".join((*lines, b"Connection: close", b"", b"")))


ODD = st.binary(max_size=60)
HEADERS = st.sampled_from(
    (b"If-None-Match", b"Accept-Encoding", b"Authorization", b"Accept", b"Origin", b"Range", b"Host",
     b"Content-Length", b"Transfer-Encoding", b"Expect", b"Cookie", b"X")
)  # fmt: skip


@given(st.sampled_from(PATHS), ODD, HEADERS, ODD)
@settings(FEW, max_examples=150)
def test_no_path_and_no_header_breaks_the_server(port, root, rest, name, value):
    path = root + rest.replace(b" ", b"%20").replace(b"\r", b"").replace(b"\n", b"")

    assert (speak(port, path, name, value) or 400) < 500


@pytest.mark.soak
@given(st.binary(max_size=400))
@MANY
def test_bytes_that_are_no_request_break_nothing(port, data):
    assert (send(port, data) or 400) < 500
