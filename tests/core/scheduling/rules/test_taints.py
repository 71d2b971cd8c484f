"""Taints: every one must be tolerated, soft ones too until nothing else is left to give up."""

import pytest

from builders import a_managed_node, a_node, a_pod, a_pool, a_taint, a_type, tolerating, want
from builders.solving import codes_of, home_of, plan_of
from nodewright.core.scheduling.rules.taints import first_untolerated, is_ephemeral, tolerates
from nodewright.model.labels import ZONE
from nodewright.model.metadata import Toleration

GPU = a_taint("gpu", "yes")
SOFT = a_taint("spot", effect="PreferNoSchedule")


@pytest.mark.parametrize(
    ("toleration", "covers"),
    [
        (tolerating("gpu", "yes"), True),
        (tolerating("gpu", "no"), False),
        (tolerating("gpu"), True),
        (tolerating(), True),
        (tolerating("gpu", effect="NoSchedule"), True),
        (tolerating("gpu", effect="NoExecute"), False),
        (tolerating("disk"), False),
        (Toleration(key="gpu", value="yes"), True),
        (Toleration(value="yes"), False),
    ],
)
def test_a_toleration_covers_what_it_names(toleration, covers):
    assert tolerates(toleration, GPU) is covers


def test_the_first_taint_that_nobody_covers_is_told():
    taints = (GPU, a_taint("disk"), a_taint("net"))
    assert first_untolerated(taints, (tolerating("gpu"),)) == a_taint("disk")
    assert first_untolerated(taints, (tolerating(),)) is None


@pytest.mark.parametrize(
    ("key", "effect", "goes"),
    [
        ("node.kubernetes.io/not-ready", "NoSchedule", True),
        ("node.kubernetes.io/not-ready", "NoExecute", True),
        ("node.kubernetes.io/unreachable", "NoSchedule", True),
        ("node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule", True),
        ("karpenter.sh/unregistered", "NoExecute", True),
        ("readiness.k8s.io/network", "NoSchedule", True),
        ("node.kubernetes.io/disk-pressure", "NoSchedule", False),
        ("gpu", "NoSchedule", False),
    ],
)
def test_taints_of_a_starting_node_go_away_by_themselves(key, effect, goes):
    assert is_ephemeral(a_taint(key, effect=effect)) is goes


def test_a_pool_whose_taint_is_not_tolerated_makes_no_node():
    pod, pool = a_pod(cpu=1), a_pool(taints=[GPU])
    assert codes_of(plan_of(pod, pool, a_type())) == {"pod": "NW-1201"}
    calm = a_pod(cpu=1, tolerations=[tolerating("gpu", "yes")])
    assert plan_of(calm, pool, a_type()).unschedulable == {}


def test_startup_taints_of_a_pool_keep_nobody_off_a_new_node():
    pool = a_pool(startup_taints=[GPU])
    assert plan_of(a_pod(cpu=1), pool, a_type()).unschedulable == {}


def test_a_soft_taint_is_avoided_while_there_is_another_way():
    pod = a_pod(cpu=1)
    soft, plain = a_pool("soft", taints=[SOFT], weight=50), a_pool("plain")
    assert home_of(plan_of(pod, soft, plain, a_type()), pod).node_pool == "plain"


def test_a_soft_taint_is_put_up_with_when_nothing_else_is_left():
    pod = a_pod(cpu=1)
    assert home_of(plan_of(pod, a_pool("soft", taints=[SOFT]), a_type()), pod).node_pool == "soft"


def test_preferred_labels_are_given_up_before_a_soft_taint_is_put_up_with():
    pod = a_pod(cpu=1, wishes=[(1, [want(ZONE, "In", "zone-b")])])
    soft = a_pool("soft", taints=[SOFT], weight=50)
    plain = a_pool("plain", requirements=[want(ZONE, "In", "zone-a")])
    assert home_of(plan_of(pod, soft, plain, a_type()), pod).node_pool == "plain"


def test_a_startup_taint_is_overlooked_until_the_node_is_initialized():
    pod = a_pod(cpu=1)
    traits = {"taints": [GPU], "startup_taints": [GPU]}
    young = a_managed_node("young", initialized=False, labels=TYPED, **traits)
    grown = a_managed_node("grown", labels=TYPED, **traits)
    assert home_of(plan_of(pod, young, a_type()), pod) == "young"
    assert home_of(plan_of(pod, grown, a_type()), pod) != "grown"


def test_an_ephemeral_taint_counts_on_nodes_that_others_manage():
    pod = a_pod(cpu=1)
    starting = a_node("theirs", taints=[a_taint("node.kubernetes.io/not-ready")])
    assert home_of(plan_of(pod, starting, a_type()), pod) != "theirs"


TYPED = {"node.kubernetes.io/instance-type": "m"}
