"""One request, one reply; no reply is Unreachable; and connections end with the client."""

import asyncio

import pytest

from kube.scripted import Said
from nodewright.kube.access import Access, Source, User
from nodewright.kube.client import Client, Request, Unreachable


async def test_any_status_is_a_reply(server, client):
    server.answer = lambda _: Said(418, b"short and stout", {"Retry-After": "3"})

    reply = await client.ask(Request("GET", "/pot", {"a": "b c"}))

    assert (reply.status, reply.body, reply.retry_after_ms) == (418, b"short and stout", 3_000)
    assert not reply.is_good
    assert server.asked[0].params == {"a": "b c"}
    assert server.asked[0].headers["user-agent"].startswith("nodewright/")


async def test_a_body_goes_with_its_type(server, client):
    server.answer = lambda _: Said(200)
    await client.ask(Request("PATCH", "/x", {}, b"{}", "application/merge-patch+json"))

    assert server.asked[0].headers["content-type"] == "application/merge-patch+json"
    assert server.asked[0].body == b"{}"


async def test_a_refused_token_is_read_anew_and_tried_once_more(server, machine, tmp_path):
    token = tmp_path / "token"
    token.write_text("old")

    def answer(asked):
        token.write_text("new")
        return Said(200 if asked.headers["authorization"] == "Bearer new" else 401)

    server.answer = answer
    client = Client(Access(server.url, User(token=Source(path=str(token)))), machine)
    reply = await client.ask(Request("GET", "/x"))
    token.write_text("wrong")
    server.answer = lambda _: Said(401)
    refused = await client.ask(Request("GET", "/x"))
    await client.close()

    assert (reply.status, refused.status) == (200, 401)
    assert len(server.asked) == 4


async def test_a_server_that_is_not_there_is_unreachable(machine):
    client = Client(Access("http://127.0.0.1:1"), machine)
    with pytest.raises(Unreachable, match="GET /x"):
        await client.ask(Request("GET", "/x"))
    trouble = client.was_in_trouble(1_000)
    machine.clock.ticks += 1_000
    await client.close()

    assert trouble
    assert not client.was_in_trouble(1_000)


async def test_a_server_that_says_nothing_is_unreachable_in_time(server, client):
    server.answer = lambda _: Said(chunks=(), stay_s=5)
    started = asyncio.get_running_loop().time()
    with pytest.raises(Unreachable):
        await client.ask(Request("GET", "/x", limit_s=0.1))

    assert asyncio.get_running_loop().time() - started < 2


async def test_a_stream_that_does_not_begin_is_unreachable_however_long_it_may_be_silent(
    server, client
):
    server.answer = lambda _: Said(begin_s=5)
    started = asyncio.get_running_loop().time()
    with pytest.raises(Unreachable, match=r"no answer within 0\.1 s"):
        async with client.open(Request("GET", "/x", limit_s=0.1), silence_s=60):
            raise AssertionError("it never began")

    assert asyncio.get_running_loop().time() - started < 2


async def test_a_stream_that_has_begun_outlives_the_limit_of_its_beginning(server, client):
    server.answer = lambda _: Said(chunks=(b"one\n",), stay_s=0.3)
    async with client.open(Request("GET", "/x", limit_s=0.2), silence_s=5) as stream:
        lines = [line async for line in stream.lines()]

    assert lines == [b"one"]


async def test_credentials_that_cannot_be_had_are_unreachable_with_their_sentence(machine):
    client = Client(Access("http://127.0.0.1:1", User(token=Source(path="/no/token"))), machine)

    with pytest.raises(Unreachable, match="cannot read /no/token"):
        await client.ask(Request("GET", "/x"))
    await client.close()


async def test_groups_are_impersonated_one_by_one(server, machine):
    user = User(impersonate=(("Impersonate-User", "a"), ("Impersonate-Group", "g")))
    client = Client(Access(server.url, user), machine)
    server.answer = lambda _: Said(200)
    await client.ask(Request("GET", "/x"))
    await client.close()

    assert server.asked[0].headers["impersonate-user"] == "a"
    assert server.asked[0].headers["impersonate-group"] == "g"


async def test_a_stream_gives_whole_lines_however_they_are_cut(server, client):
    server.answer = lambda _: Said(chunks=(b"on", b"e\ntw", b"o\n\nthr", b"ee\nhalf"))
    async with client.open(Request("GET", "/x"), silence_s=5) as stream:
        lines = [line async for line in stream.lines()]

    assert lines == [b"one", b"two", b"", b"three"]


async def test_every_answer_is_observed(server, machine):
    seen = []
    client = Client(Access(server.url), machine, lambda *what: seen.append(what))
    server.answer = lambda _: Said(403)
    await client.ask(Request("DELETE", "/x"))
    await client.close()

    assert seen == [("DELETE", "/x", 403)]
