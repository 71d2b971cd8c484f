"""Which pods are nominated to which nodes, and when a nomination is taken back."""

from msgspec.structs import replace

from builders import NOW_MS, a_node, a_pod, a_taint, a_world
from builders.lives import a_claim, a_new_node, a_registered_pair, with_status
from nodewright.core.nominations import PATIENCE_MS, find_idle, nominate
from nodewright.model.beside import Beside
from nodewright.model.labels import DISRUPTED_TAINT

LONG_AGO = NOW_MS - PATIENCE_MS


def nominated(pod, node):
    return with_status(pod, nominated_node_name=node)


def written(world, hosts=None, idle_since=None):
    """Give what would be written, by the pod's name."""
    return {
        one.subject.name: one.change["status"]["nominatedNodeName"]
        for one in nominate(world, hosts or {}, idle_since or {})
    }


def test_a_pod_is_nominated_to_an_existing_node_at_once():
    pod = a_pod("p")

    assert written(a_world(pod, a_node("n")), {pod.metadata.uid: "n"}) == {"p": "n"}


def test_a_pod_of_a_claim_is_nominated_once_the_node_exists_under_its_name():
    pod, claim = a_pod("p"), a_claim("c", true=("Launched",))
    hosts = {pod.metadata.uid: "c"}

    assert written(a_world(pod, claim), hosts) == {}
    assert written(a_world(pod, claim, a_new_node(claim, name="ip-1")), hosts) == {"p": "ip-1"}


def test_the_nomination_goes_to_the_status_of_the_very_pod():
    pod = a_pod("p")
    (change,) = nominate(a_world(pod, a_node("n")), {pod.metadata.uid: "n"}, {})

    assert (change.on_status, change.subject.uid) == (True, pod.metadata.uid)


def test_nobody_is_nominated_to_a_node_that_goes():
    pod = a_pod("p")
    hosts = {pod.metadata.uid: "n"}

    for going in (
        a_node("n", taints=(a_taint(DISRUPTED_TAINT),)),
        a_node("n", deleted="2026-01-01T00:00:00Z"),
    ):
        assert written(a_world(pod, going), hosts) == {}


def test_bound_finished_and_leaving_pods_are_left_alone():
    pods = (
        a_pod("bound", node="n"),
        a_pod("over", phase="Succeeded"),
        a_pod("leaving", deleted="2026-01-01T00:00:00Z"),
    )
    hosts = {pod.metadata.uid: "n" for pod in pods}

    assert written(a_world(*pods, a_node("n")), hosts) == {}


def test_who_is_nominated_already_stays_so_while_it_may_still_come_true():
    pod = nominated(a_pod("p"), "other")
    hosts = {pod.metadata.uid: "n"}

    assert written(a_world(pod, a_node("n"), a_node("other")), hosts) == {}


def test_a_nomination_to_a_node_that_goes_is_taken_back_at_once():
    node = a_node("n", taints=(a_taint(DISRUPTED_TAINT),))

    assert written(a_world(nominated(a_pod("p"), "n"), node)) == {"p": None}


def test_a_nomination_that_leads_nowhere_is_taken_back_after_a_while():
    pod = nominated(a_pod("p"), "n")
    world = a_world(pod, a_node("n"))

    assert written(world, idle_since={pod.metadata.uid: LONG_AGO + 1}) == {}
    assert written(world, idle_since={pod.metadata.uid: LONG_AGO}) == {"p": None}


def test_idle_begins_when_the_node_works():
    pod = nominated(a_pod("p"), "node")
    uid = pod.metadata.uid
    starting = a_registered_pair()
    working = a_registered_pair(true=("Launched", "Registered", "Initialized"))

    assert find_idle(a_world(pod, *starting), {}, {}) == {}
    assert find_idle(a_world(pod, *working), {}, {}) == {uid: NOW_MS}
    assert find_idle(a_world(pod, *working), {uid: 7}, {}) == {uid: 7}


def test_a_node_on_which_pods_make_room_is_waited_for():
    pod = nominated(a_pod("p"), "n")
    victim = a_pod("victim", node="n", deleted="2026-01-01T00:00:00Z")

    assert find_idle(a_world(pod, victim, a_node("n")), {}, {}) == {}


def test_the_more_pods_wait_for_the_scheduler_the_longer_each_may_take():
    pod = nominated(a_pod("p"), "n")
    world = replace(a_world(pod, a_node("n")), beside=Beside(waiting_count=2_500))
    uid = pod.metadata.uid

    assert written(world, idle_since={uid: NOW_MS - 49_999}) == {}
    assert written(world, idle_since={uid: NOW_MS - 50_000}) == {"p": None}


def test_a_node_that_is_gone_is_not_waited_for_by_who_nominated_to_it():
    pod = nominated(a_pod("p"), "gone")
    uid = pod.metadata.uid

    assert find_idle(a_world(pod), {}, {}) == {uid: NOW_MS}
    assert find_idle(a_world(pod), {}, {uid: "gone"}) == {uid: 0}
