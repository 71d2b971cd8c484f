"""The real controllers, watched: what the metrics count is what happened on the simulated cluster."""

import io
import json
import logging
from pathlib import Path

import msgspec
import pytest

from builders.scrape import samples
from nodewright.app.run import autoscale
from nodewright.model.resource import NODE_CLAIMS, NODES
from nodewright.observe.cloud import TimedCloud
from nodewright.observe.lines import JsonLines
from nodewright.observe.logs import LOGGER, Log
from nodewright.observe.metrics import Metrics
from nodewright.sim.furnish import Furnisher
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import WorkloadWords, read_scenario
from nodewright.sim.simulation import Simulation

GROW = read_scenario(Path(__file__).parent / "grow.yaml")
HUGE = WorkloadWords(name="huge", replicas=2, cpu="99", memory="1Gi")


@pytest.fixture(scope="module")
def watched():
    """Run eighteen minutes of the scenario, with two pods that fit nowhere."""
    metrics, stream = Metrics(), io.StringIO()
    logger = logging.getLogger(LOGGER)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines({}))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False

    async def autoscaler(ports):
        timed = TimedCloud(ports.cloud, metrics, ports.clock, "sim")
        await autoscale(ports._replace(cloud=timed, witnesses=(metrics, Log())))

    scenario = msgspec.structs.replace(GROW, workloads=(*GROW.workloads, HUGE))
    sim = Simulation(settings_of(scenario, 7), autoscaler)
    Furnisher(sim, scenario).furnish()
    assert sim.run_for(18 * 60_000)
    logger.removeHandler(handler)
    logger.propagate = True
    logger.setLevel(logging.NOTSET)
    return sim, metrics, [json.loads(line) for line in stream.getvalue().splitlines()]


def total(metrics, name):
    return sum(samples(metrics, name).values())


def test_claims_that_were_made_less_those_that_went_are_those_that_are_there(watched):
    sim, metrics, _ = watched

    made = total(metrics, "karpenter_nodeclaims_created_total")
    went = total(metrics, "karpenter_nodeclaims_terminated_total")
    assert made - went == len(list(sim.api.each(NODE_CLAIMS)))
    assert made > 0


def test_nodes_that_joined_less_those_that_went_are_those_that_are_there(watched):
    sim, metrics, _ = watched

    joined = total(metrics, "karpenter_nodes_created_total")
    went = total(metrics, "karpenter_nodes_terminated_total")
    assert joined - went == len(list(sim.api.each(NODES)))


def test_pods_that_fit_nowhere_are_counted_by_code(watched):
    _, metrics, _ = watched

    assert samples(metrics, "nodewright_pods_unplaced") == {(("code", "NW-1204"),): 2}


def test_an_interruption_is_received_counted_and_dealt_with(watched):
    _, metrics, _ = watched

    assert total(metrics, "karpenter_interruption_received_messages_total") > 0
    assert total(metrics, "karpenter_interruption_deleted_messages_total") > 0
    reasons = {
        dict(labels)["reason"]
        for labels in samples(metrics, "karpenter_nodeclaims_disrupted_total")
    }
    assert "spot_interrupted" in reasons


def test_pods_and_calls_are_timed(watched):
    _, metrics, _ = watched

    assert total(metrics, "karpenter_pods_startup_duration_seconds_count") > 0
    assert total(metrics, "karpenter_scheduler_scheduling_duration_seconds_count") > 0
    methods = {
        dict(labels)["method"]
        for labels in samples(metrics, "karpenter_cloudprovider_duration_seconds_count")
    }
    assert {"Create", "Delete", "GetInstanceTypes"} <= methods


def test_refused_pods_are_one_line_a_cause(watched):
    _, _, lines = watched

    told = [one for one in lines if one["message"] == "could not schedule pod(s)"]
    assert sorted((one["code"], one["count"]) for one in told) in (
        [("NW-1204", 2)],
        [("NW-1204", 1), ("NW-1204", 2)],
    )
    assert all(one["decision"].startswith("D-") for one in lines)


def test_every_life_is_told_in_order_and_pods_only_in_sum(watched):
    sim, _, lines = watched
    steps = [
        f"{word} nodeclaim"
        for word in ("created", "launched", "registered", "initialized", "disrupting", "deleted")
    ]
    lives: dict[str, list[str]] = {}
    for one in lines:
        if one["message"] in steps:
            lives.setdefault(one["NodeClaim"]["name"], []).append(one["message"])
    there = {one.metadata.name for one in sim.api.each(NODE_CLAIMS)}

    assert there <= set(lives)
    for told in lives.values():
        assert told == sorted(set(told), key=steps.index)
    assert any(told == steps for told in lives.values())
    machines = [one for one in lines if one["message"] in steps[1:4]]
    wanted = {"provider-id", "instance-type", "zone", "capacity-type"}
    assert all(wanted <= one.keys() for one in machines)
    assert not any("Pod" in one for one in lines)
