"""A journal is found in a folder or behind an API, and both say the same."""

import asyncio
import threading

import pytest

from builders import a_pod, a_type, a_world
from journal.test_recorder import Clock, a_delete, a_refusal
from nodewright.app.journals import Api, open_journal
from nodewright.journal.api import serve_api
from nodewright.journal.reading import Filter, Journal
from nodewright.journal.recorder import Recorder
from nodewright.journal.replay import replay
from nodewright.model.errors import UserError


@pytest.fixture
def journal(tmp_path):
    recorder = Recorder(tmp_path, Clock())
    world = a_world(a_pod("p"), a_type(), pending_rule="live")
    recorder.decided("provisioning", world, [a_refusal()], 1)
    recorder.decided("expiration", world, [a_delete()], 1)
    return Journal(tmp_path)


@pytest.fixture
def api(journal):
    """An API that is served by a thread."""
    ports, loop, done = [], asyncio.new_event_loop(), asyncio.Event()
    ready = threading.Event()

    async def take():
        return b"{}"

    async def serve():
        async with serve_api(journal, take, 0) as port:
            ports.append(port)
            ready.set()
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(10)
    yield Api(f"http://127.0.0.1:{ports[0]}")
    loop.call_soon_threadsafe(done.set)
    thread.join(10)
    loop.close()


def test_what_is_asked_over_the_api_is_what_the_folder_holds(journal, api):
    for wanted in (Filter(), Filter(controller="expiration"), Filter(subject="pods/", limit=3)):
        assert api.entries(wanted) == journal.entries(wanted)
    name = journal.entries().entries[0].decision.id
    asked, held = api.find(name), journal.find(name)
    assert (asked.entry, asked.document) == (held.entry, held.document)
    assert replay(asked) == replay(held)
    assert api.snapshot() == b"{}"


def test_what_the_api_does_not_have_is_one_sentence(api):
    with pytest.raises(UserError, match="no decision D-0"):
        api.find("D-0")


def test_an_api_that_is_not_there_is_one_sentence():
    with pytest.raises(UserError, match="cannot be reached"):
        Api("http://127.0.0.1:1").entries(Filter())


@pytest.mark.parametrize(("folder", "api"), [("", ""), ("a", "http://b")])
def test_one_of_the_two_is_named(folder, api):
    with pytest.raises(UserError, match="one of --journal and --api"):
        open_journal(folder, api)
