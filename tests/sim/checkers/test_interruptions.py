"""Warnings that nobody heeds are noticed."""

from nodewright.model.resource import NODE_CLAIMS
from nodewright.sim.checkers.interruptions import HeededWarnings, ReplacedInTime
from scenarios import mutants
from scenarios.stub import Stub
from sim.checkers.worlds import MINUTE_MS, a_run, broken, web

CHECKERS = (HeededWarnings, ReplacedInTime)


def interrupted(**settings):
    """A world whose autoscaler knows nothing of warnings, one minute after the first."""
    sim = a_run(mutants.running(Stub), web(replicas=2), checkers=CHECKERS, **settings)
    sim.run_for(5 * MINUTE_MS)
    [machine] = sim.ec2.instances.values()
    sim.ec2.interrupt(machine.provider_id)
    sim.run_for(MINUTE_MS)
    return sim


def test_pods_that_end_with_their_machine_are_noticed():
    assert "replaced-in-time" in broken(interrupted(), 10)


def test_nothing_is_said_where_somebody_heeds_the_warning():
    sim = interrupted()
    [claim] = sim.api.each(NODE_CLAIMS)
    sim.api.delete(NODE_CLAIMS, claim.metadata.name, "controller-1")

    assert broken(sim, 10) == set()


def test_a_claim_that_stays_is_noticed():
    sim = a_run(mutants.running(Stub), web(replicas=2), checkers=(HeededWarnings,))
    sim.run_for(5 * MINUTE_MS)
    [machine] = sim.ec2.instances.values()
    # It is warned, and then nothing comes of it.
    sim.ec2.terminate = lambda *_: True
    sim.ec2.interrupt(machine.provider_id)

    sim.run_for(9 * MINUTE_MS)
    assert sim.violations == []
    assert broken(sim, 3) == {"heeded-warnings"}
