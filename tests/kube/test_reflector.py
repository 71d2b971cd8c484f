"""A reflector misses nothing, whatever the server does."""

import asyncio

import pytest

from kube.said import a_bookmark, a_line, a_page, a_pod, a_status
from kube.scripted import Said
from nodewright.kube.reflector import Reflector, Settings
from nodewright.model.resource import NODE_POOLS, PODS, PROVISIONERS
from nodewright.state.mirror import Mirror

A_POOL = {"metadata": {"name": "p", "uid": "u", "resourceVersion": "1"}, "spec": {}}


class Rig:
    """A reflector with a script of lists and watches.

    Past its end lists are empty and watches silent, or the server knows the kind no more. What is
    told is noted with what had been asked and was waited for at that very moment: later the
    reflector may be anywhere.
    """

    def __init__(self, server, client, resource=PODS, settings=Settings()):  # noqa: B008 - frozen.
        self.mirror = Mirror((resource,))
        self.changes = []
        self.moments = []
        self.is_gone = False
        self.lists = []
        self.watches = []
        self.server = server
        self.reflector = Reflector(client, resource, self.mirror, self.hear, settings)
        server.answer = self.answer

    def hear(self, changes):
        self.changes.extend(changes)
        self.moments.append((len(self.server.asked), self.mirror.waiting_for()))

    def answer(self, asked):
        script = self.watches if "watch" in asked.params else self.lists
        if script:
            return script.pop(0)
        if self.is_gone:
            return Said(404)
        if "watch" in asked.params:
            return Said(chunks=(), stay_s=30)
        return Said(body=a_page(version=99))

    async def run_until(self, check):
        task = asyncio.create_task(self.reflector.run())
        try:
            async with asyncio.timeout(5):
                while not check():
                    assert not task.done(), task.exception()
                    await asyncio.sleep(0.005)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def asked(self, kind):
        return [
            one.params for one in self.server.asked if ("watch" in one.params) == (kind == "watch")
        ]

    def names(self):
        return [pod.metadata.name for pod in self.mirror.all(self.reflector.resource)]


@pytest.fixture
def rig(server, client):
    return Rig(server, client)


async def test_a_list_is_read_page_by_page_and_watched_from_its_version(rig):
    rig.lists = [
        Said(body=a_page(a_pod("a", 1), token="more")),
        Said(body=a_page(a_pod("b", 2), version=10)),
    ]
    rig.watches = [Said(chunks=(a_line("ADDED", a_pod("c", 11)),), stay_s=30)]

    await rig.run_until(lambda: "c" in rig.names())

    assert rig.names() == ["a", "b", "c"]
    assert [params.get("continue") for params in rig.asked("list")] == [None, "more"]
    assert rig.asked("watch")[0]["resourceVersion"] == "10"
    assert rig.asked("watch")[0]["allowWatchBookmarks"] == "true"


async def test_a_watch_that_ends_goes_on_where_it_was(rig):
    rig.lists = [Said(body=a_page(version=10))]
    rig.watches = [
        Said(chunks=(a_line("ADDED", a_pod("a", 11)), a_bookmark(20))),
        Said(chunks=(a_line("MODIFIED", a_pod("a", 21)),)),
    ]

    await rig.run_until(lambda: len(rig.asked("watch")) >= 3)

    versions = [params["resourceVersion"] for params in rig.asked("watch")]
    assert versions[:3] == ["10", "20", "21"]
    assert len(rig.asked("list")) == 1


async def test_half_a_line_is_no_line(rig):
    whole = a_line("ADDED", a_pod("b", 12))
    rig.lists = [Said(body=a_page(version=10))]
    rig.watches = [
        Said(chunks=(a_line("ADDED", a_pod("a", 11)) + whole[:30],)),
        Said(chunks=(whole[:7], whole[7:50], whole[50:]), stay_s=30),
    ]

    await rig.run_until(lambda: rig.names() == ["a", "b"])

    assert [p["resourceVersion"] for p in rig.asked("watch")][:2] == ["10", "11"]


@pytest.mark.parametrize(
    "gone",
    [
        Said(410, body=a_status(410, "Expired", "too old resource version")),
        Said(chunks=(a_line("ERROR", a_status(410, "Expired", "too old")),)),
        Said(chunks=(b"this is no JSON\n",)),
        Said(chunks=(a_line("SURPRISE", a_pod("a", 12)),)),
    ],
    ids=["status", "event", "broken line", "unknown type"],
)
async def test_what_cannot_go_on_is_listed_anew_and_tells_what_changed(rig, gone):
    rig.lists = [
        Said(body=a_page(a_pod("a", 1), a_pod("b", 2), version=10)),
        Said(body=a_page(a_pod("b", 2), a_pod("c", 30), version=30)),
    ]
    rig.watches = [gone]

    await rig.run_until(lambda: rig.names() == ["b", "c"])

    told = [(change.key, change.old is None, change.new is None) for change in rig.changes]
    assert told == [
        ("default/a", True, False),
        ("default/b", True, False),
        ("default/a", False, True),
        ("default/c", True, False),
    ]


async def test_an_object_that_does_not_fit_spoils_only_itself(rig):
    broken = a_pod("b", 12, nodeName={"not": "a name"})
    rig.lists = [Said(body=a_page(a_pod("a", 1), a_pod("x", 2, priority="high"), version=10))]
    rig.watches = [
        Said(chunks=(a_line("ADDED", broken), a_line("ADDED", a_pod("c", 13))), stay_s=30)
    ]

    await rig.run_until(lambda: "c" in rig.names())

    assert rig.names() == ["a", "c"]
    assert [(u.key, u.version) for u in rig.mirror.unreadable(PODS)] == [
        ("default/b", "12"),
        ("default/x", "2"),
    ]
    assert rig.mirror.version(PODS) == "13"
    assert len(rig.asked("list")) == 1


