import msgspec
import pytest

from builders import a_node, a_node_claim, a_pod
from nodewright.model.metadata import ObjectMeta
from nodewright.model.pod import PodStatus
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS
from nodewright.sim.apiserver import ApiServer, ends_at_ms
from nodewright.sim.chance import Chance
from nodewright.sim.history import History
from nodewright.sim.refusals import Preconditions, Refused

replace = msgspec.structs.replace


class Clock:
    now_ms = 1_767_225_600_000

    def __call__(self):
        return self.now_ms


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def api(clock):
    return ApiServer(clock, Chance(1).stream("api"), History())


def labelled(thing, **labels):
    return replace(thing, metadata=replace(thing.metadata, labels=labels))


def refusal(do):
    with pytest.raises(Refused) as caught:
        do()
    return caught.value.status, caught.value.reason


def test_each_write_gets_the_next_version_and_tells_it(api):
    heard = []
    api.listen(NODES, lambda change: heard.append((change.verb, change.version)))
    node = api.create(NODES, a_node("n"), "me")
    api.update(NODES, labelled(node, a="1"), "me")
    api.delete(NODES, "n", "me")

    assert heard == [("ADDED", 2), ("MODIFIED", 3), ("DELETED", 4)]


def test_a_write_that_changes_nothing_is_none(api):
    node = api.create(NODES, a_node("n"), "me")

    assert api.update(NODES, node, "me").metadata.resource_version == "2"
    assert api.version == 2


def test_an_old_version_conflicts(api):
    first = api.create(NODES, a_node("n"), "me")
    api.update(NODES, labelled(first, a="1"), "me")

    assert refusal(lambda: api.update(NODES, labelled(first, a="2"), "me")) == (409, "Conflict")


def test_another_object_of_the_same_name_is_not_meant(api):
    node = api.create(NODES, a_node("n"), "me")
    api.delete(NODES, "n", "me")
    api.create(NODES, a_node("n"), "me")
    again = replace(node, metadata=replace(node.metadata, resource_version=""))

    assert refusal(lambda: api.update(NODES, again, "me")) == (409, "Conflict")
    gone = Preconditions(uid=node.metadata.uid)
    assert refusal(lambda: api.delete(NODES, "n", "me", gone)) == (409, "Conflict")


def test_a_status_write_changes_nothing_else(api):
    pod = api.create(PODS, a_pod("p"), "me")
    both = replace(labelled(pod, a="1"), status=PodStatus(phase="Running"))
    done = api.update(PODS, both, "me", status=True)

    assert (done.status.phase, "a" in done.metadata.labels) == ("Running", False)


def test_a_running_pod_is_given_its_grace(api, clock):
    api.create(PODS, a_pod("p", node="n"), "me")
    marked = api.delete(PODS, "default/p", "me", grace_s=10)

    assert ends_at_ms(marked.metadata) == clock.now_ms + 10_000
    assert api.get(PODS, "default/p") is not None


def test_a_grace_can_be_shortened_and_not_lengthened(api, clock):
    api.create(PODS, a_pod("p", node="n"), "me")
    api.delete(PODS, "default/p", "me", grace_s=10)
    api.delete(PODS, "default/p", "me", grace_s=100)
    longer = api.need(PODS, "default/p")
    api.delete(PODS, "default/p", "me", grace_s=2)

    assert ends_at_ms(longer.metadata) == clock.now_ms + 10_000
    assert ends_at_ms(api.need(PODS, "default/p").metadata) == clock.now_ms + 2_000


def test_no_grace_at_all_is_the_end(api):
    api.create(PODS, a_pod("p", node="n"), "me")
    api.delete(PODS, "default/p", "me", grace_s=0)

    assert api.get(PODS, "default/p") is None


def test_the_last_finalizer_lets_go(api):
    meta = ObjectMeta(name="n", finalizers=("a", "b"))
    api.create(NODES, replace(a_node("n"), metadata=meta), "me")
    api.delete(NODES, "n", "me")
    for finalizers in (("a",), ()):
        node = api.need(NODES, "n")
        api.update(
            NODES, replace(node, metadata=replace(node.metadata, finalizers=finalizers)), "m"
        )

    assert api.get(NODES, "n") is None


def test_the_spec_of_a_claim_cannot_change(api):
    claim = api.create(NODE_CLAIMS, a_node_claim("c"), "me")
    other = replace(claim, spec=replace(claim.spec, expire_after="1h"))

    assert refusal(lambda: api.update(NODE_CLAIMS, other, "me")) == (422, "Invalid")


def test_a_claim_is_born_without_a_status(api):
    claim = a_node_claim("c")
    claim = replace(claim, status=replace(claim.status, provider_id="aws:///a/i-1"))

    assert api.create(NODE_CLAIMS, claim, "me").status.provider_id == ""


def test_changes_can_be_asked_for_from_a_version_on(api):
    api.create(NODES, a_node("a"), "me")
    since = api.version
    api.create(NODES, a_node("b"), "me")
    api.create(PODS, a_pod("p"), "me")

    assert [change.key for change in api.changes_since(NODES, since)] == ["b"]


def test_a_forgotten_version_is_gone(api):
    api.create(NODES, a_node("a"), "me")
    api.create(NODES, a_node("b"), "me")
    api.compact()

    assert refusal(lambda: api.changes_since(NODES, 2)) == (410, "Expired")
    assert api.changes_since(NODES, api.version) == []


def test_a_name_is_needed(api):
    nameless = replace(a_node("n"), metadata=ObjectMeta())

    assert refusal(lambda: api.create(NODES, nameless, "me")) == (422, "Invalid")


def test_time_is_written_to_the_second(api):
    node = api.create(NODES, a_node("n"), "me")

    assert node.metadata.creation_timestamp == "2026-01-01T00:00:00Z"
