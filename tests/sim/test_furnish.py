import pytest

from nodewright.model.errors import UserError
from nodewright.model.resource import NODES, PODS
from nodewright.sim.furnish import Furnisher, daily_curve
from nodewright.sim.objects import DEPLOYMENTS
from nodewright.sim.scenario import CurveWords, parse_scenario
from nodewright.sim.simulation import Settings, Simulation

HOUR_MS = 3_600_000


def furnished(**words):
    sim = Simulation(Settings(seed=1))
    Furnisher(sim, parse_scenario({"name": "x", **words})).furnish()
    return sim


def test_nodes_and_workloads_are_there_from_the_start():
    sim = furnished(nodes=[{"count": 2, "cpu": "2"}], workloads=[{"name": "web", "replicas": 3}])
    sim.run_for(60_000)

    assert sim.api.count(NODES) == 2
    assert [pod.status.phase for pod in sim.api.each(PODS)] == ["Running"] * 3


def test_a_curve_sets_the_size_at_its_points():
    curve = {"points": [["1m", 5], ["2m", 0]]}
    sim = furnished(nodes=[{"count": 1}], workloads=[{"name": "web", "curve": curve}])
    sizes = []
    for _ in range(3):
        sizes.append(sim.api.need(DEPLOYMENTS, "default/web").spec.replicas)
        sim.run_for(61_000)

    assert sizes == [1, 5, 0]


def test_a_day_goes_up_to_its_peak_and_down():
    wanted = daily_curve(CurveWords(low=10, high=30, peak=12), lambda: 0.0)

    assert [wanted(hour * HOUR_MS) for hour in (0, 6, 12, 18, 24)] == [10, 20, 30, 20, 10]


def test_things_happen_when_they_are_planned():
    sim = furnished(
        nodes=[{"count": 1}],
        workloads=[{"name": "web", "replicas": 2}],
        events=[
            {"at": "1m", "scale": "Deployment/default/web", "replicas": 4},
            {"at": "2m", "delete": "Deployment/default/web"},
            {"at": "3m", "create": {"kind": "Namespace", "metadata": {"name": "late"}}},
        ],
    )
    sim.run_for(90_000)
    assert sim.api.count(PODS) == 4
    sim.run_for(120_000)

    assert sim.api.count(PODS) == 0


def test_an_object_that_cannot_be_is_one_sentence():
    with pytest.raises(UserError, match="knows no kind 'Gadget'"):
        furnished(objects=[{"kind": "Gadget"}])
    bad = {"kind": "NodePool", "metadata": {"name": "p"}, "spec": {"weight": 500}}
    with pytest.raises(UserError, match="NodePool p"):
        furnished(objects=[bad])


def test_an_edit_changes_what_it_names_and_leaves_the_rest():
    manifest = {"kind": "Deployment", "metadata": {"name": "web", "namespace": "default"}}
    sim = furnished(
        nodes=[{"count": 1}],
        workloads=[{"name": "web", "replicas": 1}],
        events=[{"at": "1m", "edit": {**manifest, "spec": {"replicas": 2}}}],
    )
    before = sim.api.need(DEPLOYMENTS, "default/web").spec.selector
    sim.run_for(90_000)
    after = sim.api.need(DEPLOYMENTS, "default/web").spec

    assert (after.replicas, after.selector) == (2, before)
