"""The simulated world: a week of 200 nodes and an hour of 1,000, in processor time of one core.

Both run with the controllers themselves; with `stub` as an argument, with the small autoscaler of the
tests. Processor time is measured, because virtual time never waits and a busy machine should not break
a promise. Names of scenarios (`hour`, `week`) as arguments leave out the other ones.
"""

import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from nodewright.app.run import autoscale  # noqa: E402 - the path comes first
from nodewright.model.resource import NODES, PODS  # noqa: E402
from nodewright.sim.furnish import Furnisher  # noqa: E402
from nodewright.sim.process import Autoscaler  # noqa: E402
from nodewright.sim.run import settings_of  # noqa: E402
from nodewright.sim.scenario import read_ms, read_scenario  # noqa: E402
from nodewright.sim.simulation import Simulation  # noqa: E402
from scenarios import stub  # noqa: E402


class Promise(NamedTuple):
    """A scenario and the seconds it may take."""

    scenario: str
    limit_s: int


PROMISES = (Promise("hour", 20), Promise("week", 120))


def measure(promise: Promise, autoscaler: Autoscaler) -> bool:
    """Run a scenario and tell whether it kept its time."""
    scenario = read_scenario(ROOT / "tests" / "scenarios" / f"{promise.scenario}.yaml")
    begun = time.process_time()
    sim = Simulation(settings_of(scenario, 1), autoscaler)
    made = [0, 0]

    def heard(change: object) -> None:
        made[0] += getattr(change, "old", None) is None

    sim.api.listen(PODS, heard)
    sim.api.listen(NODES, lambda _: made.__setitem__(1, max(made[1], sim.api.count(NODES))))
    Furnisher(sim, scenario).furnish()
    fine = sim.run_for(read_ms(scenario.duration))
    taken_s = time.process_time() - begun
    kept = fine and taken_s <= promise.limit_s
    print(
        f"{promise.scenario}: {taken_s:.1f} s for {made[0]} pods on up to {made[1]} nodes "
        f"(limit {promise.limit_s} s): {'kept' if kept else 'BROKEN'}"
    )
    sim.close()
    return kept


def main(words: list[str]) -> int:
    """Measure what was asked for, or everything."""
    autoscaler = stub.autoscale if "stub" in words else autoscale
    named = [one for one in PROMISES if one.scenario in words] or PROMISES
    kept = [measure(one, autoscaler) for one in named]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
