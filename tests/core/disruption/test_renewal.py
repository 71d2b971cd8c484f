"""Renewal: turns, waves, back-off, grace periods and static pools."""

from msgspec.structs import replace

from builders import NOW_MS, a_pod
from builders.fleet import HOUR_MS, a_fleet_node, a_fleet_pool, a_policy, decided, gone, on
from nodewright.model.disruption import Backoff, Memory, Method, Wave
from nodewright.model.hashing import hash_nodepool
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.model.nodepolicy import Waves
from nodewright.model.nodepool import Budget


def drifted(*names, **more):
    return Memory(provider_drift={f"claim-of-{name}": "AMIDrift" for name in names}, **more)


def test_drift_goes_in_batches_within_the_budget():
    nodes = [a_fleet_node(f"n{i}") for i in range(5)]
    pool = a_fleet_pool(budgets=[Budget(nodes="3")])
    answer = decided(
        pool, *nodes, *(on(node, "3900m") for node in nodes), memory=drifted("n0", "n1", "n2", "n3")
    )

    assert gone(answer) == {"n0", "n1", "n2"}
    assert len(answer.commands) == 3
    assert answer.kept["n3"].code == "NW-4102"


def test_empty_drifted_nodes_come_before_older_ones():
    full, empty = a_fleet_node("a"), a_fleet_node("b")
    pool = a_fleet_pool(budgets=[Budget(nodes="1")], after="Never")
    answer = decided(pool, full, empty, on(full, "3900m"), memory=drifted("a", "b"))

    assert gone(answer) == {"b"}


def test_a_pool_whose_replacements_fail_is_left_alone_and_holds_up_no_other():
    bad, good = a_fleet_node("bad", pool="bad"), a_fleet_node("good", pool="good")
    memory = drifted("bad", "good", backoffs={"bad": Backoff(2, NOW_MS + 60_000)})
    pools = a_fleet_pool("bad"), a_fleet_pool("good")
    answer = decided(*pools, bad, good, on(bad, "3900m"), on(good, "3900m"), memory=memory)

    assert gone(answer) == {"good"}
    assert answer.kept["bad"].code == "NW-4112"
    assert answer.kept["bad"].until_ms == NOW_MS + 60_000


def test_a_grace_period_lets_drift_pass_over_protected_pods():
    guarded = {DO_NOT_DISRUPT: "true"}
    strict, lenient = a_fleet_node("strict"), a_fleet_node("lenient", grace="1h")
    pods = [
        a_pod(f"p-{n}", cpu="3900m", node=n, annotations=guarded) for n in ("strict", "lenient")
    ]
    answer = decided(strict, lenient, *pods, memory=drifted("strict", "lenient"))

    assert gone(answer) == {"lenient"}
    assert answer.kept["strict"].code == "NW-4008"
    assert answer.commands[0].replacements == ()


def test_waves_begin_with_one_node_and_wait_until_it_stayed_healthy():
    nodes = [a_fleet_node(f"n{i}") for i in range(4)]
    things = (*nodes, *(on(node, "3900m") for node in nodes), a_policy(waves=Waves()))
    names = [f"n{i}" for i in range(4)]
    first = decided(*things, memory=drifted(*names))
    assert gone(first) == {"n0"}
    assert first.kept["n1"].code == "NW-4110"

    target = hash_nodepool(a_fleet_pool())
    soaking = Wave(target, 1, ("n0",), settled_ms=NOW_MS - 60_000)
    waiting = decided(*things, memory=drifted(*names, waves={"default": soaking}))
    assert gone(waiting) == set()
    assert waiting.kept["n1"].until_ms == NOW_MS + 9 * 60_000

    soaked = replace(soaking, settled_ms=NOW_MS - HOUR_MS)
    assert len(gone(decided(*things, memory=drifted(*names, waves={"default": soaked})))) == 2

    failed = replace(soaking, failed=1)
    halted = decided(*things, memory=drifted(*names, waves={"default": failed}))
    assert halted.kept["n1"].code == "NW-4111"


def test_static_nodes_go_in_waves_too():
    pool = a_fleet_pool(replicas=3)
    nodes = [a_fleet_node(f"n{i}") for i in range(3)]
    answer = decided(pool, *nodes, a_policy(waves=Waves()), memory=drifted("n0", "n1", "n2"))

    assert gone(answer) == {"n0"}
    assert answer.kept["n1"].code == "NW-4110"


def test_static_nodes_with_the_last_healthy_replicas_do_not_go_together():
    pool = a_fleet_pool(replicas=2)
    nodes = [a_fleet_node(f"n{i}") for i in range(2)]
    pods = [on(node, "1", app="web") for node in nodes]
    answer = decided(pool, *nodes, *pods, memory=drifted("n0", "n1"))

    assert gone(answer) == {"n0"}
    assert answer.kept["n1"].code == "NW-4013"


def test_static_nodes_are_replaced_one_for_one_never_beyond_the_limit():
    pool = a_fleet_pool(replicas=3, limits={"nodes": "4"})
    nodes = [a_fleet_node(f"n{i}") for i in range(3)]
    answer = decided(pool, *nodes, memory=drifted("n0", "n1", "n2"))

    (command,) = answer.commands
    assert command.method is Method.STATIC_DRIFT
    assert len(command.replacements) == 1
    assert answer.kept["n1"].code == "NW-4208"
