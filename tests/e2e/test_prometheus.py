"""A real Prometheus scrapes the metrics: rules load and fire, and no panel stays empty.

The sample scrapes what controllers wrote on a simulated cluster; the whole, a real controller on a real one.
"""

import http.server
import json
import sys
import threading
import time
from pathlib import Path

import msgspec
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
from nodewright.app.run import autoscale
from nodewright.observe.cloud import TimedCloud
from nodewright.observe.metrics import CONTENT_TYPE, Metrics
from nodewright.sandbox.monitoring import ensure_prometheus
from nodewright.sim.furnish import Furnisher
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import WorkloadWords, read_scenario
from nodewright.sim.simulation import Simulation

pytestmark = pytest.mark.e2e
GROW = Path(__file__).parents[1] / "scenarios" / "grow.yaml"
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


@pytest.fixture
def simulated(tmp_path):
    """A Prometheus that scrapes the page of controllers which cannot place two pods."""
    binary = ensure_prometheus(lambda line: sys.stderr.write(f"{line}\n"))
    metrics, scenario = Metrics(), read_scenario(GROW)

    async def autoscaler(ports):
        timed = TimedCloud(ports.cloud, metrics, ports.clock, "sim")
        await autoscale(ports._replace(cloud=timed, witnesses=(metrics,)))

    huge = WorkloadWords(name="huge", replicas=2, cpu="99", memory="1Gi")
    whole = msgspec.structs.replace(scenario, workloads=(*scenario.workloads, huge))
    sim = Simulation(settings_of(whole, 7), autoscaler)
    Furnisher(sim, whole).furnish()
    assert sim.run_for(10 * 60_000)
    page = metrics.page()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_):
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    prometheus = Prometheus(str(binary), tmp_path, f"127.0.0.1:{server.server_port}")
    try:
        prometheus.wait_ready()
        yield prometheus
    finally:
        prometheus.stop()
        server.shutdown()
        server.server_close()
        sim.close()


def test_prometheus_takes_the_page_and_the_rules_and_an_alert_fires(simulated):
    await_none("not scraped", simulated.unscraped)
    loaded = simulated.rules()

    assert loaded.keys() == alert_rules().keys()
    waiting = "NodewrightPodsWithoutPlace"
    await_none(
        "alerts that do not fire",
        lambda: {waiting} if simulated.rules()[waiting]["state"] != "firing" else set(),
    )
    await_none(
        "rules that Prometheus cannot evaluate",
        lambda: {name for name, rule in simulated.rules().items() if rule["health"] != "ok"},
    )
    assert simulated.ask("karpenter_nodepools_cost_total")


@pytest.mark.soak
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
