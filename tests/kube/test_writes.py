"""Acts are limited, guarded, tried again where that is safe, and answered with values."""

import pytest

from kube.said import a_status
from kube.scripted import Said
from nodewright.kube.events import Recorder
from nodewright.kube.limiter import Limiter
from nodewright.kube.writes import ATTEMPTS_MAX, Writer
from nodewright.model.metadata import ObjectMeta
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, PODS, Ref
from nodewright.ports.kube import Notice, Options, Outcome

CLAIM = NodeClaim(ObjectMeta(name="c"))
REF = Ref(NODE_CLAIMS, "c", uid="u1")
POD = Ref(PODS, "p", "ns", "u2")
DONE = Said(201, {"metadata": {"name": "c", "uid": "u1", "resourceVersion": "7"}})

REFUSED = Said(403, a_status(403, "Forbidden"))
# An answer that promises more than comes: the connection breaks.
BROKEN = Said(200, b"", {"Content-Length": "5"}, chunks=())


@pytest.fixture
def leads():
    return [True]


@pytest.fixture
def writer(client, clock, leads):
    limiter = Limiter(clock)
    return Writer(client, limiter, Recorder(client, limiter, "test"), lambda: leads[0])


def script(server, *said):
    """Answer with these, one after the other, and with the last for ever."""
    rest = list(said)
    server.answer = lambda _: rest.pop(0) if len(rest) > 1 else rest[0]


async def test_a_creation_writes_the_kind_and_gives_the_version(server, writer):
    script(server, DONE)

    answer = await writer.create(NODE_CLAIMS, CLAIM)

    (asked,) = server.asked
    assert (answer.outcome, answer.version, answer.uid) == (Outcome.DONE, "7", "u1")
    assert asked.json["kind"] == "NodeClaim"
    assert asked.json["apiVersion"] == "karpenter.sh/v1"
    assert (asked.method, asked.path) == ("POST", "/apis/karpenter.sh/v1/nodeclaims")


async def test_guards_go_with_every_kind_of_change(server, writer):
    script(server, DONE)
    options = Options(if_version="5", subresource="status")
    await writer.patch(REF, {"metadata": {"labels": {"a": "b"}}}, options)
    await writer.patch_list(REF, [{"op": "remove", "path": "/x"}], Options(if_version="5"))
    await writer.delete(REF, Options(if_version="5", grace_s=0))
    await writer.evict(POD, Options(grace_s=30))

    patch, steps, delete, evict = server.asked
    assert patch.path.endswith("/nodeclaims/c/status")
    assert patch.json["metadata"] == {"labels": {"a": "b"}, "uid": "u1", "resourceVersion": "5"}
    assert [step["op"] for step in steps.json] == ["test", "replace", "remove"]
    assert delete.json["preconditions"] == {"uid": "u1", "resourceVersion": "5"}
    assert delete.json["gracePeriodSeconds"] == 0
    assert evict.path == "/api/v1/namespaces/ns/pods/p/eviction"
    assert evict.json["deleteOptions"]["preconditions"] == {"uid": "u2"}


async def test_the_pods_of_a_node_are_listed_from_what_is_stored(server, writer, leads):
    pod = {"metadata": {"name": "p", "namespace": "ns"}, "spec": {"nodeName": "n"}}
    script(server, Said(200, {"metadata": {"resourceVersion": "9"}, "items": [pod]}))
    (found,) = await writer.list_pods("n")

    (asked,) = server.asked
    assert (asked.path, asked.params) == ("/api/v1/pods", {"fieldSelector": "spec.nodeName=n"})
    assert (found.metadata.name, found.spec.node_name) == ("p", "n")
    leads[0] = False
    assert (await writer.list_pods("n")).outcome is Outcome.NOT_LEADER


@pytest.mark.parametrize("said", [Said(500, a_status(500)), BROKEN, Said(200, b"{")])
async def test_pods_that_cannot_be_listed_are_not_taken_for_none(server, writer, said):
    script(server, said)

    assert (await writer.list_pods("n")).outcome is Outcome.UNREACHABLE


