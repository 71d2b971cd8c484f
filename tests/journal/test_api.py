"""The API: decisions and snapshots for whoever sits on the same machine, and for nobody else."""

import asyncio
import gzip
import json

import pytest

from builders import a_pod, a_type, a_world
from journal.test_recorder import Clock, a_delete, a_refusal
from nodewright.journal.api import serve_api
from nodewright.journal.documents import read_found, write_found
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder
from nodewright.ports.kube import Answer, Outcome
from nodewright.serving.server import Reply

NOW = b'{"taken":"now"}'


@pytest.fixture
def journal(tmp_path):
    recorder = Recorder(tmp_path, Clock())
    world = a_world(a_pod("p"), a_type(), pending_rule="live")
    recorder.decided("provisioning", world, [a_refusal()], 1)
    recorder.decided("expiration", world, [a_delete()], 1)
    recorder.came_of("expiration", a_delete(), Answer(Outcome.DONE), 1)
    return Journal(tmp_path)


async def take():
    return NOW


def get(journal, path, method="GET", host="localhost:8082"):
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n\r\n".encode()
    return asyncio.run(ask(journal, head))


async def ask(journal, head):
    """Send a request as it is, and take the reply apart."""
    async with serve_api(journal, take, 0) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head)
        answer = await reader.read()
        writer.close()
    top, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = top.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    return Reply(first.removeprefix("HTTP/1.1 "), body, fields["Content-Type"])


def test_decisions_are_listed_and_narrowed(journal):
    every = json.loads(get(journal, "/decisions").body)
    some = json.loads(get(journal, "/decisions?controller=expiration&limit=5").body)

    assert [one["kind"] for one in every["decisions"]] == ["Refuse", "Delete"]
    assert [one["outcome"]["outcome"] for one in some["decisions"]] == ["Done"]


@pytest.mark.parametrize(
    ("query", "kinds"),
    [("node=n", ["Delete"]), ("pod=default/p", ["Refuse"]), ("pool=general", []), ("pod=q", [])],
)
def test_decisions_are_found_by_whom_they_are_about(journal, query, kinds):
    found = json.loads(get(journal, f"/decisions?{query}").body)

    assert [one["kind"] for one in found["decisions"]] == kinds


def test_a_decision_is_given_with_its_look_and_can_be_read_back(journal):
    name = journal.entries().entries[0].decision.id
    written = get(journal, f"/decisions/{name}")
    stored = get(journal, f"/snapshot?decision={name}")
    document = json.loads(written.body)
    found = journal.find(name)

    assert document["decision"]["id"] == name
    assert document["look"]["controller"] == "provisioning"
    assert gzip.decompress(stored.body) == found.document
    again = read_found(write_found(found), found.document)
    assert (again.entry, again.siblings) == (found.entry, found.siblings)
    assert again.look.answer == found.look.answer


def test_a_snapshot_of_now_is_taken(journal):
    assert gzip.decompress(get(journal, "/snapshot").body) == NOW


@pytest.mark.parametrize(
    ("path", "method", "host", "status"),
    [
        ("/decisions", "POST", "localhost", "405"),
        ("/decisions", "GET", "evil.example.com", "403"),
        ("/decisions", "GET", "", "403"),
        ("/decisions", "GET", "[::1]:8082", "200"),
        ("/decisions", "GET", "127.0.0.1", "200"),
        ("/decisions/D-0", "GET", "localhost", "404"),
        ("/decisions?since=yesterday", "GET", "localhost", "400"),
        ("/decisions?limit=many", "GET", "localhost", "400"),
        ("/snapshot?decision=D-0", "GET", "localhost", "404"),
        ("/secrets", "GET", "localhost", "404"),
    ],
)
def test_what_is_not_to_be_had_is_refused(journal, path, method, host, status):
    assert get(journal, path, method, host).status.startswith(status)


def test_it_is_served_over_http(journal):
    async def ask(text):
        async with serve_api(journal, take, 0) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(text)
            reply = await reader.read()
            writer.close()
        return reply

    reply = asyncio.run(ask(b"GET /decisions HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK")
    assert f"Content-Length: {len(body)}".encode() in head
    assert asyncio.run(ask(b"HEAD /decisions HTTP/1.1\r\nHost: localhost\r\n\r\n")).endswith(
        b"\r\n\r\n"
    )
