"""A disk that is really full: the older half makes room, else the journal waits, and the controllers do not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ON_A_SMALL_DISK = """
import json, sys
from pathlib import Path
from builders import a_type, a_world, pods
from journal.test_recorder import Clock, a_delete
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import RETRY_MS, Recorder
from nodewright.journal.segments import Limits, measure

folder, clock = Path(sys.argv[1]) / "journal", Clock()
recorder = Recorder(folder, clock, Limits(segment_bytes=8 << 10))

def record(number):
    clock.at_ms += 1_000
    world = a_world(pods(40, prefix=f"w{number}-"), a_type(), now_ms=clock.at_ms)
    recorder.decided("test", world, [a_delete(str(number))], 1)
    return recorder.problem

told = {"while it makes room": [record(number) for number in range(150)]}
told["bytes"] = measure(folder)
told["kept"] = len(Journal(folder).entries().entries)
filler = Path(sys.argv[1]) / "filler"
for path in sorted(folder.iterdir())[:-1]:
    path.unlink()
with filler.open("wb", buffering=0) as file:
    try:
        while True:
            file.write(b"x" * 512)
    except OSError:
        pass
told["when others fill it"] = [record(number) for number in range(1_000, 1_020)][-3:]
filler.unlink()
told["before it is tried again"] = record(2_000)
clock.at_ms += RETRY_MS
told["after it is tried again"] = record(3_000)
told["last"] = Journal(folder).entries().entries[-1].decision.basis
print(json.dumps(told))
"""

UNDER_CONTROLLERS = """
import json, sys
from pathlib import Path
from nodewright.app.run import run_controllers
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder
from nodewright.model.resource import NODES, PODS
from nodewright.sim.furnish import Furnisher
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import read_scenario
from nodewright.sim.simulation import Simulation

disk = Path(sys.argv[1])
grow = read_scenario(Path(sys.argv[2]))
filler = disk / "filler"

def run(folder, minute):
    recorders = []
    async def autoscale(ports):
        recorders.append(Recorder(folder, ports.clock))
        await run_controllers(ports._replace(witnesses=tuple(recorders)), is_strict=True)
    sim = Simulation(settings_of(grow, 3), autoscale)
    Furnisher(sim, grow).furnish()
    problems = []
    for number in range(12):
        minute(number)
        assert sim.run_for(60_000), sim.violations
        problems.append(recorders[0].problem)
    pods = sorted((one.metadata.name, one.spec.node_name) for one in sim.api.each(PODS))
    nodes = sorted(one.metadata.name for one in sim.api.each(NODES))
    sim.close()
    return {"problems": problems, "pods": pods, "nodes": nodes}

def fill_until_the_eighth(number):
    if number == 8:
        filler.unlink()
    elif number == 0:
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 512)
            except OSError:
                pass

told = {
    "full": run(disk / "journal", fill_until_the_eighth),
    "roomy": run(Path(sys.argv[3]), lambda number: None),
    "written": len(Journal(disk / "journal").entries().entries),
}
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Record on a small disk."""
    return on_a_small_disk(tmp_path_factory.mktemp("disk"), ON_A_SMALL_DISK)


def on_a_small_disk(disk, program, *more):
    """Run a program on a file system of 64 KiB that is there for one process; give what it tells."""
    mounted = f'mount -t tmpfs -o size=64k,nr_inodes=1k tmpfs {disk} && exec "$@"'
    in_own = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounted, "sh"]
    if subprocess.run([*in_own, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small file system")
    done = subprocess.run(
        [*in_own, sys.executable, "-c", program, str(disk), *map(str, more)],
        env={**os.environ, "PYTHONPATH": str(TESTS)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_older_half_of_a_journal_that_fills_its_disk_makes_room(told):
    assert set(told["while it makes room"]) == {""}
    assert told["bytes"] <= 64 << 10
    assert 1 <= told["kept"] < 150


def test_a_disk_that_others_filled_is_a_problem_with_a_name_and_stops_nobody(told):
    assert all("No space left on device" in one for one in told["when others fill it"])


def test_the_journal_goes_on_once_there_is_room_again(told):
    assert told["before it is tried again"]
    assert told["after it is tried again"] == ""
    assert told["last"] == [["nodes/n", "3000"]]


def test_controllers_on_a_full_disk_do_what_they_do_on_any_other(tmp_path):
    disk, roomy = tmp_path / "disk", tmp_path / "roomy"
    disk.mkdir()
    told = on_a_small_disk(disk, UNDER_CONTROLLERS, TESTS / "scenarios" / "grow.yaml", roomy)
    full, other = told["full"], told["roomy"]

    assert all("No space left on device" in one for one in full["problems"][:8])
    # It is tried again a minute after the last attempt.
    assert full["problems"][10:] == ["", ""]
    assert set(other["problems"]) == {""}
    assert told["written"] > 0
    assert len(full["nodes"]) > 1
    assert all(node for _, node in full["pods"])
    assert (full["pods"], full["nodes"]) == (other["pods"], other["nodes"])
