"""To the end: the better of two ways, with every move that leads there, and an end to it."""

import random

import pytest

from builders import ZONES, a_type
from builders.fleet import BOTH_SIZES, a_fleet_node, a_fleet_pool, fleet_world, gone, on
from nodewright.core.disruption import endgame
from nodewright.core.disruption.decide import decide
from nodewright.core.disruption.endgame import decide_to_end
from nodewright.model.disruption import Memory, Settings
from nodewright.model.instance import NanoUSD

CPUS = ("250m", "500m", "900m", "1500m")


def a_cluster(seed, nodes=14):
    """A cluster after a scale-down: little is left on each node, and nobody chose where."""
    dice = random.Random(seed)
    things = [a_fleet_pool(), *BOTH_SIZES]
    for index in range(nodes):
        node = a_fleet_node(
            f"n{index:02d}",
            dice.choice((4, 8, 16)),
            zone=dice.choice(ZONES),
            capacity_type=dice.choice(("on-demand", "spot")),
        )
        things.append(node)
        things.extend(
            on(node, *dice.choices(CPUS, k=dice.randint(0, 2)), app=app)
            for app in ("web", "api", "jobs")
        )
    return fleet_world(*things)


def burden(answer):
    """What an end costs in the four hours in which moves must pay, with its moves."""
    moves = sum(len(one.moves) for one in answer.commands)
    return answer.price_after * 4 + moves * Settings().pod_move_price


@pytest.mark.parametrize("seed", range(12))
def test_the_end_is_never_worse_than_one_step_of_either_way(seed):
    world = a_cluster(seed)
    answer = decide_to_end(world, Settings(), Memory())

    for anew in (False, True):
        step = decide(world, world.now_ms, Settings(to_end=True, anew=anew), Memory())
        assert burden(answer) <= burden(step)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_saved_is_what_the_commands_save(seed):
    answer = decide_to_end(a_cluster(seed), Settings(), Memory())

    assert answer.commands
    assert answer.price_after == answer.price_before - sum(one.savings for one in answer.commands)


def a_fragmented_cluster():
    """Nodes in three kinds of fill, none of which can take another's pods."""
    kinds = [
        a_type(f"{family}.{cpu}", cpu=cpu, memory=f"{cpu * gib}Gi", price=cpu * price)
        for family, gib, price in (("c", 2, 0.04), ("m", 4, 0.045), ("r", 8, 0.06))
        for cpu in (4, 8, 16, 32)
    ]
    things = [a_fleet_pool(), *kinds]
    dice = random.Random(3)
    for index in range(20):
        node = a_fleet_node(f"n{index:02d}", 16, kind=dice.choice(kinds[2::4]))
        things.append(node)
        for number in range(dice.randint(2, 6)):
            cpu, memory = dice.choice(CPUS), dice.choice(("1Gi", "3Gi", "7Gi"))
            things.append(on(node, cpu, app=f"app-{number}", memory=memory))
    return fleet_world(*things)


def test_both_ways_are_gone_and_they_differ():
    world = a_fragmented_cluster()
    one_by_one, anew = (
        decide(world, world.now_ms, Settings(to_end=True, anew=way), Memory())
        for way in (False, True)
    )

    assert one_by_one.price_after != anew.price_after
    assert burden(decide_to_end(world, Settings(), Memory())) <= min(
        burden(one_by_one), burden(anew)
    )


def test_where_there_are_very_many_pods_only_one_way_is_gone(monkeypatch):
    world = a_fragmented_cluster()
    monkeypatch.setattr(endgame, "ANEW_PODS_MAX", 0)
    usual = decide(world, world.now_ms, Settings(to_end=True), Memory())

    answer = decide_to_end(world, Settings(), Memory())
    assert answer.commands[: len(usual.commands)] == usual.commands


def test_moving_a_workload_again_must_save_twice_as_much():
    small, large = a_fleet_node("small", 4), a_fleet_node("large", 16)
    world = fleet_world(small, large, on(small, "500m", app="web"), on(large, "14", app="api"))
    dear = Settings(pod_move_price=NanoUSD(500_000_000))
    lately = Memory(moved_ms={"default/ReplicaSet/web": (world.now_ms,)})

    assert gone(decide(world, world.now_ms, dear, Memory())) == {"small"}
    assert gone(decide(world, world.now_ms, dear, lately)) == set()
