"""Disruption on the simulated cluster: nodes go that nobody needs, and nobody is hurt by it."""

import msgspec
import pytest

from nodewright.app.run import autoscale, run_controllers
from nodewright.controllers.ports import Settings
from nodewright.model.command import COMMAND, REPLACES
from nodewright.model.labels import DISRUPTED_TAINT, DO_NOT_DISRUPT, INSTANCE_TYPE
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, PODS
from nodewright.model.world import Options
from nodewright.sim.objects import DEPLOYMENTS
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, begin, claims_of, running, told
from sim.checkers.worlds import put

WEB = {"name": "web", "replicas": 20, "cpu": "900m", "memory": "1Gi"}
ON_DEMAND = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
ALL = [{"nodes": "100%"}]
PDB = {
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}},
}


def a_cluster(*objects, workload=WEB, budgets=ALL, after="0s", seed=0, **disruption):
    """A cluster on which the web server runs."""
    pool = a_pool_manifest(disruption={"consolidateAfter": after, "budgets": budgets, **disruption})
    sim, _ = begin(CLASS, pool, *objects, workloads=[workload], seed=seed)
    assert sim.run_until(lambda: running(sim) >= workload["replicas"], 10 * MINUTE_MS)
    return sim


def resize(sim, replicas):
    def sized(one):
        return msgspec.structs.replace(
            one, spec=msgspec.structs.replace(one.spec, replicas=replicas)
        )

    sim.api.change(DEPLOYMENTS, "default/web", sized, "user")


def edit(sim, **labels):
    """Change the template of the pool, so that all its nodes have drifted."""

    def edited(pool):
        template = pool.spec.template
        changed = msgspec.structs.replace(
            template, metadata=msgspec.structs.replace(template.metadata, labels=labels)
        )
        return msgspec.structs.replace(
            pool, spec=msgspec.structs.replace(pool.spec, template=changed)
        )

    sim.api.change(NODE_POOLS, "default", edited, "user")


def sell_nothing(sim):
    for kind in sim.market.types.values():
        for offering in kind.offerings:
            sim.market.set_depth((kind.name, offering.zone, offering.capacity_type), 0)


def names(sim):
    return {claim.metadata.name for claim in claims_of(sim, "default")}


def tainted(sim):
    return [
        node.metadata.name
        for node in sim.api.each(NODES)
        if any(one.key == DISRUPTED_TAINT for one in node.spec.taints)
    ]


def places(sim):
    """Give where each pod of the web server runs."""
    return {pod.key: pod.spec.node_name for pod in sim.api.each(PODS) if "web" in pod.key}


def healthy(sim):
    return [
        pod
        for pod in sim.api.each(PODS)
        if pod.metadata.deletion_timestamp is None
        and any(one.type == "Ready" and one.status == "True" for one in pod.status.conditions)
    ]


