"""Garbage: what has lost its other half goes, and nothing else."""

from builders import NOW_MS, a_world
from builders.lives import a_claim, a_registered_pair, kinds_of, with_conditions
from nodewright.core.garbage import ORPHAN_MS, collect
from nodewright.model.cloudview import CloudView, SeenMachine


def seen(provider_id="fake:///n", claim="", age_ms=ORPHAN_MS + 1, is_alive=True):
    return SeenMachine(provider_id, claim, NOW_MS - age_ms, is_alive)


def found(*things, machines=()):
    return list(collect(a_world(*things), CloudView(machines=machines)))


def test_a_machine_without_a_claim_is_ended_after_a_while():
    assert [one.provider_id for one in found(machines=(seen(),))] == ["fake:///n"]
    assert found(machines=(seen(age_ms=ORPHAN_MS),)) == []
    assert found(machines=(seen(is_alive=False),)) == []


def test_a_machine_whose_claim_has_not_written_it_down_yet_is_no_orphan():
    assert found(a_claim("c"), machines=(seen(claim="c"),)) == []


def test_a_second_machine_of_a_claim_is_an_orphan():
    _, claim = a_registered_pair("n")
    twin = seen("fake:///twin", claim=claim.metadata.name)

    assert [one.provider_id for one in found(claim, machines=(seen(), twin))] == ["fake:///twin"]


def test_an_orphans_node_goes_with_it():
    node, _ = a_registered_pair("n")

    assert kinds_of(found(node, machines=(seen(claim="c"),))) == [("End", "c"), ("Delete", "n")]


def test_a_claim_whose_machine_is_gone_is_deleted():
    _, claim = a_registered_pair("n")

    assert kinds_of(found(claim)) == [("Delete", "claim-of-n")]


def test_a_ready_node_protects_its_claim():
    node, claim = a_registered_pair("n")

    assert found(node, claim) == []
    assert kinds_of(found(with_conditions(node, Ready="Unknown"), claim)) == [
        ("Delete", "claim-of-n")
    ]


def test_a_claim_that_has_not_registered_is_left_to_its_time_out():
    assert found(a_claim(true=("Launched",))) == []


def test_a_node_that_has_neither_machine_nor_claim_goes():
    node, _ = a_registered_pair("n")

    assert kinds_of(found(with_conditions(node, Ready="False"))) == [("Delete", "n")]


def test_nothing_is_collected_where_the_cloud_did_not_answer():
    _, claim = a_registered_pair("n")

    assert list(collect(a_world(claim), CloudView())) == []
