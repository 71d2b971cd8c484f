"""Pods as a fluid: worth by machine, never more than any machine that holds the pod asks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_pod, a_type, a_world, pods
from nodewright.core.scheduling.fluid import fluid_worth
from nodewright.core.scheduling.knapsack import Knapsack
from nodewright.core.scheduling.offers import Tables
from nodewright.core.scheduling.problem import Problem


def worth_of(*things):
    tables = Tables(Problem(a_world(*things)), frozenset())
    limits = [tables.limits(offer) for offer in range(len(tables.prices))]
    return tables, limits, fluid_worth(tables, limits)


def test_pods_that_fill_a_machine_are_worth_its_price():
    _, _, worth = worth_of(pods(8, cpu=1, memory="4Gi"), a_type(cpu=4, memory="16Gi", price=0.2))

    assert worth == pytest.approx([50_000_000])


def test_cpu_without_memory_is_no_use_to_pods_that_need_both():
    # Beside each other the two machines have all that is asked for, at 0.11; no pod can use both.
    bare = a_type("bare", cpu=4, memory="256Mi", price=0.01)
    full = a_type("full", cpu=1, memory="4Gi", price=0.1)
    _, _, worth = worth_of(pods(4, cpu=1, memory="1Gi"), bare, full)

    assert worth @ np.array([4.0]) == pytest.approx(400_000_000)


@settings(max_examples=30)
@given(
    sizes=st.lists(st.tuples(st.integers(1, 8), st.integers(1, 16)), min_size=1, max_size=12),
    prices=st.lists(st.integers(1, 90), min_size=3, max_size=3),
)
def test_no_machine_can_be_filled_with_more_than_it_costs(sizes, prices):
    workload = [a_pod(f"p{n}", cpu=cpu, memory=f"{gib}Gi") for n, (cpu, gib) in enumerate(sizes)]
    shapes = zip((8, 16, 32), (32, 16, 128), prices, strict=True)
    types = [a_type(f"t{c}", cpu=c, memory=f"{g}Gi", price=p / 100) for c, g, p in shapes]
    tables, limits, worth = worth_of(workload, types)
    knapsack = Knapsack(tables.amounts)

    for offer, price in enumerate(tables.prices):
        most, _ = knapsack.relaxed(worth, tables.free[offer], limits[offer])
        assert most <= price * (1 + 1e-6)
