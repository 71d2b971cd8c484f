"""What provisioning tells pods and pools beside what it does."""

from builders import a_daemon_pod, a_node, a_pod, a_pool, a_taint, a_type, a_world, pods, want
from nodewright.core.provisioning_words import explain_plan
from nodewright.core.scheduling.solve import solve
from nodewright.model.decision import Refuse, Tell
from nodewright.model.labels import ARCH, NODEPOOL

SMALL = a_type("small", cpu=2)


def told(*things, **options):
    world = a_world(*things, **options)
    return list(explain_plan(world, solve(world)))


def on_pods(*things, **options):
    return [one for one in told(*things, **options) if isinstance(one, Refuse)]


def on_pools(*things, **options):
    return [one for one in told(*things, **options) if isinstance(one, Tell)]


def test_a_pod_is_told_the_nearest_reason_first_and_every_other_pools_after_it():
    pools = [a_pool("batch", taints=[a_taint("batch")]), a_pool("general")]
    (refused,) = on_pods(a_pod(cpu=6), SMALL, pools)

    assert (refused.reason, refused.code, refused.subject.name) == (
        "FailedScheduling",
        "NW-1204",
        "pod",
    )
    assert refused.note == (
        "general: cpu 6 does not fit: the roomiest of 1 instance type, small, has 2 left after "
        "daemon pods, 4 too little (NW-1204); batch: taint batch:NoSchedule is not tolerated (the "
        "pod has 0 tolerations)"
    )


def test_a_pod_that_wants_no_node_made_for_it_is_told_nothing():
    assert told(a_pod(cpu=1, terms=[[want(NODEPOOL, "DoesNotExist")]]), SMALL) == []


def test_a_pool_is_told_once_a_cause_how_many_pods_it_came_nearest_to():
    (warning,) = on_pools(pods(3, "big", cpu=6), SMALL, a_pool())

    assert (warning.reason, warning.is_warning, warning.dedupe) == (
        "FailedScheduling",
        True,
        ("NW-1204",),
    )
    assert str(warning.subject).endswith("default")
    assert warning.note.startswith("3 pods left behind, such as default/big-0: cpu 6 does not fit")


def test_a_pool_that_leaves_no_type_is_warned_although_another_serves_the_pods():
    pools = [a_pool("odd", requirements=[want(ARCH, "In", "s390x")]), a_pool("general")]
    (warning,) = on_pools(a_pod(cpu=1), SMALL, pools)

    assert (warning.reason, warning.subject.name, warning.quiet_ms) == (
        "NoCompatibleInstanceTypes",
        "odd",
        60_000,
    )
    assert "kubernetes.io/arch In [s390x] leaves 0 of 1 instance type" in warning.note


def test_a_pool_that_is_being_deleted_is_not_told_that_it_has_no_types():
    going = a_pool(deleted="2026-01-01T00:00:00Z")

    assert [one.reason for one in on_pools(a_pod(cpu=1), SMALL, going)] == ["FailedScheduling"]


def test_a_daemon_pod_without_room_is_told_what_is_short():
    (refused,) = on_pods(a_daemon_pod("n", cpu=3), a_node("n", cpu=2), SMALL)

    assert refused.code == "NW-1215"
    assert "no room on node n: it asks for cpu 3, and 2 is left, 1 too little" in refused.note


def test_nothing_is_told_where_every_pod_has_a_place():
    assert told(a_pod(cpu=1), SMALL) == []
