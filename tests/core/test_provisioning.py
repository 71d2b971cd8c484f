"""From a plan to claims, nominations and refusals."""

from builders import (
    a_daemon_pod,
    a_node,
    a_plan,
    a_planned_node,
    a_pod,
    a_pool,
    a_taint,
    a_type,
    a_world,
    want,
)
from nodewright.core.provisioning import (
    TYPES_MAX,
    carry_out,
    draft_claim,
    is_answered,
    leaving,
    provision,
    waits,
)
from nodewright.model.hashing import HASH_VERSION, NODEPOOL_HASH_VERSION
from nodewright.model.labels import (
    CAPACITY_TYPE,
    DISRUPTED_TAINT,
    INSTANCE_TYPE,
    NODEPOOL,
    TERMINATION_FINALIZER,
)
from nodewright.model.metadata import Condition
from nodewright.model.requirements import Requirements

UNSCHEDULABLE = Condition(type="PodScheduled", status="False", reason="Unschedulable")
TYPE = a_type("small", cpu=4)
POOL = a_pool(labels={"team": "a"}, taints=(a_taint("own"),))


def a_claim_for(*pods, types=(TYPE,), pool=POOL, **traits):
    node = a_planned_node(pods or [a_pod("p", cpu=1)], types, **traits)
    return draft_claim(node, pool, "D-1/0", {"default": tuple(types)})


def waiting(name="p", **traits):
    return a_pod(name, conditions=(UNSCHEDULABLE,), **traits)


def requirement(claim, key):
    return next(one for one in claim.spec.requirements if one.key == key)


def test_only_pods_that_the_scheduler_gave_up_on_are_planned_for():
    assert waits(waiting())
    gated = Condition(type="PodScheduled", status="False", reason="SchedulingGated")
    for pod in (
        a_pod(),
        a_pod(conditions=(gated,)),
        waiting(gates=("hold",)),
        waiting(node="n"),
        waiting(owner=("DaemonSet", "agent")),
        waiting(owner=("Node", "n")),
    ):
        assert not waits(pod)


def test_daemon_pods_without_room_are_answered_and_not_planned_for():
    assert is_answered(waiting())
    assert is_answered(a_daemon_pod())
    assert not waits(a_daemon_pod())
    assert not is_answered(a_daemon_pod(conditions=()))


def test_nodes_that_are_going_away_open_a_batch_too():
    node = a_node("n", taints=(a_taint(DISRUPTED_TAINT),))

    assert leaving([node, a_node("other")]) == ["uid-n"]


def test_a_claim_carries_what_its_pool_says():
    claim = a_claim_for()
    meta = claim.metadata

    assert meta.labels[NODEPOOL] == "default"
    assert meta.labels["team"] == "a"
    assert meta.finalizers == (TERMINATION_FINALIZER,)
    assert meta.annotations[NODEPOOL_HASH_VERSION] == HASH_VERSION
    assert (meta.owner_references[0].kind, meta.owner_references[0].name) == ("NodePool", "default")
    assert [one.key for one in claim.spec.taints] == ["own"]
    assert claim.spec.resources.requests["cpu"] == "1"


def test_the_name_follows_from_the_decision_and_the_place():
    node = a_planned_node([a_pod()], [TYPE])
    names = {
        draft_claim(node, POOL, decision, {}).metadata.name
        for decision in ("D-1/0", "D-1/0", "D-1/1", "D-2/0")
    }

    assert len(names) == 3
    assert all(name.startswith("default-") for name in names)


def test_a_long_pool_name_leaves_room_for_the_rest():
    node = a_planned_node([a_pod()], [TYPE], pool="x" * 63)
    claim = draft_claim(node, a_pool("x" * 63), "D-1/0", {})

    assert len(claim.metadata.name) <= 63


def test_types_are_named_up_to_a_limit_cheapest_first():
    types = [a_type(f"t{number:04}", cpu=4, price=1 + number) for number in range(TYPES_MAX + 5)]
    values = requirement(a_claim_for(types=types), INSTANCE_TYPE).values

    assert len(values) == TYPES_MAX
    assert "t0000" in values
    assert f"t{TYPES_MAX + 4:04}" not in values


def test_capacity_types_are_those_that_can_be_had():
    assert requirement(a_claim_for(), CAPACITY_TYPE).values == tuple(
        sorted({one.capacity_type for one in TYPE.offerings})
    )


def test_an_own_label_that_may_be_anything_gets_a_value():
    claim = a_claim_for(requirements=[want("team-x", "Exists"), want("low", "Gt", "4")])

    assert claim.metadata.labels["team-x"].isdecimal()
    assert claim.metadata.labels["low"] == "5"


def test_a_claim_allows_just_what_the_plan_does():
    claim = a_claim_for(zone="zone-a")
    read = Requirements.from_expressions(claim.spec.requirements)

    assert read.labels()["topology.kubernetes.io/zone"] == "zone-a"


def test_everybody_is_told_and_new_nodes_are_launched():
    new, old, left = (waiting(name, cpu=1) for name in ("new", "old", "left"))
    plan = a_plan(a_planned_node([new], [TYPE]), existing={"n": [old]}, left_out=[left])
    found = list(carry_out(a_world(new, old, left, TYPE), plan))

    assert [(one.kind, one.subject.name) for one in found][1:] == [
        ("Nominate", "new"),
        ("Nominate", "old"),
        ("Refuse", "left"),
    ]
    assert found[0].pods == (new.metadata.uid,)
    assert found[1].host == found[0].claim.metadata.name
    assert "NW-1001" in found[3].note


def test_the_same_world_gives_the_same_claims():
    world = a_world(
        *(waiting(f"p{number}", cpu=1) for number in range(5)), TYPE, pending_rule="live"
    )

    first, second = provision(world), provision(world)

    assert first == second
    assert [one.kind for one in first].count("Launch") >= 1


def test_a_pod_that_opted_out_is_left_alone_silently():
    pod = waiting(terms=[[want(NODEPOOL, "DoesNotExist")]])

    assert provision(a_world(pod, TYPE, pending_rule="live")) == []
