"""Memory: what is remembered, and that it is forgotten again."""

from builders import NOW_MS
from builders.fleet import a_fleet_node, decided, on
from nodewright.core.disruption.memory import (
    BACKOFF_MAX_MS,
    forget_failures,
    remember_end,
    remember_moves,
    remember_start,
)
from nodewright.model.disruption import Memory, Running


def started(now_ms=NOW_MS):
    node = a_fleet_node("n", 16)
    (command,) = decided(node, on(node, "1500m")).commands
    running = Running("c1", command.reason, ("n",), ("new",), now_ms)
    return remember_start(Memory(), running, command)


def test_a_started_command_holds_its_nodes_and_counts_for_rates_and_swaps():
    memory = started()

    assert memory.running[0].nodes == ("n",)
    assert memory.gone_ms == {"default": (NOW_MS,)}
    assert (memory.swaps[0].before, memory.swaps[0].after) == (("m.16",), ("m.2",))


def test_an_ended_command_lets_its_nodes_go_and_failures_wait_twice_as_long_each_time():
    memory = started()
    for failures, wait_ms in enumerate((60_000, 120_000, 240_000, 480_000, BACKOFF_MAX_MS), 1):
        memory = (
            remember_end(started(), "c1", NOW_MS, failed=["default"])
            if failures == 1
            else (
                remember_end(
                    Memory(running=started().running, backoffs=memory.backoffs),
                    "c1",
                    NOW_MS,
                    failed=["default"],
                )
            )
        )
        assert memory.running == ()
        assert memory.backoffs["default"].failures == failures
        assert memory.backoffs["default"].until_ms == NOW_MS + wait_ms
    assert forget_failures(memory, "default").backoffs == {}


def test_a_command_that_is_not_known_ends_nothing():
    memory = started()

    assert remember_end(memory, "other", NOW_MS) == memory


def test_moves_are_forgotten_after_an_hour():
    memory = remember_moves(Memory(), ["default/ReplicaSet/web"], NOW_MS)
    memory = remember_moves(memory, ["default/ReplicaSet/api"], NOW_MS + 3_600_000)

    assert memory.moved_ms == {"default/ReplicaSet/api": (NOW_MS + 3_600_000,)}


def test_a_workload_that_moved_lately_costs_more_to_move_again():
    low, high = a_fleet_node("low", 1), a_fleet_node("high", 8)
    things = (low, high, on(low, *("40m",) * 20, app="web"), on(high, "7", app="api"))
    often = Memory(moved_ms={"default/ReplicaSet/web": (NOW_MS - 1000,) * 5})

    assert [one.nodes[0].node for one in decided(*things).commands] == ["low"]
    assert decided(*things, memory=often).kept["low"].code == "NW-4203"
