"""Our side of a measurement, in a process of its own: `ours.py SNAPSHOT EFFORT RUNS [PLAN]`.

Takes the way that the command takes (`plan_world`), prints one JSON line with the seconds of every run
and the most memory the process ever held, decoding included, and writes the plan where it is told.
"""

import json
import sys
import time
from pathlib import Path

from nodewright.app.planning import plan_document, plan_world
from nodewright.app.sources import open_snapshot
from nodewright.core.scheduling.solve import Effort


def main(snapshot: str, effort: str, runs: str, plan_path: str = "") -> None:
    """Plan one snapshot several times and tell how long each took."""
    seconds, cpu_seconds = [], []
    for _ in range(int(runs)):
        # Objects of its own for each run: what was indexed for the last one must not help.
        started = time.perf_counter()
        world = open_snapshot(snapshot).world
        decode_seconds = time.perf_counter() - started
        cpu = time.process_time()
        planned = plan_world(world, Effort(effort))
        cpu_seconds.append(round(time.process_time() - cpu, 6))
        seconds.append(round(planned.seconds, 6))
    peak_mb = peak_resident_mb()
    document = plan_document(planned)
    if plan_path:
        Path(plan_path).write_text(json.dumps(document))
    told = {
        "seconds": seconds,
        "cpuSeconds": cpu_seconds,
        "decodeSeconds": round(decode_seconds, 3),
        "peakMB": peak_mb,
        "pricePerHour": document["pricePerHour"],
        "nodes": len(planned.plan.new_nodes),
        "unplaced": len(planned.plan.unschedulable),
    }
    print(json.dumps(told))


def peak_resident_mb() -> int:
    """Give the most memory that this process held; the parent's is not inherited in this number."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1024
    return 0


if __name__ == "__main__":
    main(*sys.argv[1:])
