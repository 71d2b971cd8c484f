"""The mirror holds what it was told, indexed, and gives what changed."""

from hypothesis import given
from hypothesis import strategies as st

from builders import a_node
from builders.lives import a_claim, with_conditions, with_meta, with_spec, with_status
from nodewright.model.command import COMMAND
from nodewright.model.labels import DISRUPTED_TAINT
from nodewright.model.metadata import ObjectMeta, OwnerReference, Taint
from nodewright.model.pod import Pod, PodSpec
from nodewright.model.resource import (
    CAPACITY_BUFFERS,
    NODE_CLAIMS,
    NODE_POOLS,
    NODES,
    PODS,
    key_of,
)
from nodewright.state.mirror import (
    BY_MARK,
    BY_NAMESPACE,
    BY_NODE,
    BY_NOMINATED,
    BY_OWNER,
    BY_UNFINISHED,
    BY_WAITING,
    YES,
    Mirror,
    Unreadable,
)


def a_pod(name, node="", *, version="1", owner="", namespace="default", uid=""):
    owners = (OwnerReference("ReplicaSet", "web", uid=owner),) if owner else ()
    meta = ObjectMeta(
        name=name,
        namespace=namespace,
        uid=uid or name,
        resource_version=version,
        owner_references=owners,
    )
    return Pod(meta, PodSpec(node_name=node))


def names(pods):
    return [pod.metadata.name for pod in pods]


def test_a_pod_is_found_by_name_node_owner_and_namespace():
    mirror = Mirror()
    pod = a_pod("a", "n1", owner="u1")
    mirror.put(PODS, pod, "5")

    assert mirror.get(PODS, "default/a") == pod
    assert mirror.find(PODS, BY_NODE, "n1") == (pod,)
    assert mirror.find(PODS, BY_OWNER, "u1") == (pod,)
    assert mirror.find(PODS, BY_NAMESPACE, "default") == (pod,)
    assert mirror.version(PODS) == "5"


def test_a_pod_that_moves_leaves_its_old_node():
    mirror = Mirror()
    mirror.put(PODS, a_pod("a", "n1"), "1")
    change = mirror.put(PODS, a_pod("a", "n2", version="2"), "2")

    assert mirror.find(PODS, BY_NODE, "n1") == ()
    assert names(mirror.find(PODS, BY_NODE, "n2")) == ["a"]
    assert change.old.spec.node_name == "n1"
    assert change.new.spec.node_name == "n2"


def test_a_removed_pod_is_in_no_index():
    mirror = Mirror()
    mirror.put(PODS, a_pod("a", "n1", owner="u1"), "1")
    change = mirror.remove(PODS, "default/a", "2")

    assert change.new is None
    assert mirror.all(PODS) == ()
    assert mirror.find(PODS, BY_NODE, "n1") == mirror.find(PODS, BY_OWNER, "u1") == ()


def test_a_list_gives_only_what_it_changes():
    mirror = Mirror()
    mirror.replace(PODS, [a_pod("a"), a_pod("b"), a_pod("c")], "1")
    changes = mirror.replace(PODS, [a_pod("a"), a_pod("b", version="2"), a_pod("d")], "3")

    assert {c.key: (c.old is not None, c.new is not None) for c in changes} == {
        "default/b": (True, True),
        "default/c": (True, False),
        "default/d": (False, True),
    }


def test_a_pod_made_again_under_its_name_is_a_change():
    mirror = Mirror()
    mirror.replace(PODS, [a_pod("a", uid="first")], "1")

    (change,) = mirror.replace(PODS, [a_pod("a", uid="second")], "2")

    assert (change.old.metadata.uid, change.new.metadata.uid) == ("first", "second")


def test_an_unreadable_object_hides_its_older_self_until_it_can_be_read():
    mirror = Mirror()
    mirror.put(PODS, a_pod("a"), "1")
    broken = Unreadable("default/a", "2", "spec: expected an object")
    mirror.put(PODS, broken, "2")
    hidden = mirror.all(PODS)
    shown = mirror.unreadable(PODS)
    mirror.put(PODS, a_pod("a", version="3"), "3")

    assert hidden == ()
    assert shown == (broken,)
    assert names(mirror.all(PODS)) == ["a"]
    assert mirror.unreadable(PODS) == ()


def test_a_kind_is_synced_by_its_first_list_only():
    mirror = Mirror((PODS, NODE_POOLS))
    mirror.put(PODS, a_pod("a"), "1")
    before = mirror.waiting_for()
    mirror.replace(PODS, [], "1")

    assert before == ("pods", "nodepools.karpenter.sh")
    assert mirror.waiting_for() == ("nodepools.karpenter.sh",)


