"""A journal is found in a folder or behind an API, and both say the same."""

import asyncio
import threading
from contextlib import asynccontextmanager, contextmanager

import pytest

from builders import a_pod, a_type, a_world
from journal.test_recorder import Clock, a_delete, a_refusal
from kube.forwarder import Forwarder
from nodewright.app.journals import Api, Source, open_journal
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


@contextmanager
def in_a_thread(serving):
    """Serve in a thread for the length of a block, and give the port."""
    ports, loop, done = [], asyncio.new_event_loop(), asyncio.Event()
    ready = threading.Event()

    async def serve():
        async with serving() as port:
            ports.append(port)
            ready.set()
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(10)
    yield ports[0]
    loop.call_soon_threadsafe(done.set)
    thread.join(10)
    loop.close()


@pytest.fixture
def api(journal):
    """An API that is served by a thread."""

    async def take():
        return b"{}"

    with in_a_thread(lambda: serve_api(journal, take, 0)) as port:
        yield Api(f"http://127.0.0.1:{port}")


@pytest.fixture
def a_cluster(api):
    """A cluster whose controller is behind that API."""
    forwarder = Forwarder(int(api.where.rpartition(":")[2]))

    @asynccontextmanager
    async def serving():
        server = await asyncio.start_server(forwarder.serve, "127.0.0.1", 0)
        yield server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()

    with in_a_thread(serving) as port:
        yield f"http://127.0.0.1:{port}"


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


def test_two_sources_at_once_are_refused():
    with pytest.raises(UserError, match="only one of --journal and --api"):
        open_journal(Source("a", "http://b"), {})


def test_without_a_source_the_controller_of_the_cluster_is_asked(tmp_path, journal, api, a_cluster):
    config = tmp_path / "kubeconfig"
    config.write_text(
        f"""{{"current-context": "c", "contexts": [{{"name": "c", "context": {{"cluster": "c"}}}}],
        "clusters": [{{"name": "c", "cluster": {{"server": "{a_cluster}"}}}}]}}"""
    )
    forwarded = open_journal(Source(kubeconfig=str(config)), {})

    assert forwarded.entries(Filter()) == journal.entries(Filter())
    name = journal.entries().entries[0].decision.id
    assert forwarded.find(name).document == journal.find(name).document
    with pytest.raises(UserError, match="no decision D-0"):
        forwarded.find("D-0")
