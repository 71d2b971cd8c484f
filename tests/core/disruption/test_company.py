"""Company: who must be near pods that are moving waits until they have arrived."""

from builders import a_term
from builders.fleet import a_fleet_node, fleet_world, on
from builders.labels import a_selector
from nodewright.core.disruption.candidates import Census, find_candidates
from nodewright.core.disruption.company import Company
from nodewright.model.disruption import Memory
from nodewright.model.labels import ZONE


def candidates(*things):
    found, _ = find_candidates(Census(fleet_world(*things)), Memory())
    return {one.name: one for one in found}


def a_cluster():
    one, two, three = (a_fleet_node(name) for name in ("one", "two", "three"))
    near = [a_term(ZONE, selector=a_selector(app="web"))]
    return candidates(
        one, two, three,
        on(one, "1", app="web"),
        on(two, "1", app="api", near=near),
        on(three, "1", app="jobs"),
    )  # fmt: skip


def test_a_pod_waits_for_those_that_it_must_be_near():
    nodes, company = a_cluster(), Company()
    before = company.judge((nodes["two"],))
    company.take((nodes["one"],))
    kept = company.judge((nodes["three"], nodes["two"]))

    assert before is None
    assert (kept.node, kept.code) == ("two", "NW-4014")
    assert kept.values == {"pod": "default/api-two-0"}


def test_whoever_wants_nobody_waits_for_nobody():
    nodes, company = a_cluster(), Company()
    company.take((nodes["two"],))

    assert company.judge((nodes["one"], nodes["three"])) is None
