"""A real Prometheus scrapes a real controller: rules load and fire, and no panel stays empty."""

import json
import sys
import time

import pytest

from builders.monitoring import alert_rules, dashboard_queries, names_in
from e2e.controller_rig import (
    Replica,
    a_class,
    a_deployment,
    a_node_pool,
    count_running,
    furnish,
    sweep,
)
from e2e.kube_rig import NAMESPACE
from e2e.prometheus_rig import Prometheus
from nodewright.sandbox.monitoring import ensure_prometheus

pytestmark = pytest.mark.e2e
LIMIT_S = 300
SMALL = {"key": "karpenter.k8s.aws/instance-cpu", "operator": "In", "values": ["4"]}


def a_pool():
    pool = a_node_pool("default", SMALL)
    pool["spec"]["limits"] = {"cpu": "1000"}
    pool["spec"]["disruption"] = {"consolidateAfter": "0s", "budgets": [{"nodes": "100%"}]}
    return pool


def an_app(namespace, number, replicas, cpu):
    app = a_deployment(namespace, number, replicas)
    containers = app["spec"]["template"]["spec"]["containers"]
    containers[0]["resources"]["requests"] = {"cpu": cpu, "memory": "256Mi"}
    return app


def await_none(what, find):
    """Wait until nothing is found any more, and say what there is if that does not come."""
    end = time.monotonic() + LIMIT_S
    while found := find():
        assert time.monotonic() < end, f"{what}: {sorted(found)}"
        time.sleep(1)


@pytest.fixture
def scraped(cluster, namespace, tmp_path):
    """A controller with six pods to place, and a Prometheus that scrapes it."""
    binary = ensure_prometheus(lambda line: sys.stderr.write(f"{line}\n"))
    kubeconfig = furnish(cluster)
    sweep(cluster)
    cluster.create(a_class(), a_pool(), an_app(namespace, 0, 6, "900m"))
    replica = Replica(kubeconfig, tmp_path).start("--bound-every", "5s")
    cluster.wait_for("it listens", lambda: replica.has_said("listening"), limit_s=LIMIT_S)
    port = next(one["metrics"] for one in replica.lines() if one["message"] == "listening")
    prometheus = Prometheus(str(binary), tmp_path, f"127.0.0.1:{port}")
    try:
        prometheus.wait_ready()
        yield prometheus, replica
    finally:
        prometheus.stop()
        replica.stop()
        sweep(cluster)


def test_alerts_fire_in_a_fault_and_every_metric_of_the_dashboards_has_data(
    cluster, namespace, scraped
):
    prometheus, replica = scraped
    cluster.wait_for(
        "all pods run", lambda: count_running(cluster, namespace) == 6, limit_s=LIMIT_S
    )
    await_none("not scraped", prometheus.unscraped)

    gap = "nodewright_cost_gap_ratio"
    cluster.wait_for("the lower bound", lambda: prometheus.ask(gap), limit_s=LIMIT_S)

    # The fault: pods that fit nowhere, and a cloud that has nothing.
    annotation = "kwok.nodewright.dev/no-capacity=*/*/*"
    cluster.kubectl("annotate", "nodepool", "default", annotation)
    cluster.create(an_app(namespace, 5, 1, "99"), an_app(namespace, 10, 3, "3"))
    loaded = prometheus.rules()
    assert loaded.keys() == alert_rules().keys()
    assert {rule["health"] for rule in loaded.values()} <= {"ok", "unknown"}
    cluster.wait_for(
        "the alert fires",
        lambda: prometheus.rules()["NodewrightPodsWithoutPlace"]["state"] == "firing",
        limit_s=LIMIT_S,
    )
    cluster.kubectl("annotate", "nodepool", "default", "kwok.nodewright.dev/no-capacity-")
    cluster.kubectl("delete", "deployment", "app-10", "-n", namespace)
    cluster.kubectl("scale", "deployment", "app-0", "--replicas=1", "-n", namespace)

    wanted = {name for query in dashboard_queries().values() for name in names_in(query)}
    await_none("metrics without data", lambda: {one for one in wanted if not prometheus.ask(one)})
    queries = dashboard_queries()
    await_none("empty panels", lambda: {one for one in queries if not prometheus.ask(queries[one])})
    status = cluster.get("configmap", "nodewright-status", "-n", NAMESPACE)["data"]["status"]
    assert "code: NW-1" in status
    assert "perHour" in status
    assert replica.complaints() == [], json.dumps(replica.complaints())
