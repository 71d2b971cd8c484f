"""Conditions are counted when they change, with how long they had been something else."""

from msgspec.structs import replace

from builders import NOW_MS, a_node_claim, a_pool, a_type, a_world
from builders.lives import MINUTE_MS, ago, with_conditions, with_meta
from builders.scrape import samples
from nodewright.model.metadata import Condition
from nodewright.observe.metrics import Metrics

CLAIM = a_node_claim("c", pool="general")
POOL = a_pool("general")
UNREADY = with_conditions(CLAIM, ago(3 * MINUTE_MS), Ready="False")
READY = with_conditions(CLAIM, ago(MINUTE_MS), Ready="True")


def seen(*steps):
    metrics = Metrics()
    for turn, things in enumerate(steps):
        world = replace(a_world(*things, a_type()), now_ms=NOW_MS + turn * 2_000)
        metrics.decided("disruption", world, (), 1)
    return metrics


def test_a_condition_that_changed_is_counted_once_with_how_long_the_last_one_held():
    metrics = seen([UNREADY], [READY], [READY])
    row = (("status", "True"), ("type", "Ready"))

    counts = samples(metrics, "operator_nodeclaim_status_condition_transitions_total")
    assert [value for labels, value in counts.items() if set(row) <= set(labels)] == [1]
    lasted = samples(metrics, "operator_nodeclaim_status_condition_transition_seconds_sum")
    assert lasted == {row: 120}


def test_what_was_there_when_we_came_is_no_change():
    metrics = seen([READY])

    assert samples(metrics, "operator_nodeclaim_status_condition_transitions_total") == {}
    now = samples(metrics, "operator_nodeclaim_status_condition_count")
    ready = {("name", "c"), ("type", "Ready"), ("status", "True")}
    assert [value for labels, value in now.items() if ready <= set(labels)] == [1]


def test_an_object_that_is_being_deleted_is_timed_until_it_is_gone():
    going = with_meta(READY, deletion_timestamp=ago(MINUTE_MS))

    assert samples(seen([going]), "operator_nodeclaim_termination_current_time_seconds") == {
        (("name", "c"),): 60
    }
    assert samples(seen([going], []), "operator_nodeclaim_termination_duration_seconds_sum") == {
        (): 62
    }


def test_what_a_checkup_found_is_told_by_code():
    said = "NW-3017: there is no label efa; NW-3026: no instance type is called c"
    found = Condition(type="CheckupSucceeded", status="False", reason="NW3017", message=said)
    status = replace(POOL.status, conditions=(found,))
    metrics = seen([replace(POOL, status=status)])

    rows = samples(metrics, "nodewright_checkup_findings")
    assert sorted(dict(labels)["code"] for labels in rows) == ["NW-3017", "NW-3026"]
