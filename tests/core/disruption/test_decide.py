"""The whole answer: what never happens, whatever the cluster looks like."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import ZONES, a_selector, a_spread, a_term
from builders.fleet import (
    BOTH_SIZES,
    a_fleet_node,
    a_fleet_pool,
    a_guard,
    decided,
    fleet_world,
    gone,
    on,
)
from nodewright.core.disruption.decide import decide
from nodewright.model.disruption import Memory, Method, Settings
from nodewright.model.instant import print_instant
from nodewright.model.labels import CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.nodeclaim import NodeClaimStatus
from nodewright.model.nodepool import Budget
from nodewright.model.plan import FilledNode, Plan
from referee.judge import judge

CPUS = ("100m", "250m", "500m", "1", "1500m")


class Cluster:
    """A World that is told in a few words when a test fails."""

    def __init__(self, world):
        self.world = world

    def __repr__(self):
        nodes = [
            (node.metadata.name, node.metadata.labels[INSTANCE_TYPE], node.metadata.labels[ZONE],
             node.metadata.labels[CAPACITY_TYPE], node.metadata.labels[NODEPOOL])
            for node in self.world.nodes
        ]  # fmt: skip
        pods = [
            (pod.metadata.name, pod.spec.containers[0].resources.requests["cpu"])
            for pod in self.world.pods
        ]
        budgets = [pool.spec.disruption.budgets[0].nodes for pool in self.world.node_pools]
        return f"Cluster({nodes}, {pods}, {budgets})"


@st.composite
def clusters(draw):
    """Clusters of up to a dozen nodes in two pools, with guards, spreads and odd budgets."""
    pools = []
    for name in ("blue", "green"):
        nodes = draw(st.sampled_from(["0", "1", "2", "20%", "50%", "100%"]))
        pools.append(a_fleet_pool(name, budgets=[Budget(nodes=nodes)]))
    things = []
    for index in range(draw(st.integers(1, 12))):
        node = a_fleet_node(
            f"n{index:02d}",
            draw(st.sampled_from((2, 4, 8))),
            zone=draw(st.sampled_from(ZONES)),
            pool=draw(st.sampled_from(("blue", "green"))),
            capacity_type=draw(st.sampled_from(("on-demand", "spot"))),
        )
        things.append(node)
        app = draw(st.sampled_from(("web", "api", "db", "cache", "")))
        spread = [a_spread(selector=a_selector(app="api"))]
        count = draw(st.integers(0, 4))
        things.append(
            on(
                node,
                *draw(st.lists(st.sampled_from(CPUS), min_size=count, max_size=count)),
                app=app,
                spread=spread if app == "api" else (),
                apart=[a_term(HOSTNAME, selector=a_selector(app="db"))] if app == "db" else (),
                near=[a_term(ZONE, selector=a_selector(app="cache"))] if app == "cache" else (),
                ports=[8080] if app == "web" and draw(st.booleans()) else (),
                selector={ZONE: node[0].metadata.labels[ZONE]} if draw(st.booleans()) else None,
            )
        )
    things.append(a_guard("guard", draw(st.integers(0, 1))))
    return Cluster(fleet_world(*pools, *things, *BOTH_SIZES))


def as_plan(world, command):
    """A command as a plan for a World in which its nodes are going."""
    going = {one.node for one in command.nodes}
    claims = {one.claim for one in command.nodes}
    stamp = print_instant(world.now_ms)

    def mark(one):
        return replace(one, metadata=replace(one.metadata, deletion_timestamp=stamp))

    left = replace(
        world,
        nodes=tuple(mark(one) if one.metadata.name in going else one for one in world.nodes),
        node_claims=tuple(
            mark(one) if one.metadata.name in claims else one for one in world.node_claims
        ),
    )
    filled = {}
    for key, place in command.moves.items():
        if isinstance(place, str):
            filled.setdefault(place, []).append(key)
    plan = Plan(
        new_nodes=command.replacements,
        existing_nodes=tuple(FilledNode(name, tuple(keys)) for name, keys in filled.items()),
        price=sum(one.offering.price for one in command.replacements),
    )
    return left, plan


@settings(max_examples=60, deadline=None)
@given(clusters())
def test_no_budget_is_ever_exceeded(cluster):
    world = cluster.world
    answer = decide(world, world.now_ms, Settings(), Memory())
    free = {(one.node_pool, one.reason): one.free for one in answer.allowances}

    for pool in ("blue", "green"):
        count = sum(one.node_pool == pool for c in answer.commands for one in c.nodes)
        assert count <= max(free[(pool, reason)] for reason in ("Empty", "Underutilized"))


@settings(max_examples=60, deadline=None)
@given(clusters())
def test_every_command_passes_the_referee(cluster):
    world = cluster.world
    answer = decide(world, world.now_ms, Settings(), Memory())

    for command in answer.commands:
        left, plan = as_plan(world, command)
        assert judge(left, plan) == []


@settings(max_examples=60, deadline=None)
@given(clusters())
def test_every_node_is_answered_once_and_no_taker_goes(cluster):
    world = cluster.world
    answer = decide(world, world.now_ms, Settings(), Memory())
    names = [one.node for command in answer.commands for one in command.nodes]
    takers = {
        place for command in answer.commands for place in command.moves.values() if place != 0
    }

    assert len(names) == len(set(names))
    assert {*names, *answer.kept} == {node.metadata.name for node in world.nodes}
    assert not takers & set(names)


@settings(max_examples=40, deadline=None)
@given(clusters())
def test_every_step_saves_money(cluster):
    world = cluster.world
    answer = decide(world, world.now_ms, Settings(), Memory())

    assert all(command.savings > 0 for command in answer.commands)
    assert answer.price_after == answer.price_before - sum(c.savings for c in answer.commands)


@settings(max_examples=20, deadline=None)
@given(clusters())
def test_the_same_world_gives_the_same_answer(cluster):
    world = cluster.world
    first = decide(world, world.now_ms, Settings(), Memory())
    second = decide(world, world.now_ms, Settings(), Memory())

    assert first == second


def test_a_full_cluster_of_well_bought_nodes_stays_as_it_is():
    nodes = [a_fleet_node(f"n{index}", 4) for index in range(4)]
    answer = decided(*nodes, *(on(node, "1900m", "1900m") for node in nodes))

    assert answer.commands == ()
    assert {one.code for one in answer.kept.values()} == {"NW-4202"}


def test_empty_nodes_go_before_pods_are_moved():
    empty, low, full = a_fleet_node("a"), a_fleet_node("b"), a_fleet_node("c")
    answer = decided(empty, low, full, on(low, "500m"), on(full, "3"))

    assert [command.method for command in answer.commands] == [Method.EMPTINESS, Method.SINGLE]
    assert gone(answer) == {"a", "b"}
    assert answer.commands[1].moves == {"default/pod-b-0": "c"}


def test_a_claim_that_is_launching_holds_up_nobody():
    _, claim = a_fleet_node("coming")
    launching = replace(claim, status=NodeClaimStatus())
    answer = decided(launching, a_fleet_node("empty"))

    assert gone(answer) == {"empty"}
