"""Problems that nobody looked at while the solver was made: other seeds, other catalogs, a real trace.

The catalog is the bundled table of EC2 types as one region sells them. The trace is a list of pods of a
production cluster (Alibaba's cluster-trace-gpu-v2023, `openb_pod_list_default.csv`), read from where
it lies and never kept. A pod that asks for a share of a GPU gets a whole one, because that is what
Kubernetes' device plugin hands out; models of GPUs are not told apart.
"""

import csv
import random
from pathlib import Path

import problems
from nodewright.catalog.resolve import instance_types_for
from nodewright.state.catalogs import write_type
from problems import GPU, Object

SEED = 20_261
REGION = "eu-west-1"
TRACE = Path(__file__).resolve().parents[2] / "shared" / "traces" / "openb_pod_list_default.csv"


def ec2_types(region: str = REGION) -> list[Object]:
    """Give the bundled EC2 types of a region as a snapshot writes them."""
    return [write_type(one) for one in instance_types_for(region)]


def on_ec2(snapshot: Object, region: str = REGION) -> Object:
    """Sell the EC2 types of a region instead of the made-up ones."""
    snapshot["catalogs"]["all"] = ec2_types(region)
    snapshot["metadata"]["name"] += f" on EC2 {region}"
    return snapshot


def realistic(kind: str, count: int) -> Object:
    """One of the realistic problems from another seed, on the EC2 types of a region."""
    return on_ec2(problems.REALISTIC[kind](count, SEED))


def other_diverse(count: int) -> Object:
    """Karpenter's mix from another seed, on a catalog with families, zones and spot prices."""
    snapshot = problems.diverse(count, SEED)
    snapshot["catalogs"]["all"] = problems.cloud_types(SEED, (6, 7))
    return snapshot


def many_types(count: int) -> Object:
    """Fill 2,000 nodes and more with 800 types to choose from: what memory is measured with."""
    snapshot = problems.crowded(count, SEED)
    snapshot["catalogs"]["all"] = problems.cloud_types(SEED, (3, 4, 5, 6, 7, 8))[:800]
    return snapshot


def traced(path: Path = TRACE) -> Object:
    """Make all pods of the trace pending at once, on the EC2 types of a region."""
    dice = random.Random(SEED)
    with path.open() as lines:
        rows = list(csv.DictReader(lines))
    pods = []
    for row in rows:
        requests = {"cpu": f"{row['cpu_milli']}m", "memory": f"{row['memory_mib']}Mi"}
        cards = int(row["num_gpu"])
        if cards:
            requests[GPU] = str(cards)
        pods.append(problems.pending_pod({"app": row["qos"].lower()}, requests))
    snapshot = problems.cloud_snapshot(f"trace {len(pods)}", dice, pods, [])
    return on_ec2(snapshot)
