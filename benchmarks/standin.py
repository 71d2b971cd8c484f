"""A stand-in for the API server, on the loopback address, for measuring a controller from outside.

It speaks what a controller speaks over real connections: lists in pages, watches that go on, objects
that are created, merged into and deleted, each with its version. It checks nothing and forgets nothing,
and it can be filled with a large cluster, or be told of thousands of new pods, in a moment: a real
control plane on a laptop takes minutes for either, and would be measured along with us.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from nodewright.crds.document import definitions

type Thing = dict[str, Any]

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_OLDER = ("v1beta1/node", "v1alpha5/", "v1alpha1/awsnodetemplates", "v1beta1/ec2")
_STATUS = {
    200: "200 OK", 201: "201 Created", 404: "404 Not Found", 409: "409 Conflict",
    422: "422 Unprocessable Entity",
}  # fmt: skip


class Kind:
    """All objects of one kind, as they are written on the wire, and those who watch them."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.written: dict[str, bytes] = {}
        self.watchers: set[asyncio.StreamWriter] = set()

    def tell(self, events: Iterable[bytes]) -> None:
        """Tell everybody who watches."""
        text = b"".join(events)
        for writer in self.watchers:
            writer.write(text)


class StandIn:
    """An API server without rules."""

    def __init__(self) -> None:
        self._kinds: dict[str, Kind] = {}
        self._version = 1_000
        self._definitions = {one["metadata"]["name"]: one for one in definitions(kwok=True)}
        self.url = ""
        self.last_write_s = 0.0
        self.writes = 0
        self.writes_by: Counter[str] = Counter()
        self.on_create: Callable[[str], None] = lambda _: None

    async def start(self) -> asyncio.Server:
        """Listen; `url` says where."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 24)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return server

    def kind(self, path: str) -> Kind:
        """Give a kind by the path of all its objects."""
        return self._kinds.setdefault(path, Kind(path))

    def fill(self, path: str, things: Iterable[Thing]) -> None:
        """Put objects there before anybody looks."""
        kind = self.kind(path)
        for thing in things:
            kind.written[_key(thing)] = self._write(thing)

    def prepare(self, path: str, things: Iterable[Thing]) -> Callable[[], float]:
        """Get new objects ready; calling what is returned makes them all at once, and says when."""
        kind = self.kind(path)
        made = {_key(thing): self._write(thing) for thing in things}
        events = [_event("ADDED", written) for written in made.values()]

        def release() -> float:
            kind.written |= made
            begun_s = time.perf_counter()
            kind.tell(events)
            return begun_s

        return release

    def touch(self, path: str, key: str, change: Thing) -> None:
        """Change an object as its kubelet would."""
        self._merge(self.kind(path), key, change)

    def bookmark(self) -> None:
        """Tell all watches that they are alive."""
        for kind in self._kinds.values():
            thing = {"metadata": {"resourceVersion": str(self._version)}}
            kind.tell([_event("BOOKMARK", msgspec.json.encode(thing))])

    def _write(self, thing: Thing) -> bytes:
        self._version += 1
        thing["metadata"]["resourceVersion"] = str(self._version)
        thing["metadata"].setdefault("uid", f"{self._version:08x}-0000-4000-8000-0000000000ff")
        thing["metadata"].setdefault("creationTimestamp", _now())
        return msgspec.json.encode(thing)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                method, target, _ = head.split(" ", 2)
                length = next(
                    (int(line.split(":")[1]) for line in head.lower().split("\r\n")
                     if line.startswith("content-length")), 0,
                )  # fmt: skip
                body = await reader.readexactly(length)
                address = urlsplit(target)
                query = {name: values[-1] for name, values in parse_qs(address.query).items()}
                if "watch" in query and not _is_older(address.path):
                    await self._watch(address.path, reader, writer)
                    return
                status, answer = self._answer(method, address.path, query, body)
                head = f"HTTP/1.1 {_STATUS[status]}\r\nContent-Type: application/json\r\n"
                writer.write(f"{head}Content-Length: {len(answer)}\r\n\r\n".encode() + answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    async def _watch(
        self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        kind = self.kind(path)
        kind.watchers.add(writer)
        try:
            await reader.read()
        finally:
            kind.watchers.discard(writer)

    def _answer(
        self, method: str, path: str, query: dict[str, str], body: bytes
    ) -> tuple[int, bytes]:
        if path == "/version":
            return 200, msgspec.json.encode({"gitVersion": "v1.34.0-stand-in"})
        if path.startswith(_DEFINITIONS):
            return self._definition(path.removeprefix(f"{_DEFINITIONS}/"))
        if _is_older(path):
            return 404, b'{"kind":"Status","code":404,"message":"no such kind"}'
        collection, key = _split(path)
        kind = self.kind(collection)
        if method == "GET" and not key.rpartition("/")[2]:
            return 200, _page(kind, query, self._version)
        if method == "GET":
            found = kind.written.get(key)
            return (200, found) if found is not None else (404, b"{}")
        self.writes += 1
        self.writes_by[f"{method} {collection.rpartition('/')[2]}"] += 1
        self.last_write_s = time.perf_counter()
        return self._change(method, kind, key, body)

    def _change(self, method: str, kind: Kind, key: str, body: bytes) -> tuple[int, bytes]:
        if method == "POST":
            thing = msgspec.json.decode(body)
            space = key.rpartition("/")[0]
            if space:
                thing["metadata"].setdefault("namespace", space)
            if _key(thing) in kind.written:
                return 409, b'{"kind":"Status","code":409,"reason":"AlreadyExists"}'
            kind.written[_key(thing)] = written = self._write(thing)
            kind.tell([_event("ADDED", written)])
            self.on_create(kind.path)
            return 201, written
        if key not in kind.written:
            return 404, b'{"kind":"Status","code":404,"reason":"NotFound"}'
        if method == "DELETE":
            kind.tell([_event("DELETED", kind.written.pop(key))])
            return 200, b"{}"
        change = msgspec.json.decode(body)
        if not isinstance(change, dict):
            return 422, b'{"kind":"Status","code":422,"message":"only merges are taken here"}'
        return 200, self._merge(kind, key, change)

    def _merge(self, kind: Kind, key: str, change: Thing) -> bytes:
        thing = merge(msgspec.json.decode(kind.written[key]), change)
        kind.written[key] = written = self._write(thing)
        kind.tell([_event("MODIFIED", written)])
        return written

    def _definition(self, name: str) -> tuple[int, bytes]:
        found = self._definitions.get(name)
        return (404, b"{}") if found is None else (200, msgspec.json.encode(found))


def merge(thing: Any, change: Any) -> Any:
    """Merge a change into a document (RFC 7386)."""
    if not isinstance(change, dict):
        return change
    merged = dict(thing) if isinstance(thing, dict) else {}
    for name, value in change.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value)
    return merged


def _key(thing: Thing) -> str:
    meta = thing["metadata"]
    return f"{meta.get('namespace', '')}/{meta['name']}"


def _event(kind: str, written: bytes) -> bytes:
    return b'{"type":"' + kind.encode() + b'","object":' + written + b"}\n"


def _split(path: str) -> tuple[str, str]:
    """Give the path of a kind, and the key of the object that is meant; `/` is none of them."""
    parts = path.strip("/").split("/")
    size = 2 if parts[0] == "api" else 3
    root, rest = parts[:size], parts[size:]
    space = ""
    if rest[0] == "namespaces" and len(rest) > 2:
        space, rest = rest[1], rest[2:]
    name = rest[1] if len(rest) > 1 else ""
    return "/" + "/".join([*root, rest[0]]), f"{space}/{name}"


def _is_older(path: str) -> bool:
    return any(part in path for part in _OLDER)


def _page(kind: Kind, query: dict[str, str], version: int) -> bytes:
    start, size = int(query.get("continue", "0")), int(query.get("limit", "500"))
    items = list(kind.written.values())
    meta = {"resourceVersion": str(version)}
    if start + size < len(items):
        meta["continue"] = str(start + size)
    shown = b",".join(items[start : start + size])
    return b'{"metadata":' + msgspec.json.encode(meta) + b',"items":[' + shown + b"]}"


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
