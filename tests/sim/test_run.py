import msgspec
import pytest

from nodewright.model.errors import UserError
from nodewright.sim.run import choose_types, run_scenario, shrink
from nodewright.sim.scenario import CatalogWords, parse_scenario
from scenarios import mutants

POOL = {
    "kind": "NodePool",
    "metadata": {"name": "default"},
    "spec": {
        "template": {
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "d"},
                "requirements": [],
            }
        }
    },
}
SMALL = {
    "name": "small",
    "duration": "10m",
    "settle": "5m",
    "catalog": {"types": ["m6i.large"]},
    "objects": [POOL],
    "workloads": [{"name": "web", "replicas": 2}],
}


def test_a_cluster_without_an_autoscaler_runs_alone():
    report = run_scenario(parse_scenario(SMALL), 1)

    assert report.is_fine
    assert report.counts == {"nodes": 0, "nodeClaims": 0, "podsPending": 2}


def test_a_seed_repeats_itself_and_another_does_not():
    scenario = parse_scenario({**SMALL, "nodes": [{"count": 2}]})
    digests = [run_scenario(scenario, seed).result.digest for seed in (1, 1, 2)]

    assert digests[0] == digests[1] != digests[2]


def test_a_failure_is_told_with_the_faults_it_takes_and_nothing_else():
    faults = [
        {"kind": "launch.late", "rate": 0.01, "until": "2m"},
        {"kind": "watch.duplicate", "rate": 0.5, "until": "2m"},
    ]
    scenario = parse_scenario({**SMALL, "faults": faults})
    autoscaler = mutants.running(mutants.LaunchesTwice)
    report = run_scenario(scenario, 1, autoscaler)
    smallest = shrink(report, autoscaler)

    assert [one.checker for one in report.result.violations] == ["one-launch"]
    assert smallest.scenario.faults == ()
    assert any("LAUNCHED" in line for line in smallest.story)
    assert len(smallest.story) < report.result.step_count


def test_types_are_chosen_by_name_or_by_family():
    by_name = choose_types(CatalogWords(types=("m6i.large",)))
    by_family = choose_types(CatalogWords(families=("c6i",), sizes=("large", "xlarge")))

    assert [one.name for one in by_name] == ["m6i.large"]
    assert [one.name for one in by_family] == ["c6i.large", "c6i.xlarge"]
    with pytest.raises(UserError):
        choose_types(CatalogWords(types=("nothing.large",)))


def test_a_report_can_be_written():
    assert msgspec.json.encode(run_scenario(parse_scenario(SMALL), 1).result)