def test_a_missing_kind_holds_back_only_where_it_is_needed():
    mirror = Mirror((CAPACITY_BUFFERS, NODE_POOLS))
    mirror.replace(CAPACITY_BUFFERS, (), "", absent=True)
    mirror.replace(NODE_POOLS, (), "", absent=True)

    assert mirror.waiting_for() == mirror.missing() == ("nodepools.karpenter.sh",)
    assert not mirror.is_known(CAPACITY_BUFFERS)
    mirror.replace(NODE_POOLS, (), "7")
    assert mirror.waiting_for() == mirror.missing() == ()
    assert mirror.is_known(NODE_POOLS)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "remove", "list"]),
        st.sampled_from("abc"),
        st.sampled_from(["", "n1", "n2"]),
    ),
    max_size=30,
)


@given(STEPS)
def test_whatever_happens_the_indexes_say_what_the_objects_say(steps):
    mirror = Mirror((PODS,))
    replica = {}
    for number, (verb, name, node) in enumerate(steps, 1):
        pod = a_pod(name, node, version=str(number), owner=f"owner-of-{name}")
        match verb:
            case "put":
                changes = [mirror.put(PODS, pod, str(number))]
            case "remove":
                changes = [mirror.remove(PODS, key_of(pod.metadata), str(number))]
            case _:
                changes = mirror.replace(PODS, [pod], str(number))
        for change in changes:
            if change is None:
                continue
            assert replica.get(change.key) == change.old
            replica.pop(change.key, None)
            if change.new is not None:
                replica[change.key] = change.new

    pods = mirror.all(PODS)
    assert {key_of(pod.metadata): pod for pod in pods} == replica
    for node in ("n1", "n2"):
        on_node = [pod for pod in pods if pod.spec.node_name == node]
        assert list(mirror.find(PODS, BY_NODE, node)) == on_node
    for name in "abc":
        owned = [pod for pod in pods if pod.metadata.name == name]
        assert list(mirror.find(PODS, BY_OWNER, f"owner-of-{name}")) == owned


def test_pods_that_wait_are_found_by_uid_and_by_the_node_they_are_promised():
    mirror = Mirror()
    pod = a_pod("p")
    uid = pod.metadata.uid
    promised = with_status(pod, nominated_node_name="n")
    mirror.replace(PODS, [pod], "1")
    assert (mirror.values(PODS, BY_WAITING), mirror.values(PODS, BY_NOMINATED)) == ((uid,), ())

    mirror.put(PODS, promised, "2")
    assert mirror.find(PODS, BY_NOMINATED, "n") == mirror.find(PODS, BY_WAITING, uid) == (promised,)

    mirror.put(PODS, with_spec(promised, node_name="n"), "3")
    assert mirror.values(PODS, BY_WAITING) == mirror.values(PODS, BY_NOMINATED) == ()


def test_claims_are_unfinished_until_their_node_works_or_they_go():
    mirror = Mirror()
    coming = a_claim("coming", true=("Launched", "Registered"))
    doubtful = with_conditions(a_claim("doubtful"), Initialized="Unknown")
    going = with_meta(a_claim("going"), deletion_timestamp="2026-01-01T00:00:00Z")
    for claim in (coming, doubtful, going, a_claim("there", true=("Initialized",))):
        mirror.put(NODE_CLAIMS, claim, "1")

    assert mirror.find(NODE_CLAIMS, BY_UNFINISHED, YES) == (coming, doubtful)

    mirror.put(NODE_CLAIMS, with_conditions(coming, Initialized="True"), "2")
    assert mirror.find(NODE_CLAIMS, BY_UNFINISHED, YES) == (doubtful,)


def test_what_is_marked_to_go_is_found_until_it_is_deleted():
    mirror = Mirror()
    recorded = with_meta(a_claim("recorded"), annotations={COMMAND: "{}"})
    told = with_conditions(a_claim("told"), DisruptionReason="True")
    for claim in (recorded, told, a_claim("staying")):
        mirror.put(NODE_CLAIMS, claim, "1")
    tainted = a_node("tainted", taints=(Taint(key=DISRUPTED_TAINT, effect="NoSchedule"),))
    for node in (tainted, a_node("free")):
        mirror.put(NODES, node, "1")

    assert mirror.find(NODE_CLAIMS, BY_MARK, YES) == (recorded, told)
    assert mirror.find(NODES, BY_MARK, YES) == (tainted,)

    mirror.put(NODES, with_meta(tainted, deletion_timestamp="2026-01-01T00:00:00Z"), "2")
    assert mirror.count_values(NODES, BY_MARK) == 0
