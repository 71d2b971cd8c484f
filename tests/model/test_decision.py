"""Decisions: the same one has the same name, and rests on versions."""

import msgspec

from builders import a_node, a_pod
from builders.lives import with_meta
from nodewright.model.decision import Change, Delete, Evict, Release, describe, rest_on
from nodewright.model.resource import NODES, PODS, refer


def a_delete(node, reason="expired"):
    return Delete(subject=refer(NODES, node), reason=reason, basis=rest_on((NODES, node)))


def test_the_same_decision_on_the_same_basis_has_the_same_name():
    node = with_meta(a_node(), resource_version="5")

    assert a_delete(node).id == a_delete(node).id


def test_another_version_or_reason_is_another_decision():
    old, new = (with_meta(a_node(), resource_version=version) for version in ("5", "6"))

    assert len({a_delete(old).id, a_delete(new).id, a_delete(old, "orphan").id}) == 3


def test_what_is_not_there_is_no_basis():
    node = with_meta(a_node("n"), resource_version="5")

    assert rest_on((NODES, node), (PODS, None)) == (("nodes/n", "5"),)


def test_a_decision_names_its_kind():
    pod, node = a_pod(), a_node()

    assert Evict(subject=refer(PODS, pod), reason="Drain", node=refer(NODES, node)).kind == "Evict"


def test_who_decides_and_what_is_written_make_the_name_and_how_we_came_to_it_does_not():
    node = with_meta(a_node(), resource_version="5")
    plain = a_delete(node)
    ours, theirs, asked = (
        msgspec.structs.replace(plain, **change)
        for change in ({"controller": "a"}, {"controller": "b"}, {"grace_s": 3})
    )

    assert len({plain.id, ours.id, theirs.id, asked.id}) == 4
    assert msgspec.structs.replace(ours, cause="time", note="it is old").id == ours.id


def test_a_change_is_told_from_another_by_what_it_writes():
    node = refer(NODES, a_node())
    first, second = (
        Change(subject=node, reason="Told", change={"metadata": {"labels": {"a": value}}})
        for value in "xy"
    )

    assert first.id != second.id


def test_a_decision_is_written_in_plain_words():
    node = with_meta(a_node("n"), resource_version="5")
    release = Release(subject=refer(NODES, node), reason="Drained", thing=node)

    assert describe(release) == {
        "kind": "Release",
        "subject": "nodes/n",
        "uid": node.metadata.uid,
        "reason": "Drained",
        "note": "",
        "basis": (),
        "cause": "",
        "controller": "",
        "thing": "5",
    }