def test_empty_nodes_go():
    sim = a_cluster()
    resize(sim, 0)

    assert sim.run_until(lambda: not names(sim), 5 * MINUTE_MS)
    sim.run_for(5 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_pods_move_together_and_the_nodes_that_they_leave_go():
    sim = a_cluster()
    before = len(names(sim))
    resize(sim, 4)

    assert sim.run_until(lambda: len(names(sim)) == 1, 10 * MINUTE_MS)
    assert before > 2
    sim.run_for(5 * MINUTE_MS)
    assert running(sim) == 4
    assert sim.conclude().violations == ()


def test_a_node_that_is_too_large_is_replaced_by_a_smaller_one():
    big = {**WEB, "replicas": 1, "cpu": "6", "memory": "20Gi"}
    small = {"name": "small", "replicas": 1, "cpu": "200m", "memory": "256Mi"}
    sim, _ = begin(CLASS, a_pool_manifest(requirements=[ON_DEMAND]), workloads=[big, small])
    assert sim.run_until(lambda: running(sim) >= 2, 10 * MINUTE_MS)
    (large,) = claims_of(sim, "default")
    resize(sim, 0)

    def is_smaller():
        found = claims_of(sim, "default")
        kinds = {one.metadata.labels.get(INSTANCE_TYPE) for one in found}
        return len(found) == 1 and kinds == {"m6i.large"}

    assert large.metadata.labels[INSTANCE_TYPE] == "m6i.2xlarge"
    assert sim.run_until(is_smaller, 10 * MINUTE_MS)
    (made,) = claims_of(sim, "default")
    assert made.metadata.annotations[REPLACES].startswith("D-")
    sim.run_for(3 * MINUTE_MS)
    assert running(sim) == 1
    assert sim.conclude().violations == ()


def test_a_pool_that_was_edited_is_renewed_within_its_budget():
    sim = a_cluster(budgets=[{"nodes": "1"}], workload={**WEB, "replicas": 12})
    before = names(sim)
    edit(sim, team="blue")
    most = 0
    for _ in range(900):
        sim.run_for(1_000)
        most = max(most, len(tainted(sim)))
        if not before & {one.metadata.name for one in sim.api.each(NODE_CLAIMS)}:
            break

    assert not before & names(sim)
    assert most == 1
    assert {one.metadata.labels.get("team") for one in claims_of(sim, "default")} == {"blue"}
    sim.run_for(3 * MINUTE_MS)
    assert running(sim) == 12
    assert sim.conclude().violations == ()


@pytest.mark.parametrize("is_sold", [True, False])
def test_a_replacement_that_never_comes_leaves_every_pod_where_it_was(is_sold):
    sim = a_cluster(workload={**WEB, "replicas": 6})
    before, at = names(sim), places(sim)
    if is_sold:
        # Machines start and never become nodes.
        sim.faults.happens = lambda kind, *_: kind == "node.unregistered"
    else:
        sell_nothing(sim)
    edit(sim, team="blue")

    assert sim.run_until(lambda: bool(tainted(sim)), 2 * MINUTE_MS)
    assert sim.run_until(lambda: not tainted(sim), 12 * MINUTE_MS)
    assert before <= names(sim)
    assert places(sim) == at
    left = [one for one in claims_of(sim, "default") if one.metadata.name in before]
    sim.run_until(lambda: not any(COMMAND in one.metadata.annotations for one in left), MINUTE_MS)
    sim.close()


def test_a_budget_of_pods_and_a_mark_on_a_pod_keep_their_nodes():
    held = {**WEB, "replicas": 6}
    sim = a_cluster(PDB, workload=held)
    before = names(sim)
    edit(sim, team="blue")
    sim.run_for(5 * MINUTE_MS)

    assert names(sim) == before
    assert tainted(sim) == []
    node = next(iter(sim.api.each(NODES))).metadata.name
    assert "PodDisruptionBudget default/web" in told(sim, node)["DisruptionBlocked"]
    assert sim.conclude().violations == ()
    marked = {**WEB, "replicas": 6, "annotations": {DO_NOT_DISRUPT: "true"}}
    sim = a_cluster(workload=marked)
    before = names(sim)
    edit(sim, team="blue")
    sim.run_for(5 * MINUTE_MS)
    assert names(sim) == before
    assert sim.conclude().violations == ()


def test_conditions_say_what_is_quiet_and_what_has_drifted():
    sim = a_cluster(after="5m", budgets=[{"nodes": "0"}])

    def kinds():
        return {
            one.type
            for claim in claims_of(sim, "default")
            for one in claim.status.conditions
            if one.status == "True"
        }

    sim.run_for(MINUTE_MS)
    assert not {"Consolidatable", "Drifted"} & kinds()
    sim.run_for(6 * MINUTE_MS)
    assert "Consolidatable" in kinds()
    edit(sim, team="blue")
    assert sim.run_until(lambda: "Drifted" in kinds(), MINUTE_MS)
    edit(sim)
    assert sim.run_until(lambda: "Drifted" not in kinds(), MINUTE_MS)
    assert "zero" not in told(sim, "default")
    sim.close()


def test_a_death_does_not_make_nodes_wait_longer():
    sim = a_cluster(after="10m")
    quiet_ms = sim.loop.now_ms()
    sim.run_for(8 * MINUTE_MS)
    resize(sim, 0)
    gone_ms = sim.loop.now_ms()
    sim.run_for(5 * MINUTE_MS)
    sim.process.kill()

    assert names(sim)
    assert gone_ms - quiet_ms == 8 * MINUTE_MS
    assert sim.run_until(lambda: not names(sim), 7 * MINUTE_MS)
    assert sim.loop.now_ms() - gone_ms >= 10 * MINUTE_MS
    assert sim.conclude().violations == ()


def test_a_pause_undoes_what_was_begun_and_begins_nothing():
    sim = a_cluster(workload={**WEB, "replicas": 6})
    before, at = names(sim), places(sim)
    edit(sim, team="blue")
    assert sim.run_until(lambda: bool(tainted(sim)), 2 * MINUTE_MS)
    policy = {
        "kind": "NodePolicy",
        "metadata": {"name": "hush"},
        "spec": {"pause": {"until": "2030-01-01T00:00:00Z", "reason": "a feast"}},
    }
    put(sim, policy)
    assert sim.run_until(lambda: not tainted(sim), MINUTE_MS)
    sim.run_for(10 * MINUTE_MS)
    assert before <= names(sim)
    assert places(sim) == at
    assert sim.conclude().violations == ()


def test_two_nodes_with_the_last_healthy_replicas_do_not_go_together():
    apart = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {
                    "topologyKey": "kubernetes.io/hostname",
                    "labelSelector": {"matchLabels": {"app": "web"}},
                }
            ]
        }
    }
    sim = a_cluster(workload={**WEB, "replicas": 2, "pod": {"affinity": apart}})
    before = names(sim)
    edit(sim, team="blue")
    fewest = 2
    while before & names(sim):
        sim.run_for(500)
        going = set(tainted(sim))
        safe = [pod for pod in healthy(sim) if pod.spec.node_name not in going]
        fewest = min(fewest, len(safe))

    assert len(before) == 2
    assert fewest == 1
    sim.close()