async def test_nulls_mean_not_there(rig):
    rig.lists = [Said(body=a_page(a_pod("a", 1, tolerations=None, volumes=None), version=10))]

    await rig.run_until(lambda: rig.names() == ["a"])

    assert rig.mirror.unreadable(PODS) == ()


async def test_a_deletion_is_heard_even_of_what_cannot_be_read(rig):
    rig.lists = [Said(body=a_page(a_pod("a", 1), a_pod("x", 2, priority="high"), version=10))]
    rig.watches = [
        Said(
            chunks=(
                a_line("DELETED", a_pod("a", 11)),
                a_line("DELETED", a_pod("x", 12, priority="high")),
            ),
            stay_s=30,
        )
    ]

    await rig.run_until(lambda: rig.mirror.version(PODS) == "12")

    assert (rig.names(), rig.mirror.unreadable(PODS)) == ([], ())


async def test_pages_that_expire_are_asked_for_at_once(rig):
    rig.lists = [
        Said(body=a_page(a_pod("a", 1), token="old")),
        Said(410, body=a_status(410, "Expired", "the continue token is too old")),
        Said(body=a_page(a_pod("a", 1), a_pod("b", 2), version=12)),
    ]

    await rig.run_until(lambda: rig.names() == ["a", "b"])

    assert [params.get("limit") for params in rig.asked("list")] == ["500", "500", None]


async def test_trouble_is_waited_out_with_growing_pauses(rig, clock):
    rig.lists = [Said(500), Said(503), Said(429, headers={"Retry-After": "1"}), Said(500)]

    await rig.run_until(lambda: rig.mirror.waiting_for() == ())

    low, high = (200, 400, 800, 1600), (400, 800, 1600, 3200)
    assert all(a <= x <= b for a, x, b in zip(low, clock.slept, high, strict=False))


async def test_a_silent_watch_is_cut_and_taken_up_again(server, client):
    rig = Rig(server, client, settings=Settings(silence_max_s=0.05))
    rig.lists = [Said(body=a_page(version=10))]

    await rig.run_until(lambda: len(rig.asked("watch")) >= 3)

    assert {params["resourceVersion"] for params in rig.asked("watch")} == {"10"}
    assert len(rig.asked("list")) == 1


async def test_a_kind_that_goes_away_is_believed_gone_when_missed_twice(server, client):
    rig = Rig(server, client, NODE_POOLS)
    rig.lists = [Said(body=a_page(A_POOL, version=10))]
    rig.watches = [Said(chunks=(), stay_s=0.05)]
    rig.is_gone = True

    await rig.run_until(lambda: len(rig.changes) == 2)
    waiting = rig.mirror.waiting_for()
    rig.is_gone = False
    await rig.run_until(lambda: rig.mirror.is_known(NODE_POOLS))

    # A list, a watch, and then a watch and a list in vain: only then is it gone, and we not ready.
    assert rig.moments == [(1, ()), (4, ("nodepools.karpenter.sh",))]
    assert waiting == ("nodepools.karpenter.sh",)
    assert rig.mirror.waiting_for() == ()
    assert [change.new is None for change in rig.changes] == [False, True]


async def test_a_kind_missed_once_is_kept(server, client):
    rig = Rig(server, client, NODE_POOLS)
    rig.lists = [Said(body=a_page(A_POOL, version=10)), Said(body=a_page(A_POOL, version=11))]
    rig.watches = [Said(404)]

    await rig.run_until(lambda: len(rig.asked("watch")) == 2)

    assert rig.moments == [(1, ())]
    assert rig.names() == ["p"]
    assert rig.mirror.is_known(NODE_POOLS)


async def test_an_optional_kind_that_is_not_served_holds_nobody_up_and_may_come(server, client):
    rig = Rig(server, client, PROVISIONERS)
    rig.is_gone = True

    await rig.run_until(lambda: len(rig.asked("list")) >= 3)
    without = (rig.mirror.waiting_for(), rig.mirror.is_known(PROVISIONERS))
    problem = rig.reflector.vitals.problem
    rig.is_gone = False
    rig.lists = [Said(body=a_page(A_POOL, version=10))]
    await rig.run_until(lambda: rig.names() == ["p"])

    assert without == ((), False)
    assert problem == ""
    assert rig.mirror.is_known(PROVISIONERS)
    assert server.asked[0].path == "/apis/karpenter.sh/v1alpha5/provisioners"


async def test_a_streamed_list_is_taken_when_it_is_complete(server, client):
    rig = Rig(server, client, settings=Settings(stream_lists=True))
    end = {"k8s.io/initial-events-end": "true"}
    rig.watches = [
        Said(
            chunks=(
                a_line("ADDED", a_pod("a", 1)),
                a_line("ADDED", a_pod("b", 2)),
                a_bookmark(5),
                a_line("DELETED", a_pod("a", 6)),
                a_bookmark(10, **end),
                a_line("ADDED", a_pod("c", 11)),
            ),
            stay_s=30,
        )
    ]

    await rig.run_until(lambda: rig.names() == ["b", "c"])

    assert rig.asked("watch")[0]["sendInitialEvents"] == "true"
    assert rig.asked("list") == []


async def test_a_server_that_streams_no_lists_is_asked_for_pages(server, client):
    rig = Rig(server, client, settings=Settings(stream_lists=True))
    rig.lists = [Said(body=a_page(a_pod("a", 1), version=10))]
    rig.watches = [Said(422, body=a_status(422, "Invalid", "sendInitialEvents is forbidden"))]

    await rig.run_until(lambda: rig.names() == ["a"])

    assert "sendInitialEvents" not in rig.asked("watch")[-1] or rig.asked("list")
