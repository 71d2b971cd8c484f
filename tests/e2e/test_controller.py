"""The whole controller on a real control plane, under its own role: it scales, it drains, it dies."""

import random
import threading
import time

import pytest

from e2e.controller_rig import (
    SHAPES,
    NodeWatch,
    Replica,
    a_budget,
    a_class,
    a_deployment,
    a_node_pool,
    count,
    count_running,
    furnish,
    sweep,
)

pytestmark = pytest.mark.e2e
GUARDED = "app-7"
# Whoever is killed every few seconds on a busy machine gets little done in each life.
LIMIT_S = 600


@pytest.fixture
def ready(cluster, namespace, tmp_path):
    """A furnished cluster without claims, with somebody who counts nodes; empty again afterwards."""
    kubeconfig = furnish(cluster)
    sweep(cluster)
    cluster.create(a_class(), a_node_pool())
    watch = NodeWatch(cluster, tmp_path)
    yield kubeconfig, watch, tmp_path
    watch.close()
    sweep(cluster)


class Killer:
    """Kills a replica with -9 at random moments and starts it again, until it has done so enough."""

    def __init__(self, replica, kills):
        self._replica = replica
        self._chance = random.Random(kills)
        self._left = kills
        self._halt = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.done = 0

    def __enter__(self):
        self._replica.start()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._halt.set()
        self._thread.join()
        self._replica.kill()

    def _run(self):
        while self.done < self._left:
            while not self._replica.is_leading():
                if self._halt.wait(0.2):
                    return
            if self._halt.wait(self._chance.uniform(0.2, 6.0)):
                return
            self._replica.kill()
            self.done += 1
            self._replica.start()


def scale_up(cluster, namespace, replicas):
    """Ask for fifty shapes of pods, and wait until all run."""
    cluster.create(*(a_deployment(namespace, number, replicas) for number in range(SHAPES)))
    cluster.create(a_budget(namespace, GUARDED, replicas - 1))
    cluster.wait_for(
        "every pod runs",
        lambda: count_running(cluster, namespace) == SHAPES * replicas,
        limit_s=LIMIT_S,
    )


def assert_one_machine_each(cluster, watch):
    """No claim ever had two machines; each has its machine, if need be in a moment."""
    cluster.wait_for(
        "claims and nodes are one to one", lambda: machines_of(cluster) == claims_of(cluster)
    )
    twice = {claim: uids for claim, uids in watch.machines().items() if len(uids) > 1}
    assert twice == {}


def claims_of(cluster):
    return sorted(one["metadata"]["name"] for one in cluster.get("nodeclaims")["items"])


def machines_of(cluster):
    return sorted(
        one["metadata"]["annotations"]["karpenter.sh/nodeclaim"]
        for one in cluster.get("nodes")["items"]
    )


def assert_budget_holds(cluster, namespace, replicas):
    """Drain everything while no new node can be made: the guarded app keeps what it was promised."""
    cluster.kubectl("delete", "nodepool", "default", "--wait=false")
    cluster.wait_for(
        "most pods are evicted", lambda: count_running(cluster, namespace) < SHAPES * replicas // 4,
        limit_s=LIMIT_S,
    )  # fmt: skip
    end = time.monotonic() + 3
    while time.monotonic() < end:
        assert count_running(cluster, namespace, GUARDED) >= replicas - 1
        time.sleep(1.0)


def scale_down(cluster, namespace):
    """Scale to zero, and wait until nothing is left."""
    cluster.kubectl("scale", "deployment", "--all", "--replicas=0", "-n", namespace)
    cluster.wait_for("no node is left", lambda: not count(cluster, "nodes"), limit_s=LIMIT_S)
    cluster.wait_for("no claim is left", lambda: not count(cluster, "nodeclaims"), limit_s=LIMIT_S)


def clear(cluster, namespace):
    """Take away what was asked for, so that it can be asked for again."""
    cluster.kubectl("delete", "deployment,pdb", "--all", "-n", namespace)
    cluster.wait_for("the pool is gone", lambda: not count(cluster, "nodepools"))
    cluster.create(a_node_pool())


@pytest.mark.parametrize(
    ("replicas", "kills"),
    [
        pytest.param(8, 3, id="400-pods-3-kills"),
        pytest.param(20, 4, id="1000-pods-4-kills", marks=pytest.mark.soak),
        pytest.param(20, 20, id="1000-pods-20-kills", marks=pytest.mark.soak),
    ],
)
def test_pods_of_fifty_shapes_run_and_go_however_often_the_controller_is_killed(
    cluster, namespace, ready, replicas, kills
):
    kubeconfig, watch, folder = ready
    replica = Replica(kubeconfig, folder)

    with Killer(replica, kills) as killer:
        # A quiet machine is done before it was killed often enough, and does it again.
        while True:
            scale_up(cluster, namespace, replicas)
            assert_one_machine_each(cluster, watch)
            assert_budget_holds(cluster, namespace, replicas)
            scale_down(cluster, namespace)
            if killer.done == kills:
                break
            clear(cluster, namespace)

    twice = {claim: uids for claim, uids in watch.machines().items() if len(uids) > 1}
    assert twice == {}
    assert replica.complaints() == []


def test_when_the_leader_is_killed_the_other_takes_over_and_launches_nothing_twice(
    cluster, namespace, ready
):
    kubeconfig, watch, folder = ready
    replicas = {name: Replica(kubeconfig, folder, name).start() for name in ("one", "two")}
    try:
        leader = cluster.wait_for("one leads", lambda: leading(replicas))
        cluster.create(*(a_deployment(namespace, number, 4) for number in range(20)))
        cluster.wait_for("claims are made", lambda: count(cluster, "nodeclaims"))
        replicas[leader].kill()
        killed_s = time.monotonic()
        (other,) = set(replicas) - {leader}
        cluster.wait_for("the other leads", lambda: replicas[other].has_said("leading"))
        took_s = time.monotonic() - killed_s
        cluster.wait_for(
            "every pod runs", lambda: count_running(cluster, namespace) == 80, limit_s=90
        )
        assert took_s < 20
        assert_one_machine_each(cluster, watch)
        cluster.kubectl("delete", "deployment", "--all", "-n", namespace)
        cluster.kubectl("delete", "nodeclaims", "--all", "--wait=false")
        cluster.wait_for("no node is left", lambda: not count(cluster, "nodes"), limit_s=60)
        assert replicas[other].stop() == 0
    finally:
        for one in replicas.values():
            one.kill()
    assert [one.complaints() for one in replicas.values()] == [[], []]


def leading(replicas):
    return next((name for name, one in replicas.items() if one.has_said("leading")), None)
