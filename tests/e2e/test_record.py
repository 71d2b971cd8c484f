"""Recording the pods of a real cluster while they come and go."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from nodewright.app.workloads import Source, open_workload

pytestmark = pytest.mark.e2e


def a_pod(name, namespace):
    asks = {"requests": {"cpu": "250m", "memory": "64Mi"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "c", "image": "none", "resources": asks}]},
    }


@contextmanager
def running(*words):
    """Run the command for the length of a block, and no longer."""
    line = [sys.executable, "-m", "nodewright", *words]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_pods_of_a_live_cluster_are_written_down(cluster, namespace, tmp_path):
    out = tmp_path / "day.jsonl"
    put_aside = tmp_path / "day.jsonl.seen"
    words = ("record", "--for", "10m", "--kubeconfig", str(cluster.kubeconfig), "-o", str(out))
    cluster.create(a_pod("before", namespace))

    with running(*words) as recorder:
        assert recorder.stderr.readline().startswith("watching ")
        cluster.create(a_pod("during", namespace))
        cluster.kubectl("delete", "pod", "-n", namespace, "during", "--grace-period=0", "--force")
        cluster.wait_for("what has ended is put aside", lambda: put_aside.stat().st_size > 0)
        recorder.send_signal(signal.SIGINT)
        assert recorder.wait(60) == 0

    entries = {one.name: one for one in open_workload(Source(str(out))).entries}
    during, before = entries[f"{namespace}/during"], entries[f"{namespace}/before"]
    assert during.size.resources == {"cpu": "250m", "memory": "64Mi"}
    assert during.until_ms >= during.at_ms
    assert (before.at_ms, before.until_ms) == (0, None)
