"""Draining: who leaves, in which order, and who is ended by force."""

import msgspec
import pytest

from builders import NOW_MS, a_budget, a_pod, a_volume_claim, a_world, tolerating
from builders.lives import (
    MINUTE_MS,
    SECOND_MS,
    a_registered_pair,
    ago,
    kinds_of,
    with_conditions,
    with_meta,
    with_spec,
)
from nodewright.core.termination_drain import DEADLINE, Drain, first_group
from nodewright.model.instant import print_instant
from nodewright.model.labels import DISRUPTED_TAINT, DO_NOT_DISRUPT
from nodewright.model.metadata import ObjectMeta
from nodewright.model.volume import (
    VolumeAttachment,
    VolumeAttachmentSource,
    VolumeAttachmentSpec,
)


def a_pair(deadline_ms=None, **conditions):
    node, claim = a_registered_pair("n")
    if deadline_ms is not None:
        claim = with_meta(claim, annotations={DEADLINE: print_instant(NOW_MS + deadline_ms)})
    node = with_meta(node, deletion_timestamp=ago(MINUTE_MS))
    return node, with_conditions(claim, **conditions) if conditions else claim


def steps(node, claim, *things):
    return list(Drain(a_world(node, claim, *things)).steps(node, claim))


def acts(node, claim, *things):
    words = ("Tell", "Change")
    found = steps(node, claim, *things)
    return [pair for pair in kinds_of(found) if pair[0] not in words]


def is_over(node, claim, *things):
    return Drain(a_world(node, claim, *things)).is_over(node, claim)


def on_node(name, **traits):
    return a_pod(name, node="n", **traits)


def critical(pod):
    return with_spec(pod, priority_class_name="system-node-critical")


def attached(volume, node="n"):
    source = VolumeAttachmentSource(persistent_volume_name=volume)
    spec = VolumeAttachmentSpec(node_name=node, source=source)
    return VolumeAttachment(metadata=ObjectMeta(name=f"va-{volume}"), spec=spec)


DAEMON = ("DaemonSet", "agent")


def test_pods_leave_in_four_groups():
    ordinary, daemon = on_node("a"), on_node("b", owner=DAEMON)
    vital, vital_daemon = critical(on_node("c")), critical(on_node("d", owner=DAEMON))
    queue, order = [vital_daemon, vital, daemon, ordinary], []
    while queue:
        group = first_group(queue)
        order.append([pod.metadata.name for pod in group])
        queue = [pod for pod in queue if pod not in group]

    assert order == [["a"], ["b"], ["c"], ["d"]]


def test_the_next_group_waits_until_the_one_before_is_gone():
    leaving = on_node("a", deleted=ago(0))

    assert acts(*a_pair(), leaving, critical(on_node("c"))) == []


@pytest.mark.parametrize(
    "pod",
    [
        on_node("ended", phase="Succeeded"),
        on_node("mirror", owner=("Node", "n")),
        on_node("patient", tolerations=(tolerating(DISRUPTED_TAINT),)),
        on_node("stuck", deleted=ago(MINUTE_MS + 1)),
        a_pod("elsewhere", node="m"),
    ],
)
def test_nobody_waits_for_a_pod_that(pod):
    drained = a_pair(Drained="True", VolumesDetached="True")

    assert acts(*a_pair(), pod) == []
    assert is_over(*drained, pod)


def test_a_pod_that_tolerates_only_unschedulable_nodes_leaves():
    pod = on_node("p", tolerations=(tolerating("node.kubernetes.io/unschedulable"),))

    assert acts(*a_pair(), pod) == [("Evict", "p")]


def test_do_not_disrupt_holds_the_node_and_says_so():
    pod = on_node("p", annotations={DO_NOT_DISRUPT: "true"})
    found = steps(*a_pair(), pod)

    assert acts(*a_pair(), pod) == []
    assert "do-not-disrupt" in " ".join(one.note for one in found)
    assert not is_over(*a_pair(Drained="True", VolumesDetached="True"), pod)


def test_a_budget_that_never_lets_go_is_reported_beside_the_eviction():
    pod = on_node("p", labels={"app": "web"})
    found = steps(*a_pair(), pod, a_budget("shut", at_most_missing=0))

    assert ("Evict", "p") in kinds_of(found)
    assert "default/shut never lets a pod go" in " ".join(one.note for one in found)


def test_a_pod_with_a_wrong_mark_is_told_and_leaves():
    found = steps(*a_pair(), on_node("p", annotations={DO_NOT_DISRUPT: "later"}))

    assert "InvalidDoNotDisruptAnnotation" in [one.reason for one in found]
    assert ("Evict", "p") in kinds_of(found)


def with_grace(pod, seconds):
    return with_spec(pod, termination_grace_period_seconds=seconds)


def test_a_deadline_ends_pods_whose_grace_would_reach_past_it():
    pair = a_pair(deadline_ms=20 * SECOND_MS)
    pods = [
        with_grace(on_node("slow", annotations={DO_NOT_DISRUPT: "true"}), 30),
        with_grace(on_node("quick"), 10),
        critical(with_grace(on_node("vital"), 30)),
        on_node("endless"),
    ]
    found = {one.subject.name: one for one in steps(*pair, *pods) if one.kind == "Delete"}

    assert found.keys() == {"slow", "vital"}
    assert found["slow"].grace_s == 20
    assert ("Evict", "quick") in acts(*pair, *pods)


def test_past_the_deadline_a_second_is_left():
    pod = with_grace(on_node("p"), 30)
    (step,) = [one for one in steps(*a_pair(deadline_ms=-MINUTE_MS), pod) if one.kind == "Delete"]

    assert step.grace_s == 1


def test_a_pod_that_would_end_after_the_deadline_is_hurried():
    pod = on_node("p", deleted=print_instant(NOW_MS + 30 * SECOND_MS))

    assert acts(*a_pair(deadline_ms=10 * SECOND_MS), pod) == [("Delete", "p")]
    assert acts(*a_pair(deadline_ms=40 * SECOND_MS), pod) == []


def change_of(found):
    (step,) = [one for one in found if one.kind == "Change"]
    return step.reason


def test_an_empty_node_counts_as_drained_after_five_seconds_and_not_before():
    node, claim = a_pair()
    begun = with_conditions(claim, since=ago(4_999), Drained="Unknown")
    long_ago = with_conditions(claim, since=ago(5_000), Drained="Unknown")

    assert change_of(steps(node, claim)) == "Draining"
    assert steps(node, begun) == []
    assert change_of(steps(node, long_ago)) == "Drained"


def test_volumes_must_come_off_before_the_machine_goes():
    pair = a_pair(Drained="True")
    found = steps(*pair, attached("pv-1"))

    assert change_of(found) == "AwaitingVolumeDetachment"
    assert "pv-1" in found[-1].note
    assert not is_over(*pair, attached("pv-1"))
    assert change_of(steps(*pair, attached("pv-1", node="m"))) == "VolumesDetached"


def test_a_deadline_does_not_wait_for_volumes():
    pair = a_pair(deadline_ms=-1, Drained="True")

    assert change_of(steps(*pair, attached("pv-1"))) == "TerminationGracePeriodElapsed"


def test_volumes_of_pods_that_stay_do_not_count():
    pod = on_node("p", claims=("data",), tolerations=(tolerating(),))
    claim = a_volume_claim("data")
    claim = msgspec.structs.replace(
        claim, spec=msgspec.structs.replace(claim.spec, volume_name="pv-1")
    )

    assert change_of(steps(*a_pair(Drained="True"), pod, claim, attached("pv-1"))) == (
        "VolumesDetached"
    )
