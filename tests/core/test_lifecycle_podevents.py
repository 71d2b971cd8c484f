"""Pod events: which count, and how often they are written down."""

import pytest

from builders import NOW_MS, a_pod, a_world
from builders.lives import a_registered_pair, ago, kinds_of, with_status
from nodewright.core.lifecycle_podevents import EVERY_MS, node_of_event, write_events

WAITING, RUNNING = a_pod("p"), a_pod("p", node="n")
LEAVING = a_pod("p", node="n", deleted=ago(0))
ENDED = a_pod("p", node="n", phase="Succeeded")


@pytest.mark.parametrize(
    ("old", "new", "node"),
    [
        (WAITING, RUNNING, "n"),
        (RUNNING, LEAVING, "n"),
        (RUNNING, ENDED, "n"),
        (RUNNING, None, "n"),
        (RUNNING, RUNNING, ""),
        (LEAVING, None, ""),
        (None, RUNNING, ""),
        (None, WAITING, ""),
        (WAITING, None, ""),
    ],
)
def test_a_pod_event_is_a_binding_an_end_or_the_beginning_of_one(old, new, node):
    assert node_of_event(old, new) == node


def test_daemons_do_not_count():
    daemon = a_pod("p", owner=("DaemonSet", "agent"))

    assert node_of_event(daemon, a_pod("p", node="n", owner=("DaemonSet", "agent"))) == ""


def written(claim, at_ms):
    return kinds_of(write_events(a_world(claim), {"n": at_ms}))


def test_the_time_is_written_at_most_every_ten_seconds():
    _, claim = a_registered_pair("n")
    told = with_status(claim, last_pod_event_time=ago(0))

    assert written(claim, NOW_MS) == [("Change", "claim-of-n")]
    assert written(told, NOW_MS + EVERY_MS - 1) == []
    assert written(told, NOW_MS + EVERY_MS) == [("Change", "claim-of-n")]
