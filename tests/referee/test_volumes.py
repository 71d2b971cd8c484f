"""Volumes: where they can be reached from, and by how many pods."""

import pytest

from builders import (
    a_node,
    a_plan,
    a_planned_node,
    a_pod,
    a_storage_class,
    a_type,
    a_volume,
    a_volume_claim,
    a_world,
)
from referee import judge


def rules(world, *nodes, **extra):
    return {found.rule for found in judge(world, a_plan(*nodes, **extra))}


def test_a_bound_volume_pins_its_pod_to_its_zone():
    claim, volume = a_volume_claim(volume="volume"), a_volume(zones=["zone-b"])
    pod, kind = a_pod(claims=[claim]), a_type()
    world = a_world(pod, kind, claim, volume)
    assert rules(world, a_planned_node([pod], [kind], zone="zone-b")) == set()
    assert rules(world, a_planned_node([pod], [kind], zone="zone-a")) == {"volume"}
    assert rules(world, a_planned_node([pod], [kind])) == {"volume"}


def test_a_volume_of_two_zones_lets_the_node_choose():
    claim, volume = a_volume_claim(volume="volume"), a_volume(zones=["zone-a", "zone-b"])
    pod, kind = a_pod(claims=[claim]), a_type(zones=["zone-a", "zone-b"])
    assert rules(a_world(pod, kind, claim, volume), a_planned_node([pod], [kind])) == set()


def test_an_unbound_claim_follows_its_class():
    claim, sort = a_volume_claim(), a_storage_class(zones=["zone-c"])
    pod, node = a_pod(claims=[claim]), a_node(zone="zone-a")
    world = a_world(pod, node, claim, sort)
    assert rules(world, existing={"node": [pod]}) == {"volume"}


@pytest.mark.parametrize(
    "things",
    [
        (),
        (a_volume_claim(),),
        (a_volume_claim(volume="lost"),),
        (a_volume_claim(), a_storage_class(binding="Immediate")),
    ],
)
def test_a_pod_whose_volume_cannot_be_had_is_not_placed(things):
    pod, kind = a_pod(claims=["data"]), a_type()
    assert rules(a_world(pod, kind, *things), a_planned_node([pod], [kind])) == {"volume"}


def test_a_volume_for_one_pod_is_not_shared():
    claim = a_volume_claim(modes=["ReadWriteOncePod"])
    one, two = (a_pod(name, claims=[claim]) for name in ("one", "two"))
    node, sort = a_node(), a_storage_class()
    world = a_world(one, two, node, claim, sort)
    assert rules(world, existing={"node": [one, two]}) == {"single-use volume"}
    assert rules(world, existing={"node": [one]}, left_out=[two]) == set()
