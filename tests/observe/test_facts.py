"""What a line says of objects: their names and places, and no more."""

from builders import a_node, a_node_claim, a_pod, a_world
from nodewright.model.decision import Evict
from nodewright.model.resource import NODES, PODS, refer
from nodewright.observe.facts import Claims, describe_claim, describe_work, name_it, shorten


def test_many_names_are_shortened_and_the_rest_is_counted():
    assert shorten([]) == ""
    assert shorten("abcde") == "a, b, c, d, e"
    assert shorten("abcdefg") == "a, b, c, d, e and 2 other(s)"
    assert shorten("abc", 1) == "a and 2 other(s)"


def test_an_object_is_named_under_its_kind():
    assert name_it(refer(PODS, a_pod("p", namespace="shop"))) == {
        "Pod": {"namespace": "shop", "name": "p"}
    }
    assert name_it(refer(NODES, a_node("n"))) == {"Node": {"name": "n"}}


def test_a_look_without_claims_forgets_none():
    claims = Claims()
    claims.see(a_world(a_node_claim("one")))
    claims.see(a_world())

    assert claims.find("one") == a_node_claim("one")
    assert claims.find("two") is None


def test_the_next_look_with_claims_replaces_the_last():
    claims = Claims()
    claims.see(a_world(a_node_claim("one")))
    assert claims.find("one") is not None
    claims.see(a_world(a_node_claim("two")))

    assert claims.find("one") is None


def test_a_claim_without_a_machine_has_its_pool_and_zone_only():
    claim = a_node_claim(labels={"token": "x"})
    bare = describe_claim(type(claim)(metadata=claim.metadata))

    assert bare == {"NodePool": {"name": "default"}, "zone": "zone-a"}


def test_work_on_pods_brings_no_facts_of_its_own():
    evict = Evict(subject=refer(PODS, a_pod()), reason="Drain", node=refer(NODES, a_node()))

    assert describe_work(evict, Claims()) == {}
