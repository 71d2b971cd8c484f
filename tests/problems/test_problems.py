"""Random problems: the same for the same seed, readable, and of every kind."""

import json

import pytest

from nodewright.state.snapshot import read_snapshot
from problems import FLAVOURS, generate

SEEDS = range(150)


@pytest.fixture(scope="module")
def texts():
    return [json.dumps(generate(seed)) for seed in SEEDS]


def test_a_seed_makes_the_same_problem_again(texts):
    assert json.dumps(generate(7)) == texts[7]
    assert texts[7] != texts[8]


def test_every_problem_can_be_read(texts):
    for seed, text in zip(SEEDS, texts, strict=True):
        snapshot = read_snapshot(text.encode(), f"seed {seed}")
        assert snapshot.warnings == ()
        assert snapshot.world.bad_pods == ()


@pytest.mark.parametrize(
    "feature",
    [
        "nodeSelector",
        "nodeSelectorTerms",
        "preference",
        "PreferNoSchedule",
        "NoExecute",
        "tolerations",
        "startupTaints",
        "podAffinityTerm",
        "namespaceSelector",
        "namespaces",
        "podAntiAffinity",
        "DoNotSchedule",
        "ScheduleAnyway",
        "minDomains",
        "matchLabelKeys",
        "nodeTaintsPolicy",
        "nodeAffinityPolicy",
        "hostPort",
        "hostIP",
        "persistentVolumeClaim",
        "ephemeral",
        "allowedTopologies",
        "CSINode",
        "initContainers",
        "restartPolicy",
        "overhead",
        "DaemonSet",
        "limits",
        "weight",
        "minValues",
        "BestEffort",
        "NodeClaim",
        "deletionTimestamp",
        "PodDisruptionBudget",
        "do-not-disrupt",
        "reservationCapacity",
        "Fallback",
        "nvidia.com/gpu",
        "Ignore",
        *(f'"{name}"' for name in ("In", "NotIn", "Exists", "DoesNotExist")),
        *(f'"{name}"' for name in ("Gt", "Lt", "Gte", "Lte")),
    ],
)
def test_every_feature_comes_up(texts, feature):
    assert sum(feature in text for text in texts) >= 3


@pytest.mark.parametrize(
    "feature",
    [
        "NodeOverlay",
        "priceAdjustment",
        "example.com/fuse",
        "nominatedNodeName",
        "rack-4",
        "topology.kubernetes.io/region",
        "podAffinity",
    ],
)
def test_every_twist_comes_up(feature):
    texts = [json.dumps(generate(seed, "twisted")) for seed in range(60)]
    assert sum(feature in text for text in texts) >= 3


def test_every_twisted_problem_can_be_read():
    for seed in range(60):
        snapshot = read_snapshot(json.dumps(generate(seed, "twisted")).encode(), f"seed {seed}")
        assert snapshot.world.bad_pods == ()


def test_sizes_differ():
    counts = {
        size: sum(
            one["kind"] == "Pod" and "nodeName" not in one["spec"]
            for one in generate(1, size)["objects"]
        )
        for size in ("small", "medium", "big")
    }
    assert counts["small"] < 25 <= counts["medium"] < 150 < counts["big"]


def test_flavours_are_odds():
    assert all(0 < odds < 1 for odds in FLAVOURS.values())
