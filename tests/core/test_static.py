"""Static pools: how many claims they get, and which they lose first."""

from builders import a_node, a_pod, a_pool, a_world, want
from builders.lives import MINUTE_MS, a_claim, with_conditions, with_meta, with_spec
from nodewright.core.static import LIMITED_LOOK_MS, draft_static, keep_replicas
from nodewright.model.decision import Delete, Keep, Launch
from nodewright.model.labels import DO_NOT_DISRUPT, INSTANCE_TYPE
from nodewright.model.nodepool import NodeClassRef

GONE = "2026-01-01T00:00:00Z"


def a_static_pool(replicas=3, ready="True", **traits):
    return with_conditions(a_pool(replicas=replicas, **traits), Ready=ready)


def launched(decisions):
    return [one for one in decisions if isinstance(one, Launch)]


def deleted(*things, **options):
    return [
        one.subject.name
        for one in keep_replicas(a_world(*things, **options))
        if isinstance(one, Delete)
    ]


def a_pair(name, age_ms=MINUTE_MS, **annotations):
    node = with_meta(a_node(f"n-{name}", pool="default"), annotations=annotations)
    return node, with_spec(a_claim(name, age_ms=age_ms, true=("Launched",), node=node))


def test_a_pool_grows_to_its_number():
    claims = launched(keep_replicas(a_world(a_static_pool(3), a_claim("c"))))

    assert len({one.claim.metadata.name for one in claims}) == 2
    assert all(one.pods == () for one in claims)


def test_who_sees_the_same_makes_the_same_claims():
    world = a_world(a_static_pool(3))

    assert list(keep_replicas(world)) == list(keep_replicas(world))


def test_a_pool_that_is_not_ready_or_going_does_not_grow():
    for pool in (
        a_static_pool(3, ready="False"),
        a_pool(replicas=3),
        a_static_pool(3, deleted=GONE),
    ):
        assert list(keep_replicas(a_world(pool))) == []


def test_a_pool_of_another_provider_is_left_alone():
    pool = a_static_pool(3)
    template = pool.spec.template
    reference = NodeClassRef(group="eks.amazonaws.com", kind="NodeClass", name="default")
    theirs = with_spec(pool, template=with_spec(template, node_class_ref=reference))

    assert list(keep_replicas(a_world(theirs))) == []


def test_a_shut_gate_stops_everything():
    gates = {"StaticCapacity": False}

    assert list(keep_replicas(a_world(a_static_pool(3), feature_gates=gates))) == []


def test_pools_that_follow_pods_are_none_of_our_business():
    assert list(keep_replicas(a_world(a_pool(), a_claim("c")))) == []


def test_a_node_that_is_being_replaced_counts_as_there():
    claim = with_conditions(a_claim("c", true=("Launched",)), DisruptionReason="True")

    assert list(keep_replicas(a_world(a_static_pool(1), claim))) == []
    assert deleted(a_static_pool(1), claim, a_claim("new")) == []


def test_the_limit_counts_those_that_are_going_too():
    going = a_claim("going", true=("Launched",), deleted=GONE)
    found = list(keep_replicas(a_world(a_static_pool(3, limits={"nodes": "3"}), going)))

    assert len(launched(found)) == 2
    (kept,) = [one for one in found if isinstance(one, Keep)]
    assert kept.look_again_ms == LIMITED_LOOK_MS
    assert "1 more nodes" in kept.note


def test_a_limit_below_what_is_there_makes_nothing():
    found = keep_replicas(a_world(a_static_pool(3, limits={"nodes": "1"}), a_claim("a")))

    assert launched(found) == []


def test_a_claim_says_what_the_template_says_and_names_no_types():
    written = (want("zone", "In", "a", "b"), want("team", "Exists"))
    claim = draft_static(a_static_pool(1, requirements=written), "D-1/0")

    assert claim.spec.requirements == written
    assert claim.metadata.labels["zone"] == "a"
    assert INSTANCE_TYPE not in {one.key for one in claim.spec.requirements}


def test_claims_without_a_machine_go_first_then_empty_nodes():
    busy, empty, unlaunched = a_pair("busy"), a_pair("empty"), a_claim("z-unlaunched")
    pod = a_pod("p", node="n-busy")
    things = (busy, empty, unlaunched, pod, a_pod("d", node="n-empty", owner=("DaemonSet", "d")))

    assert deleted(a_static_pool(2), *things) == ["z-unlaunched"]
    assert deleted(a_static_pool(1), *things) == ["z-unlaunched", "empty"]
    assert deleted(a_static_pool(0), *things) == ["z-unlaunched", "empty", "busy"]


def test_pods_that_ask_to_be_left_alone_keep_their_node_longest():
    held, many = a_pair("held"), a_pair("many")
    mark = {DO_NOT_DISRUPT: "true"}
    things = (
        held, many, a_pod("h", node="n-held", annotations=mark),
        *(a_pod(f"m{number}", node="n-many") for number in range(5)),
    )  # fmt: skip

    assert deleted(a_static_pool(1), *things) == ["many"]


def test_a_node_that_asks_to_be_left_alone_is_not_empty():
    marked, busy = a_pair("marked", **{DO_NOT_DISRUPT: "true"}), a_pair("busy")

    assert deleted(a_static_pool(1), marked, busy, a_pod("p", node="n-busy")) == ["busy"]


def test_of_busy_nodes_the_cheapest_to_empty_goes():
    few, many = a_pair("z-few"), a_pair("a-many")
    pods = (a_pod("f", node="n-z-few"), a_pod("m", node="n-a-many"), a_pod("n", node="n-a-many"))

    assert deleted(a_static_pool(1), few, many, *pods) == ["z-few"]
