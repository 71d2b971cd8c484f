"""Answers on random clusters with every kind of constraint: all commands pass the referee."""

import json

import pytest
from msgspec.structs import replace

from nodewright.core.disruption.decide import decide
from nodewright.core.scheduling.selectors import read_selector
from nodewright.model.disruption import Memory, Settings
from nodewright.model.instant import print_instant
from nodewright.model.nodepool import Budget, Disruption
from nodewright.model.plan import FilledNode, Plan
from nodewright.state.snapshot import read_snapshot
from problems import generate
from referee.judge import judge


def open_up(world):
    """Let every node go as far as its pool is concerned."""
    free = Disruption(consolidate_after="0s", budgets=(Budget(nodes="100%"),))
    return replace(
        world,
        node_pools=tuple(
            replace(pool, spec=replace(pool.spec, disruption=free)) for pool in world.node_pools
        ),
    )


def as_plan(world, command):
    """A command as a plan for a World in which its nodes are going and nobody else waits."""
    named = {key for one in command.replacements for key in one.pods}
    going = {one.node for one in command.nodes}
    claims = {one.claim for one in command.nodes}
    stamp = print_instant(world.now_ms)

    def mark(one):
        return replace(one, metadata=replace(one.metadata, deletion_timestamp=stamp))

    filled = {}
    for key, place in command.moves.items():
        if isinstance(place, str):
            filled.setdefault(place, []).append(key)
    left = replace(
        world,
        pods=tuple(pod for pod in world.pods if pod.spec.node_name or pod.key in named),
        nodes=tuple(mark(one) if one.metadata.name in going else one for one in world.nodes),
        node_claims=tuple(
            mark(one) if one.metadata.name in claims else one for one in world.node_claims
        ),
    )
    plan = Plan(
        new_nodes=command.replacements,
        existing_nodes=tuple(FilledNode(name, tuple(keys)) for name, keys in filled.items()),
        price=sum(one.offering.price for one in command.replacements),
    )
    return left, plan


def awaits_company(world, key):
    """Whether pods that a pod must be near are only waiting for their nodes.

    They are given places before anybody is moved, which a plan of the command alone cannot show.
    """
    pod = next(one for one in world.pods if one.key == key)
    wanted = [read_selector(one.label_selector) for one in pod.spec.affinity.pod_affinity.required]
    return any(
        one.selects(other.metadata.labels)
        for one in wanted
        for other in world.pods
        if not other.spec.node_name
    )


def complaints(seed, size):
    """Decide on a random cluster, and give what the referee says of each command."""
    document = json.dumps(generate(seed, size)).encode()
    world = open_up(read_snapshot(document, f"seed {seed}").world)
    answer = decide(world, world.now_ms, Settings(), Memory())
    return [
        (seed, [one.node for one in command.nodes], str(found))
        for command in answer.commands
        for found in judge(*as_plan(world, command))
        if found.rule != "roll" or any(found.object in one.pods for one in command.nodes)
        if found.rule != "affinity" or not awaits_company(world, found.object)
    ]


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_every_command_on_a_random_cluster_passes_the_referee(first):
    assert [one for seed in range(first, first + 20) for one in complaints(seed, "small")] == []


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_every_command_on_many_random_clusters_passes_the_referee(first):
    assert [one for seed in range(first, first + 100) for one in complaints(seed, "small")] == []
