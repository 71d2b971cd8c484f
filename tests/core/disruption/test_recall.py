"""Recall: what stands on pools, put together, is the memory again, and never grows without end."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import a_fleet_pool
from nodewright.core.disruption.policies import PoolPolicy, WaveRule
from nodewright.core.disruption.recall import (
    INSTANTS_MAX,
    WORKLOADS_MAX,
    cut_out,
    freshen,
    put_back,
)
from nodewright.model.disruption import Backoff, Memory, Swap, Wave
from nodewright.model.nodepolicy import PolicyBudget, Rate
from nodewright.model.remembered import MEMORY, Remembered, parse_remembered, read_remembered

HOUR_MS = 3_600_000
POLICY = PoolPolicy(
    waves=WaveRule(1, 2, 600_000, 0),
    budgets=(PolicyBudget(rate=Rate(nodes="1", per="30m")), PolicyBudget(nodes="3")),
)
MEMORY_OF_TWO = Memory(
    waves={"a": Wave("t", 2, ("n1",), ("m1",), 1, ("D-1",), NOW_MS)},
    backoffs={"b": Backoff(3, NOW_MS + 60_000, "D-9")},
    gone_ms={"a": (NOW_MS - 1000, NOW_MS - 1000, NOW_MS)},
    moved_ms={"default/ReplicaSet/web": (NOW_MS - 5000, NOW_MS)},
    movers={"a": ("default/ReplicaSet/web",), "b": ("default/ReplicaSet/web",)},
    swaps=(Swap("b", ("m.8",), ("m.4",), NOW_MS),),
)


def test_what_stands_on_pools_is_the_memory_again():
    found = Memory()
    for name in ("a", "b"):
        text = cut_out(MEMORY_OF_TWO, name, POLICY, NOW_MS).write()
        found = put_back(found, name, parse_remembered(text))

    assert found == MEMORY_OF_TWO


def test_what_stands_on_a_pool_replaces_what_was_thought_of_it_and_of_no_other():
    left = put_back(MEMORY_OF_TWO, "a", Remembered())

    assert (left.waves, left.gone_ms) == ({}, {})
    assert left.backoffs == MEMORY_OF_TWO.backoffs
    assert left.swaps == MEMORY_OF_TWO.swaps


def test_a_pool_without_rates_and_waves_remembers_neither():
    known = cut_out(MEMORY_OF_TWO, "a", PoolPolicy(), NOW_MS)

    assert (known.wave, known.gone) == (None, ())


def test_time_alone_leaves_nothing_to_write():
    written = cut_out(MEMORY_OF_TWO, "a", POLICY, NOW_MS)
    later_ms = NOW_MS + 2 * HOUR_MS
    now = cut_out(MEMORY_OF_TWO, "a", POLICY, later_ms)

    assert (now.gone, now.moved_ms) == ((), {})
    assert freshen(written, POLICY, later_ms) == now


def test_nothing_to_remember_is_no_annotation_and_bad_text_is_nothing():
    pool = a_fleet_pool()
    spoilt = replace(pool, metadata=replace(pool.metadata, annotations={MEMORY: "{"}))

    assert Remembered().write() is None
    assert read_remembered(pool) == read_remembered(spoilt) == Remembered()


@given(st.lists(st.integers(0, 1_700_000), max_size=3 * INSTANTS_MAX))
def test_instants_are_brought_together_so_that_a_rate_never_allows_more(ages):
    memory = Memory(gone_ms={"a": tuple(sorted(NOW_MS - age for age in ages))})
    known = cut_out(memory, "a", POLICY, NOW_MS)

    assert len(known.gone) <= INSTANTS_MAX
    assert sum(count for _, count in known.gone) == len(ages)
    for cut_ms in (60_000, 600_000, 1_700_000):
        real = sum(age < cut_ms for age in ages)
        kept = sum(count for at_ms, count in known.gone if NOW_MS - at_ms < cut_ms)
        assert kept >= real


def test_only_the_workloads_that_moved_last_are_kept():
    names = [f"w{number:04}" for number in range(WORKLOADS_MAX + 50)]
    moved = {name: (NOW_MS - number,) for number, name in enumerate(names)}
    memory = Memory(moved_ms=moved, movers={"a": tuple(names)})

    assert list(cut_out(memory, "a", POLICY, NOW_MS).moved_ms) == names[:WORKLOADS_MAX]
