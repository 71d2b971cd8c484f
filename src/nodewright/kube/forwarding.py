"""Asking a pod: one HTTP request to a port on its loopback address, through the API server.

That is what `kubectl port-forward` does, over a WebSocket with the protocol `v4.channel.k8s.io`: each
message begins with the number of a channel, 0 carries the data of the port and 1 the words of an
error, and the first two bytes of either are the port's number, which says nothing new. The kubelet at
the other end has spoken it for as long as we support clusters. The controller is found by its label,
and among its replicas the one that holds the lease.
"""

import base64
from http import HTTPStatus
from typing import Final

import msgspec

from nodewright.kube import wire
from nodewright.kube.answers import judge
from nodewright.kube.client import Client, Reply, Request, Stream, Tunnel, Unreachable
from nodewright.kube.crds import NO_CLUSTER
from nodewright.kube.election import NAME, Lease
from nodewright.kube.websocket import (
    VERSION,
    BadFrame,
    Frames,
    Message,
    Opcode,
    accept_of,
    write_frame,
)
from nodewright.model.errors import UserError
from nodewright.model.resource import PODS, Ref

NO_CONTROLLER: Final = "NW-9604"
LABEL: Final = "app.kubernetes.io/name=nodewright"
NAMESPACE: Final = "nodewright"
_PROTOCOL: Final = "v4.channel.k8s.io"
_DATA: Final = 0
_ERROR: Final = 1
_PORT_BYTES: Final = 2
_BEGIN_S: Final = 20.0
_SILENCE_S: Final = 60.0
_LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces"
_ADVICE: Final = "--journal names a folder, --api the address of a controller's API"
_RIGHTS: Final = "it takes the verbs get and create on pods/portforward in that namespace"


async def find_controller(client: Client) -> Ref:
    """Give the pod of the controller that leads; where nobody does, one that runs."""
    reply = await _list(client, "")
    if reply.status == HTTPStatus.FORBIDDEN:
        # Many may look into that one namespace and into no other.
        reply = await _list(client, NAMESPACE)
    if not reply.is_good:
        raise UserError(
            f"the controller's pod cannot be looked for: {judge(reply).message}",
            code=NO_CONTROLLER,
            advice=_ADVICE,
        )
    found = [wire.read_header(raw).metadata for raw in wire.read_page(reply.body).items or ()]
    pods = sorted((one.namespace, one.name) for one in found if one.deletion_timestamp is None)
    if not pods:
        raise UserError(
            f"no controller runs on this cluster: no running pod has the label {LABEL}",
            code=NO_CONTROLLER,
            where=client.access.server,
            advice=_ADVICE,
        )
    for namespace in sorted({namespace for namespace, _ in pods}):
        holder = await _find_holder(client, namespace)
        if (namespace, holder) in pods:
            return Ref(PODS, holder, namespace)
    namespace, name = pods[0]
    return Ref(PODS, name, namespace)


async def _list(client: Client, namespace: str) -> Reply:
    params = {"labelSelector": LABEL, "fieldSelector": "status.phase=Running"}
    return await _ask(client, Request("GET", PODS.path("", namespace), params))


async def _find_holder(client: Client, namespace: str) -> str:
    reply = await _ask(client, Request("GET", f"{_LEASES}/{namespace}/leases/{NAME}"))
    # Who may not read leases, or finds none, asks any of the replicas.
    lease = msgspec.json.decode(reply.body, type=Lease) if reply.is_good else None
    return lease.spec.holder_identity or "" if lease is not None else ""


async def _ask(client: Client, request: Request) -> Reply:
    try:
        return await client.ask(request)
    except Unreachable as error:
        raise _unreachable(client, error) from None


def _unreachable(client: Client, error: Unreachable) -> UserError:
    if isinstance(error.__cause__, UserError):
        return error.__cause__
    return UserError(
        f"the cluster cannot be reached: {error}", code=NO_CLUSTER, where=client.access.server
    )


