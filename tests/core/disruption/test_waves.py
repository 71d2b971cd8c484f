"""Waves: they follow the cluster, watch what they made, and count every failure once."""

import pytest
from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import a_fleet_node, fleet_world, on
from nodewright.core.disruption.policies import WaveRule
from nodewright.core.disruption.waves import (
    FAILURES_MAX,
    enlist,
    note_failure,
    present_wave,
    tend_waves,
)
from nodewright.core.scheduling.hosts import join
from nodewright.model.disruption import Memory, Running, Wave
from nodewright.model.instant import print_instant
from nodewright.model.metadata import Condition

RULE = WaveRule(first=1, factor=2, soak_ms=600_000, failures_max=0)
MINUTE_MS = 60_000


def tended(wave, *things, running=()):
    world = fleet_world(*things)
    memory = Memory(waves={"default": wave}, running=running)
    return tend_waves(memory, join(world), world.pods, NOW_MS).waves["default"]


def not_ready(since_ms):
    return (Condition("Ready", "False", last_transition_time=print_instant(NOW_MS - since_ms)),)


def sick(node, since_ms):
    made, claim = node
    status = replace(made.status, conditions=not_ready(since_ms))
    return replace(made, status=status), claim


def test_a_wave_settles_when_all_its_nodes_are_gone_and_grows_after_its_soak():
    one = enlist(Wave("t", 1), ["old"], ["new"])
    settled = tended(one, a_fleet_node("other"))
    memory = Memory(waves={"default": settled})

    assert settled.settled_ms == NOW_MS
    assert present_wave(memory, "default", "t", RULE, NOW_MS + 599_999) == settled
    assert present_wave(memory, "default", "t", RULE, NOW_MS + 600_000) == Wave("t", 2)
    assert present_wave(memory, "default", "other", RULE, NOW_MS) == Wave("other", 1)


def test_a_node_that_stays_after_all_leaves_its_wave_unless_its_command_runs():
    wave = enlist(Wave("t", 1), ["old"], ["new"])
    running = (Running("D-1", "Drifted", ("old",)),)

    assert tended(wave, a_fleet_node("old")).gone == ()
    assert tended(wave, a_fleet_node("old"), running=running).gone == ("old",)
    assert tended(wave, a_fleet_node("old"), running=running).settled_ms is None


@pytest.mark.parametrize(("since_ms", "failed"), [(MINUTE_MS - 1, 0), (MINUTE_MS, 1)])
def test_a_new_node_that_is_not_ready_counts_as_failed_once(since_ms, failed):
    node = sick(a_fleet_node("new"), since_ms)
    wave = Wave("t", 1, made=(node[1].metadata.name,))
    once = tended(wave, node)

    assert once.failed == failed
    assert tended(once, node).failed == failed


@pytest.mark.parametrize(("bad", "failed"), [(1, 0), (2, 1)])
def test_a_new_node_whose_pods_are_mostly_not_ready_counts_as_failed(bad, failed):
    node = a_fleet_node("new")
    pods = [pod for each in ("a", "b", "c", "d") for pod in on(node, "100m", app=each)]
    pods = [
        replace(pod, status=replace(pod.status, conditions=not_ready(2 * MINUTE_MS)))
        if number < bad
        else pod
        for number, pod in enumerate(pods)
    ]
    wave = Wave("t", 1, made=(node[1].metadata.name,))

    assert tended(wave, node, pods).failed == failed


def test_failures_are_counted_beyond_those_that_are_known_by_name():
    wave = Wave("t", 1)
    for number in range(FAILURES_MAX + 5):
        wave = note_failure(wave, f"D-{number}")

    assert (wave.failed, len(wave.failures)) == (FAILURES_MAX + 5, FAILURES_MAX)