async def test_trouble_is_tried_again_and_then_told(server, writer, clock):
    script(server, Said(503), Said(429, headers={"Retry-After": "2"}), DONE)
    answer = await writer.create(NODE_CLAIMS, CLAIM)
    waited = list(clock.slept)
    script(server, Said(500, a_status(500, message="boom")))
    lost = await writer.create(NODE_CLAIMS, CLAIM)

    assert answer.outcome is Outcome.DONE
    assert waited[1] >= 2000
    assert (lost.outcome, lost.message) == (Outcome.UNREACHABLE, "boom")
    assert len(server.asked) == 3 + ATTEMPTS_MAX


async def test_a_long_wait_is_handed_to_the_one_who_asked(server, writer):
    script(server, Said(429, headers={"Retry-After": "60"}))

    answer = await writer.create(NODE_CLAIMS, CLAIM)

    assert (answer.outcome, answer.retry_after_ms) == (Outcome.BUSY, 60_000)
    assert len(server.asked) == 1


async def test_who_no_longer_leads_does_nothing(server, writer, leads):
    leads[0] = False
    answer = await writer.delete(REF)

    assert answer.outcome is Outcome.NOT_LEADER
    assert server.asked == []


async def test_leadership_is_asked_for_before_each_attempt(server, writer, leads):
    def answer(_):
        leads[0] = False
        return Said(503)

    server.answer = answer
    told = await writer.delete(REF)

    assert told.outcome is Outcome.NOT_LEADER
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (Said(409, a_status(409, "AlreadyExists")), Outcome.EXISTS),
        (Said(409, a_status(409, "Conflict")), Outcome.CONFLICT),
        (Said(404, a_status(404, "NotFound")), Outcome.NOT_FOUND),
        (Said(403, a_status(403, "Forbidden")), Outcome.FORBIDDEN),
        (Said(422, a_status(422, "Invalid", "spec.x: wrong")), Outcome.INVALID),
        (Said(400, a_status(400, "BadRequest")), Outcome.INVALID),
        (Said(413, a_status(413)), Outcome.TOO_LARGE),
        (Said(500, a_status(500, message="etcdserver: request is too large")), Outcome.TOO_LARGE),
        (Said(429, a_status(429, causes=({"reason": "DisruptionBudget"},))), Outcome.BLOCKED),
        (
            Said(500, a_status(500, message="This pod has more than one PodDisruptionBudget")),
            Outcome.BLOCKED,
        ),
        (Said(404, b"404 page not found"), Outcome.NOT_FOUND),
        (Said(200, {"kind": "Status", "status": "Success"}), Outcome.DONE),
    ],
)
async def test_each_expected_answer_has_its_outcome(server, writer, said, wanted):
    script(server, said)

    answer = await writer.evict(POD)

    assert answer.outcome is wanted
    assert len(server.asked) == 1


async def test_a_refusal_by_a_server_that_has_just_started_is_not_believed(server, writer, clock):
    script(server, BROKEN, REFUSED)
    starting = await writer.evict(POD)
    asked_count = len(server.asked)
    clock.ticks += 60_000
    settled = await writer.evict(POD)

    assert starting.outcome is Outcome.BUSY
    assert "refuses everybody" in starting.message
    assert asked_count == ATTEMPTS_MAX
    assert settled.outcome is Outcome.FORBIDDEN


async def test_a_finalizer_rests_on_the_version_it_was_read_at(server, writer):
    script(server, DONE)
    meta = ObjectMeta(name="c", uid="u1", resource_version="3", finalizers=("a", "b"))
    claim = NodeClaim(meta)
    none = await writer.add_finalizer(REF, claim, "a")
    also_none = await writer.remove_finalizer(REF, claim, "z")
    await writer.add_finalizer(REF, claim, "c")
    await writer.remove_finalizer(REF, claim, "a")

    added, removed = server.asked
    assert none.outcome is also_none.outcome is Outcome.NOTHING_TO_DO
    assert added.json["metadata"] == {
        "finalizers": ["a", "b", "c"], "uid": "u1", "resourceVersion": "3",
    }  # fmt: skip
    assert removed.json["metadata"]["finalizers"] == ["b"]


async def test_a_published_notice_goes_to_the_recorder(writer):
    notice = Notice(REF, "Launched", "it is there")

    assert [writer.publish(notice), writer.publish(notice)] == [True, False]
