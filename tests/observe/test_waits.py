"""How long pods waited is read off their own conditions, once for each."""

from msgspec.structs import replace

from builders import NOW_MS, a_pod, a_type, a_world
from builders.lives import MINUTE_MS, ago, with_conditions, with_spec
from nodewright.model.decision import Nominate
from nodewright.model.resource import PODS, refer
from nodewright.observe.waits import Waits

BOUND = "karpenter_pods_bound_duration_seconds"
STARTED = "karpenter_pods_startup_duration_seconds"
DECIDED = "karpenter_pods_scheduling_decision_duration_seconds"
NEW = a_pod("p", created=ago(MINUTE_MS))


def up(pod=NEW):
    bound = with_conditions(with_spec(pod, node_name="n"), ago(30_000), PodScheduled="True")
    return with_conditions(bound, ago(20_000), Ready="True")


def followed(*worlds, after_ms=1_000):
    """Give what was noted while a pod went through these states, a second or more apart."""
    noted = []
    waits = Waits(lambda name, seconds: noted.append((name, seconds)))
    for turn, pods in enumerate(worlds):
        world = a_world(pods, a_type())
        waits.look(replace(world, now_ms=NOW_MS + turn * after_ms))
    return noted


def test_a_pod_is_timed_until_it_has_a_node_and_until_it_is_ready():
    assert followed([NEW], [up()], [up()]) == [(BOUND, 30.0), (STARTED, 40.0)]


def test_a_pod_that_ran_when_we_came_is_not_counted():
    assert followed([up()], [up()]) == []


def test_pods_are_looked_at_at_most_once_a_second():
    assert followed([NEW], [up()], after_ms=100) == []


def test_the_first_decision_on_a_pod_is_timed_and_later_ones_are_not():
    noted = []
    waits = Waits(lambda name, seconds: noted.append((name, seconds)))
    told = [Nominate(subject=refer(PODS, NEW), reason="Nominated", host="n")]
    for _ in range(3):
        waits.decide(a_world(NEW, a_type()), told)

    assert noted == [(DECIDED, 60.0)]


def test_a_pod_that_starts_anew_under_the_same_uid_is_timed_again():
    down = with_conditions(up(), ago(10_000), Ready="False")
    again = with_conditions(down, ago(0), Ready="True")

    assert followed([up()], [up()], [down], [again]) == [(STARTED, 60.0)]