async def ask_pod(client: Client, pod: Ref, port: int, target: str) -> Reply:
    """Ask a port of a pod, and give what it answers; anything but an answer is one sentence."""
    key = base64.b64encode(_draw(client, 16)).decode()
    request = Request(
        "GET",
        f"{pod.path}/portforward",
        {"ports": str(port)},
        limit_s=_BEGIN_S,
        headers=(
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", VERSION),
            ("Sec-WebSocket-Key", key),
            ("Sec-WebSocket-Protocol", _PROTOCOL),
        ),
    )
    try:
        async with client.open(request, _SILENCE_S) as stream:
            if stream.status != HTTPStatus.SWITCHING_PROTOCOLS:
                problem = _refusal(await stream.read(), pod)
            else:
                _check(stream, key)
                answer = await _Exchange(client, stream.tunnel(_SILENCE_S)).ask(target, port)
                if isinstance(answer, Reply):
                    return answer
                problem = _silence(pod, port, answer)
    except Unreachable as error:
        raise _unreachable(client, error) from None
    except BadFrame as error:
        raise UserError(
            f"the API server does not forward ports as it should: {error}",
            code=NO_CONTROLLER,
            where=str(pod),
            advice=_ADVICE,
        ) from None
    raise problem


def _check(stream: Stream, key: str) -> None:
    if stream.header("Sec-WebSocket-Accept") != accept_of(key):
        raise BadFrame("its answer is to somebody else's question")


def _silence(pod: Ref, port: int, said: str) -> UserError:
    return UserError(
        f"the controller's pod does not answer on port {port}: {said or 'it hung up'}",
        code=NO_CONTROLLER,
        where=str(pod),
        advice="its log says on which port its API listens (--api-port)",
    )


def _refusal(reply: Reply, pod: Ref) -> UserError:
    said = judge(reply).message
    place = f"{pod.namespace}/{pod.name}"
    if reply.status in (HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED):
        message = f"you may not forward a port of the controller's pod {place}: {said}"
        return UserError(message, code=NO_CONTROLLER, where=str(pod), advice=_RIGHTS)
    message = f"no port of the controller's pod {place} can be forwarded: {said}"
    return UserError(message, code=NO_CONTROLLER, where=str(pod), advice=_ADVICE)


def _draw(client: Client, count: int) -> bytes:
    rng = client.machine.rng
    return bytes(rng.integer(0, 255) for _ in range(count))


class _Exchange:
    """One request to a port and its answer, over a connection that was upgraded."""

    def __init__(self, client: Client, tunnel: Tunnel) -> None:
        self._client = client
        self._tunnel = tunnel
        self._frames = Frames()
        self._channels = {_DATA: bytearray(), _ERROR: bytearray()}

    async def ask(self, target: str, port: int) -> Reply | str:
        """Ask, and wait for the whole answer; where none comes, give the reason."""
        asked = f"GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
        await self._send(Opcode.BINARY, bytes((_DATA,)) + asked.encode())
        is_open = True
        while is_open:
            data = await self._tunnel.read()
            is_open = bool(data)
            for message in self._frames.feed(data):
                is_open = await self._take(message) and is_open
            answer = read_answer(self._channels[_DATA], _PORT_BYTES, is_whole=not is_open)
            if answer is not None:
                return answer
        return self._channels[_ERROR][_PORT_BYTES:].decode(errors="replace").strip()

    async def _send(self, opcode: Opcode, payload: bytes) -> None:
        await self._tunnel.write(write_frame(opcode, payload, _draw(self._client, 4)))

    async def _take(self, message: Message) -> bool:
        """Take in a message; tell whether more may come."""
        match message.opcode:
            case Opcode.CLOSE:
                return False
            case Opcode.PING:
                await self._send(Opcode.PONG, message.payload)
            case Opcode.BINARY if message.payload and message.payload[0] in self._channels:
                self._channels[message.payload[0]] += message.payload[1:]
            case Opcode.BINARY | Opcode.TEXT:
                raise BadFrame("it writes to a channel that nobody opened")
        return True


def read_answer(data: bytearray, start: int, *, is_whole: bool) -> Reply | None:
    """Read an answer of a small HTTP server from some place on; nothing where it is not complete."""
    end = data.find(b"\r\n\r\n", start)
    if end < 0:
        return None
    first, *lines = data[start:end].decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdecimal():
        raise BadFrame(f"{first[:40]!r} is no answer of a web server")
    fields = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in fields}
    size = headers.get("content-length", "")
    there = len(data) - end - 4
    if size.isdecimal():
        wanted = int(size)
        return (
            Reply(int(words[1]), bytes(data[end + 4 : end + 4 + wanted]))
            if there >= wanted
            else None
        )
    return Reply(int(words[1]), bytes(data[end + 4 :])) if is_whole else None
