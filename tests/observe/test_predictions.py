"""Where the scheduler put a pod is compared with where we said it would run."""

import pytest
from msgspec.structs import replace

from builders import NOW_MS, a_node, a_node_claim, a_pod, a_type, a_world
from builders.lives import with_spec
from nodewright.model.decision import Nominate
from nodewright.model.labels import NODEPOOL
from nodewright.model.resource import PODS, refer
from nodewright.observe import predictions
from nodewright.observe.predictions import EXPLANATIONS, Predictions

POD = a_pod("p")
OURS = {NODEPOOL: "general"}
OLD, OTHER, NEW = (a_node(name, labels=OURS) for name in ("old", "other", "new"))
FOREIGN = a_node("foreign")


def a_claim(node=""):
    claim = a_node_claim("claim", pool="general")
    return replace(claim, status=replace(claim.status, node_name=node))


def a_machine(name, provider_id):
    """A node that has joined and is not labelled yet."""
    return with_spec(a_node(name), provider_id=provider_id)


def a_started_claim(provider_id, name="claim"):
    claim = a_node_claim(name, pool="general")
    return replace(claim, status=replace(claim.status, provider_id=provider_id))


def results(host, bound, *after):
    """Tell a pod to come to a host among two nodes, and bind it elsewhere or there."""
    counted = []
    kept = Predictions(lambda _, result: counted.append(result))
    told = Nominate(subject=refer(PODS, POD), reason="Nominated", host=host)
    kept.decide(a_world(POD, OLD, OTHER, FOREIGN, a_type()), [told])
    pod = with_spec(POD, node_name=bound)
    later = replace(a_world(pod, *after, a_type()), now_ms=NOW_MS + 5_000)
    kept.look(later)
    kept.look(replace(later, now_ms=NOW_MS + 10_000))
    return counted, kept.mismatch_ratio


@pytest.mark.parametrize(
    ("host", "bound", "after", "result"),
    [
        ("old", "old", (OLD,), predictions.AS_PREDICTED),
        ("claim", "new", (a_claim("new"), NEW), predictions.AS_PREDICTED),
        ("old", "other", (OLD, OTHER), predictions.OTHER_NODE),
        ("old", "new", (OLD, NEW), predictions.NEWER_NODE),
        ("old", "foreign", (OLD, FOREIGN), predictions.FOREIGN_NODE),
        ("claim", "other", (OTHER,), predictions.HOST_GONE),
        ("claim", "other", (a_claim(), OTHER), predictions.HOST_LATE),
        (
            "claim",
            "new",
            (a_started_claim("i-1"), a_machine("new", "i-1")),
            predictions.AS_PREDICTED,
        ),
        (
            "claim",
            "new",
            (a_started_claim("i-2"), a_machine("new", "i-1")),
            predictions.FOREIGN_NODE,
        ),
        (
            "claim",
            "new",
            (a_started_claim("i-2"), a_started_claim("i-1", "b"), a_machine("new", "i-1")),
            predictions.HOST_LATE,
        ),
    ],
)
def test_each_kind_of_mismatch_is_told_apart_and_explained(host, bound, after, result):
    assert results(host, bound, *after) == ([result], float(result != predictions.AS_PREDICTED))
    assert EXPLANATIONS[result]


def test_a_pod_that_went_before_it_was_bound_proves_nothing():
    counted = []
    kept = Predictions(lambda _, result: counted.append(result))
    told = Nominate(subject=refer(PODS, POD), reason="Nominated", host="old")
    kept.decide(a_world(POD, OLD, a_type()), [told])
    kept.look(a_world(OLD, a_type()))

    assert counted == []
    assert kept.mismatch_ratio is None


@pytest.mark.parametrize(
    "after", [(a_started_claim("i-1"),), (a_started_claim(""), a_machine("new", "i-1"))]
)
def test_a_pod_on_a_node_of_which_not_all_is_known_yet_is_compared_later(after):
    assert results("claim", "new", *after) == ([], None)


def test_a_pod_that_still_waits_is_compared_later():
    assert results("old", "", OLD) == ([], None)
