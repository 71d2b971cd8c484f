"""Default spread: for pods without constraints of their own, where a selector can be deduced."""

from builders import ZONES, a_pod, a_selector, a_spread, a_type, a_world, pods
from builders.solving import plan_of, zones_of
from nodewright.core.scheduling.defaults import DefaultSpread
from nodewright.model.labels import HOSTNAME, ZONE
from nodewright.model.metadata import ObjectMeta
from nodewright.model.pod import (
    Service,
    ServiceSpec,
    TopologySpreadConstraint,
    Workload,
    WorkloadSpec,
)

WEB = {"app": "web"}
BY_ZONE = TopologySpreadConstraint(max_skew=1, topology_key=ZONE)
SERVICE = Service(
    metadata=ObjectMeta(name="web", namespace="default"), spec=ServiceSpec(selector=WEB)
)
OWNER = Workload(
    metadata=ObjectMeta(name="web-1", namespace="default", uid="uid-web-1"),
    spec=WorkloadSpec(selector=a_selector(app="web", hash="1")),
)


def constraints(pod, *things, default=(BY_ZONE,)):
    world = a_world(pod, *things, default_constraints=default)
    return DefaultSpread(world).spec_of(pod).topology_spread_constraints


def test_a_service_says_which_pods_belong_together():
    (one,) = constraints(a_pod(labels=WEB), SERVICE)
    assert one.topology_key == ZONE
    assert one.label_selector.match_labels == WEB


def test_an_owner_says_so_too_and_both_count():
    (one,) = constraints(a_pod(labels={**WEB, "hash": "1"}, owner=OWNER), SERVICE, OWNER)
    assert one.label_selector.match_labels == {"app": "web", "hash": "1"}


def test_nothing_is_added_where_nothing_can_be_deduced():
    assert constraints(a_pod(labels=WEB)) == ()
    assert constraints(a_pod(labels={"app": "db"}), SERVICE) == ()
    assert constraints(a_pod(labels=WEB, namespace="other"), SERVICE) == ()
    everybody = Service(metadata=ObjectMeta(name="x", namespace="default"))
    assert constraints(a_pod(labels=WEB), everybody) == ()


def test_a_pod_with_constraints_of_its_own_keeps_them():
    own = a_spread(HOSTNAME)
    assert constraints(a_pod(labels=WEB, spread=[own]), SERVICE) == (own,)


def test_without_defaults_nothing_changes():
    assert constraints(a_pod(labels=WEB), SERVICE, default=()) == ()


def test_pods_are_spread_by_the_defaults():
    waiting = pods(6, cpu=1, labels=WEB)
    plan = plan_of(waiting, SERVICE, a_type(), default_constraints=(BY_ZONE,))
    assert zones_of(plan) == sorted(ZONES * 2)
