"""Volumes: a pod runs where its volumes are, and only if they can be used at all."""

import msgspec
import pytest

from builders import (
    DRIVER,
    a_csi_node,
    a_managed_node,
    a_node,
    a_pod,
    a_spread,
    a_storage_class,
    a_type,
    a_volume,
    a_volume_claim,
    a_world,
    pods,
    want,
)
from builders.solving import codes_of, home_of, plan_of, zone_of
from nodewright.core.scheduling.rules.volumes import (
    NO_VOLUMES,
    Storage,
    VolumeNeeds,
    full_driver,
)
from nodewright.model.cause import Cause
from nodewright.model.labels import HOSTNAME, ZONE
from nodewright.model.metadata import NodeSelectorTerm
from nodewright.model.pod import EphemeralVolume, PodVolume
from nodewright.model.volume import PersistentVolumeClaimStatus, VolumeNodeAffinity
from nodewright.model.volume import VolumeNodeSelector as Terms
from nodewright.model.wording import sentence

GONE = "2026-11-15T08:00:00Z"


def needs_of(pod, *things):
    return Storage(a_world(*things)).needs(pod)


def zones(needs):
    assert isinstance(needs, VolumeNeeds)
    return [sorted(one[ZONE].values) for one in needs.alternatives]


def replaced(one, **fields):
    return msgspec.structs.replace(one, **fields)


def deleted(one):
    return replaced(one, metadata=replaced(one.metadata, deletion_timestamp=GONE))


def test_a_pod_without_volumes_needs_nothing():
    assert needs_of(a_pod()) is NO_VOLUMES


def test_each_term_of_a_bound_volume_is_an_alternative():
    claim, volume = a_volume_claim(volume="v"), a_volume("v", zones=["zone-a", "zone-b"])
    needs = needs_of(a_pod(claims=[claim]), claim, volume)
    assert zones(needs) == [["zone-a"], ["zone-b"]]
    assert needs.attachments == {(DRIVER, "default/data")}


def test_each_topology_of_a_class_is_an_alternative():
    claim, disk = a_volume_claim(), a_storage_class(zones=["zone-b", "zone-c"])
    assert zones(needs_of(a_pod(claims=[claim]), claim, disk)) == [["zone-b", "zone-c"]]


def test_two_volumes_multiply_their_alternatives():
    one, other = a_volume_claim("one", volume="v"), a_volume_claim("other", volume="w")
    things = (a_volume("v", zones=["zone-a", "zone-b"]), a_volume("w", zones=["zone-b", "zone-c"]))
    assert zones(needs_of(a_pod(claims=[one, other]), one, other, things)) == [["zone-b"]]


def test_two_volumes_that_lie_apart_cannot_be_used_together():
    one, other = a_volume_claim("one", volume="v"), a_volume_claim("other", volume="w")
    pod = a_pod(cpu=1, claims=[one, other])
    things = (one, other, a_volume("v", zones=["zone-a"]), a_volume("w", zones=["zone-b"]))
    assert codes_of(plan_of(pod, things, a_type())) == {"pod": "NW-1002"}


def test_an_ephemeral_volume_is_claimed_under_the_pods_name():
    volume = PodVolume(name="scratch", ephemeral=EphemeralVolume())
    claim, disk = a_volume_claim("pod-scratch"), a_storage_class(zones=["zone-b"])
    pod = a_pod(volumes=[volume])
    assert zones(needs_of(pod, claim, disk)) == [["zone-b"]]
    missing = needs_of(pod, disk)
    assert isinstance(missing, Cause)
    assert sentence(missing) == (
        "volume scratch cannot be used: PersistentVolumeClaim default/pod-scratch does not exist"
    )


UNBOUND = a_volume_claim()
BOUND = a_volume_claim(volume="v")


@pytest.mark.parametrize(
    ("claim", "others", "words"),
    [
        (UNBOUND, (), "StorageClass disk of"),
        (deleted(UNBOUND), (a_storage_class(),), "is being deleted"),
        (
            replaced(UNBOUND, status=PersistentVolumeClaimStatus(phase="Lost")),
            (a_storage_class(),),
            "has lost its volume",
        ),
        (BOUND, (), "which does not exist"),
        (BOUND, (deleted(a_volume("v")),), "is being deleted"),
        (
            replaced(BOUND, metadata=replaced(BOUND.metadata, annotations={})),
            (a_volume("v"),),
            "has not completed",
        ),
        (a_volume_claim(storage_class=None), (), "names no StorageClass"),
        (UNBOUND, (a_storage_class(binding="Immediate"),), "binds without waiting for a pod"),
    ],
)
def test_a_claim_that_cannot_be_used_is_told_by_name(claim, others, words):
    fault = needs_of(a_pod(claims=[claim]), claim, others)
    assert isinstance(fault, Cause)
    assert "default/data" in sentence(fault)
    assert words in sentence(fault)


def test_what_a_running_pod_uses_is_bound():
    unfinished = replaced(BOUND, metadata=replaced(BOUND.metadata, annotations={}))
    moving = a_pod(claims=[unfinished], node=a_node())
    assert isinstance(needs_of(moving, unfinished, a_volume("v")), VolumeNeeds)


