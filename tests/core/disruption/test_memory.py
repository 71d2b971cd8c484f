"""Memory: what is remembered, and that it is forgotten again."""

from builders import NOW_MS
from builders.fleet import a_fleet_node, decided, on
from nodewright.core.disruption.memory import (
    BACKOFF_MAX_MS,
    forget_failures,
    remember_failure,
    remember_moves,
    remember_start,
)
from nodewright.model.disruption import Memory


def started(now_ms=NOW_MS):
    node = a_fleet_node("n", 16)
    (command,) = decided(node, on(node, "1500m")).commands
    return remember_start(Memory(), command, now_ms)


def test_a_started_command_counts_for_rates_and_swaps():
    memory = started()

    assert memory.gone_ms == {"default": (NOW_MS,)}
    assert (memory.swaps[0].before, memory.swaps[0].after) == (("m.16",), ("m.2",))


def test_failures_wait_twice_as_long_each_time_and_the_same_one_counts_once():
    memory = Memory()
    for failures, wait_ms in enumerate((60_000, 120_000, 240_000, 480_000, BACKOFF_MAX_MS), 1):
        memory = remember_failure(memory, "default", f"c{failures}", NOW_MS)
        assert memory.backoffs["default"].failures == failures
        assert memory.backoffs["default"].until_ms == NOW_MS + wait_ms
        assert remember_failure(memory, "default", f"c{failures}", NOW_MS) == memory
    assert forget_failures(memory, "default").backoffs == {}


def test_moves_are_forgotten_after_an_hour():
    memory = remember_moves(Memory(), ["a"], ["default/ReplicaSet/web"], NOW_MS)
    memory = remember_moves(memory, ["b"], ["default/ReplicaSet/api"], NOW_MS + 3_600_000)

    assert memory.movers == {"b": ("default/ReplicaSet/api",)}
    assert memory.moved_ms == {"default/ReplicaSet/api": (NOW_MS + 3_600_000,)}


def test_a_workload_that_moved_lately_costs_more_to_move_again():
    low, high = a_fleet_node("low", 1), a_fleet_node("high", 8)
    things = (low, high, on(low, *("40m",) * 20, app="web"), on(high, "7", app="api"))
    often = Memory(moved_ms={"default/ReplicaSet/web": (NOW_MS - 1000,) * 5})

    assert [one.nodes[0].node for one in decided(*things).commands] == ["low"]
    assert decided(*things, memory=often).kept["low"].code == "NW-4203"
