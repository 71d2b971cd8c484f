"""The journal of a real controller: ten minutes of churn and kills, and every decision comes out the same."""

import random
import time

import pytest

from e2e.controller_rig import (
    Replica,
    a_class,
    a_deployment,
    a_node_pool,
    count_running,
    furnish,
    sweep,
)
from nodewright.journal.reading import Journal
from nodewright.journal.replay import replay

pytestmark = pytest.mark.e2e
LIMIT_S = 300


def a_pool():
    pool = a_node_pool()
    pool["spec"]["disruption"] = {"consolidateAfter": "0s", "budgets": [{"nodes": "100%"}]}
    return pool


@pytest.fixture
def replica(cluster, tmp_path):
    """A controller on a cluster that is empty before and afterwards."""
    kubeconfig = furnish(cluster)
    sweep(cluster)
    made = Replica(kubeconfig, tmp_path)
    yield made
    made.stop()
    sweep(cluster)


def check(folder):
    """Decide everything again; give how many looks there were."""
    journal = Journal(folder / "replica-0-journal")
    replayed = {found.look.id: replay(found).is_same for found in journal.looks()}
    assert [look for look, is_same in replayed.items() if not is_same] == []
    assert {entry.decision.look for entry in journal.entries().entries} <= set(replayed)
    return len(replayed)


@pytest.mark.soak
def test_every_decision_of_ten_minutes_of_churn_and_kills_comes_out_the_same(
    cluster, namespace, replica, tmp_path
):
    dice = random.Random(16)
    apps = [a_deployment(namespace, number, 2) for number in range(6)]
    cluster.create(a_class(), a_pool(), *apps)
    replica.start()
    end = time.monotonic() + 600
    while time.monotonic() < end:
        app = f"app-{dice.randrange(6)}"
        size = dice.randrange(12)
        cluster.kubectl("scale", "deployment", app, f"--replicas={size}", "-n", namespace)
        if dice.random() < 0.1:
            replica.kill()
            replica.start()
        time.sleep(dice.uniform(1, 6))
    wanted = sum(
        one["spec"]["replicas"] for one in cluster.get("deployments", "-n", namespace)["items"]
    )
    cluster.wait_for(
        "all pods run", lambda: count_running(cluster, namespace) == wanted, limit_s=LIMIT_S
    )
    replica.stop()

    assert check(tmp_path) > 200
    assert replica.complaints() == []