def test_a_bound_claim_needs_no_class():
    claim = a_volume_claim(volume="v", storage_class=None)
    assert isinstance(needs_of(a_pod(claims=[claim]), claim, a_volume("v")), VolumeNeeds)


def test_a_local_volume_does_not_pin_its_pod_to_a_host():
    host = VolumeNodeAffinity(
        required=Terms((NodeSelectorTerm(match_expressions=(want(HOSTNAME, "In", "gone"),)),))
    )
    volume = a_volume("v")
    local = replaced(volume, spec=replaced(volume.spec, node_affinity=host, local={"path": "/d"}))
    pinned = replaced(volume, spec=replaced(volume.spec, node_affinity=host))
    assert needs_of(a_pod(claims=[BOUND]), BOUND, local).alternatives == ()
    assert len(needs_of(a_pod(claims=[BOUND]), BOUND, pinned).alternatives) == 1


def test_old_zone_names_of_drivers_mean_the_zone():
    volume = a_volume("v")
    old = want("topology.ebs.csi.aws.com/zone", "In", "zone-b")
    affinity = VolumeNodeAffinity(required=Terms((NodeSelectorTerm(match_expressions=(old,)),)))
    named = replaced(volume, spec=replaced(volume.spec, node_affinity=affinity))
    assert zones(needs_of(a_pod(claims=[BOUND]), BOUND, named)) == [["zone-b"]]


def test_in_tree_disks_count_for_their_csi_driver():
    volume = a_volume("v")
    disk = replaced(
        volume, spec=replaced(volume.spec, csi=None, aws_elastic_block_store={"volumeID": "x"})
    )
    needs = needs_of(a_pod(claims=[BOUND]), BOUND, disk)
    assert needs.attachments == {("ebs.csi.aws.com", "default/data")}


def test_a_driver_is_full_when_one_more_claim_would_pass_its_limit():
    held = {DRIVER: {"default/a", "default/b"}}
    assert full_driver(frozenset({(DRIVER, "default/c")}), held, {DRIVER: 2}) == (DRIVER, 2)
    assert full_driver(frozenset({(DRIVER, "default/b")}), held, {DRIVER: 2}) is None
    assert full_driver(frozenset({("other", "default/c")}), held, {DRIVER: 2}) is None


def test_attach_limits_hold_on_existing_nodes_only():
    node = a_node()
    claims = [a_volume_claim(f"c{i}", volume=f"v{i}") for i in range(3)]
    volumes = [a_volume(f"v{i}") for i in range(3)]
    waiting = [a_pod(f"p{i}", cpu="100m", claims=[claims[i]]) for i in range(3)]
    plan = plan_of(waiting, claims, volumes, node, a_csi_node("node", 1), a_type())
    assert [len(one.pods) for one in plan.existing_nodes] == [1]
    assert [len(one.pods) for one in plan.new_nodes] == [2]


def test_a_new_node_goes_where_the_volume_is():
    pod = a_pod(cpu=1, claims=[BOUND])
    plan = plan_of(pod, BOUND, a_volume("v", zones=["zone-c"]), a_type())
    assert zone_of(home_of(plan, pod)) == "zone-c"


def test_a_broken_claim_does_not_hold_back_the_others():
    broken, fine = a_pod("broken", cpu=1, claims=["missing"]), a_pod("fine", cpu=1)
    plan = plan_of(broken, fine, a_type())
    assert codes_of(plan) == {"broken": "NW-1002"}
    assert home_of(plan, fine) is not None


def test_a_volume_outside_the_emptiest_zone_of_a_spread_still_counts_there():
    # The volume binds the node, not the pod's own affinity: all zones stay in the spread.
    node_a, claim_a = a_managed_node("a", cpu=2, zone="zone-a")
    claim, volume = a_volume_claim(volume="v"), a_volume("v", zones=["zone-a"])
    there = a_pod("there", labels={"app": "web"}, node=node_a)
    pod = a_pod("new", cpu=1, labels={"app": "web"}, claims=[claim], spread=[a_spread()])
    plan = plan_of(there, pod, node_a, claim_a, claim, volume, a_type())
    assert codes_of(plan) == {"new": "NW-1301"}
    other = plan_of(there, pod, node_a, claim_a, claim, a_volume("v", zones=["zone-b"]), a_type())
    assert zone_of(home_of(other, pod)) == "zone-b"


def test_a_claim_for_one_pod_serves_one_pod():
    claim = a_volume_claim(volume="v", modes=["ReadWriteOncePod"])
    plan = plan_of(pods(2, cpu=1, claims=[claim]), claim, a_volume("v"), a_type())
    assert list(codes_of(plan).values()) == ["NW-1006"]
    assert len(plan.new_nodes) == 1


def test_a_claim_for_one_pod_that_runs_already_serves_no_other():
    node = a_node()
    claim = a_volume_claim(volume="v", modes=["ReadWriteOncePod"])
    old, new = a_pod("old", node=node, claims=[claim]), a_pod("new", cpu=1, claims=[claim])
    plan = plan_of(old, new, node, claim, a_volume("v"), a_type())
    assert codes_of(plan) == {"new": "NW-1006"}