def outcome(call, seed=3):
    """Renew a pool, with one death on the way; give how it stood in the end."""
    sim = a_cluster(workload={**WEB, "replicas": 6}, seed=seed)
    before = names(sim)
    edit(sim, team="blue")
    if call is not None:
        sim.process.session.die_at_call = sim.process.session.call_count + call
    done = sim.run_until(lambda: not before & names(sim) and running(sim) == 6, 20 * MINUTE_MS)
    sim.run_for(5 * MINUTE_MS)
    left = len(tainted(sim)), len(names(sim))
    return done, left, sim.conclude().violations


@pytest.mark.parametrize("call", range(1, 40, 6))
def test_a_death_at_any_moment_of_a_command_changes_nothing(call):
    done, (marks, _), violations = outcome(call)

    assert (done, marks, violations) == (True, 0, ())


@pytest.mark.soak
@pytest.mark.parametrize("call", range(1, 150))
def test_a_death_at_every_moment_of_a_command_changes_nothing(call):
    done, (marks, _), violations = outcome(call, seed=call)

    assert (done, marks, violations) == (True, 0, ())


def repairing(ports):
    """Run all controllers with the gate NodeRepair open."""
    options = Options(pending_rule="live", feature_gates={"NodeRepair": True})
    return run_controllers(ports, Settings(options=options), is_strict=True)


@pytest.mark.parametrize(("autoscaler", "goes"), [(repairing, True), (autoscale, False)])
def test_a_node_that_stays_broken_is_ended_and_replaced_where_the_gate_is_open(autoscaler, goes):
    pool = a_pool_manifest(disruption={"consolidateAfter": "Never"})
    sim, _ = begin(CLASS, pool, workloads=[{**WEB, "replicas": 12}], autoscaler=autoscaler)
    assert sim.run_until(lambda: running(sim) >= 12, 10 * MINUTE_MS)
    broken = claims_of(sim, "default")[0]
    sim.cluster.kubelets.silence(broken.status.node_name, 120 * MINUTE_MS)
    sim.run_for(25 * MINUTE_MS)
    assert broken.metadata.name in names(sim)
    sim.run_for(10 * MINUTE_MS)
    assert (broken.metadata.name not in names(sim)) == goes
    sim.close()
