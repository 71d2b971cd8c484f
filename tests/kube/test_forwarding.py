"""A pod is asked through the API server; what stands in the way is one sentence."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from kube.forwarder import Forwarder
from nodewright.kube.access import Access
from nodewright.kube.client import Client, Reply
from nodewright.kube.forwarding import ask_pod, find_controller, read_answer
from nodewright.kube.machine import this_machine
from nodewright.kube.websocket import BadFrame
from nodewright.model.errors import UserError
from nodewright.model.resource import PODS, Ref
from nodewright.serving.server import Reply as Said
from nodewright.serving.server import serve

POD = Ref(PODS, "nodewright-a", "nodewright")
FORWARD = "/api/v1/namespaces/nodewright/pods/nodewright-a/portforward"
LARGE = bytes(range(256)) * 5_000


@asynccontextmanager
async def a_client(forwarder):
    server = await asyncio.start_server(forwarder.serve, "127.0.0.1", 0)
    client = Client(
        Access(server=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"), this_machine()
    )
    try:
        yield client
    finally:
        await client.close()
        server.close()
        await server.wait_closed()


async def answer(request):
    if request.target == "/none":
        return Said("404 Not Found", b"there is none\n")
    return Said("200 OK", LARGE if request.target == "/large" else request.host.encode())


async def test_a_port_of_a_pod_answers_through_the_api_server():
    async with serve(answer, 0, "127.0.0.1", 5.0) as port:
        forwarder = Forwarder(port)
        async with a_client(forwarder) as client:
            assert await ask_pod(client, POD, 8082, "/") == Reply(200, b"localhost")
            assert await ask_pod(client, POD, 8082, "/large") == Reply(200, LARGE)
            assert await ask_pod(client, POD, 8082, "/none") == Reply(404, b"there is none\n")
    assert forwarder.asked == [f"{FORWARD}?ports=8082"] * 3
    assert forwarder.protocol == "v4.channel.k8s.io"
    assert forwarder.pings


async def test_a_port_on_which_nobody_listens_is_one_sentence():
    async with a_client(Forwarder(1)) as client:
        with pytest.raises(UserError, match="does not answer on port 8082: error forwarding port"):
            await ask_pod(client, POD, 8082, "/")


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (403, "you may not forward a port of the controller's pod nodewright/nodewright-a: "),
        (500, "no port of the controller's pod nodewright/nodewright-a can be forwarded: "),
    ],
)
async def test_a_refusal_is_one_sentence(status, said):
    async with a_client(Forwarder(1, refusals={FORWARD: status})) as client:
        with pytest.raises(UserError, match=said):
            await ask_pod(client, POD, 8082, "/")


async def test_a_server_that_is_not_there_is_one_sentence():
    client = Client(Access(server="http://127.0.0.1:1"), this_machine())
    with pytest.raises(UserError, match="cannot be reached"):
        await ask_pod(client, POD, 8082, "/")
    await client.close()


async def test_the_replica_that_holds_the_lease_is_asked():
    forwarder = Forwarder(1, pods=("nodewright-a", "nodewright-b"), holder="nodewright-b")
    async with a_client(forwarder) as client:
        assert await find_controller(client) == Ref(PODS, "nodewright-b", "nodewright")
    assert "labelSelector=app.kubernetes.io%2Fname%3Dnodewright" in forwarder.asked[0]


@pytest.mark.parametrize("holder", ["", "somebody-else"])
async def test_where_no_replica_leads_the_first_is_asked(holder):
    forwarder = Forwarder(1, pods=("nodewright-b", "nodewright-a"), holder=holder)
    async with a_client(forwarder) as client:
        assert await find_controller(client) == POD


async def test_who_may_look_into_one_namespace_only_finds_it_there():
    async with a_client(Forwarder(1, refusals={"/api/v1/pods": 403})) as client:
        assert await find_controller(client) == POD


async def test_who_may_not_look_at_all_is_told_so():
    refusals = {"/api/v1/pods": 403, "/api/v1/namespaces/nodewright/pods": 403}
    async with a_client(Forwarder(1, refusals=refusals)) as client:
        with pytest.raises(UserError, match=r"pod cannot be looked for: .* is forbidden"):
            await find_controller(client)


async def test_a_cluster_without_a_controller_is_one_sentence():
    async with a_client(Forwarder(1, pods=())) as client:
        with pytest.raises(UserError, match="no controller runs on this cluster"):
            await find_controller(client)


def test_an_answer_is_read_when_it_is_complete():
    whole = bytearray(b"xxHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
    open_end = bytearray(b"HTTP/1.0 200 OK\r\n\r\nabc")

    assert read_answer(whole, 2, is_whole=False) == Reply(200, b"abc")
    assert read_answer(whole[:-1], 2, is_whole=True) is None
    assert read_answer(open_end, 0, is_whole=False) is None
    assert read_answer(open_end, 0, is_whole=True) == Reply(200, b"abc")
    with pytest.raises(BadFrame, match="no answer of a web server"):
        read_answer(bytearray(b"SSH-2.0\r\n\r\n"), 0, is_whole=False)
