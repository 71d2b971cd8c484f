"""What is remembered of commands: rates, swaps, moves, waves, and pools that are left alone."""

from msgspec.structs import replace

from builders.fleet import a_fleet_node, a_fleet_pool, fleet_world
from builders.lives import a_claim
from nodewright.core.chronicle import (
    enter_wave,
    note_begun,
    note_failed,
    note_replaced,
    recall_world,
)
from nodewright.core.disruption.policies import PoolPolicy, WaveRule
from nodewright.model.command import COMMAND, Record
from nodewright.model.decision import Disrupt
from nodewright.model.disruption import (
    DRIFTED,
    UNDERUTILIZED,
    Backoff,
    Leaving,
    Memory,
    Method,
    Wave,
)
from nodewright.model.remembered import MEMORY, Remembered
from nodewright.model.resource import NODE_CLAIMS, Ref

NOW_MS = 1_000_000


def a_command(reason=UNDERUTILIZED, *, replaced=True):
    return Disrupt(
        subject=Ref(NODE_CLAIMS, "old"),
        reason=reason,
        record=Record("D-1", reason, Method.SINGLE, NOW_MS, ("new",) if replaced else ()),
        leaving=(Leaving("node", "old", "default", instance_type="m.8"),),
        claims=(a_claim("new"),) if replaced else (),
        types=("m.4",) if replaced else (),
    )


def test_a_command_is_remembered_for_rates_swaps_and_the_next_move():
    memory = note_begun(Memory(), a_command(), ["default/ReplicaSet/web"], NOW_MS)

    assert memory.gone_ms == {"default": (NOW_MS,)}
    assert memory.moved_ms == {"default/ReplicaSet/web": (NOW_MS,)}
    assert [(one.before, one.after) for one in memory.swaps] == [(("m.8",), ("m.4",))]
    assert memory.running == ()


def test_a_pool_whose_replacements_fail_waits_longer_each_time_until_one_works():
    record = a_command(DRIFTED).record
    once = note_failed(Memory(), "default", record, NOW_MS)
    twice = note_failed(once, "default", replace(record, id="D-2"), NOW_MS)
    fine = note_replaced(twice, "default")

    assert note_failed(once, "default", record, NOW_MS) == once
    assert once.backoffs["default"].until_ms == NOW_MS + 60_000
    assert twice.backoffs["default"].until_ms == NOW_MS + 120_000
    assert fine.backoffs == {}


def test_drifted_nodes_enter_the_wave_of_their_pool_with_what_replaces_them():
    policies = {"default": PoolPolicy(waves=WaveRule(1, 2, 60_000, 0))}
    targets = {"default": "hash"}
    memory = enter_wave(Memory(), a_command(DRIFTED), policies, targets, NOW_MS)

    assert memory.waves == {"default": Wave("hash", 1, ("node",), ("new",))}
    assert enter_wave(Memory(), a_command(), policies, targets, NOW_MS) == Memory()


def test_a_drift_that_failed_counts_in_the_wave_and_a_move_for_money_does_not():
    memory = Memory(waves={"default": Wave("hash", 1)})
    drift, money = a_command(DRIFTED).record, a_command().record

    assert note_failed(memory, "default", drift, NOW_MS).waves["default"].failed == 1
    assert note_failed(memory, "default", money, NOW_MS).waves == memory.waves


def test_a_world_that_nobody_prepared_tells_what_runs_and_what_is_remembered():
    node, claim = a_fleet_node("old")
    record = Record("D-7", DRIFTED, Method.DRIFT, NOW_MS, ("new",))
    annotations = {COMMAND: record.write()}
    going = replace(claim, metadata=replace(claim.metadata, annotations=annotations))
    text = Remembered(backoff=Backoff(2, NOW_MS + 1000), wave=Wave("t", 1, ("old",))).write()
    pool = a_fleet_pool()
    pool = replace(pool, metadata=replace(pool.metadata, annotations={MEMORY: text}))
    memory = recall_world(fleet_world(pool, (node, going)))

    assert [(one.id, one.nodes) for one in memory.running] == [("D-7", ("old",))]
    assert memory.backoffs["default"].failures == 2
    assert memory.waves["default"].gone == ("old",)
    assert recall_world(fleet_world(a_fleet_node("n"))) == Memory()
