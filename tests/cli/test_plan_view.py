"""A plan for people: pods that stay behind for one cause are one entry."""

import io

from rich.console import Console

from builders import a_pod, a_pool, a_taint, a_type, a_world, pods
from nodewright.app.planning import plan_world
from nodewright.cli.plan_view import plan_screen
from nodewright.state.snapshot import Snapshot
from nodewright.state.writing import SnapshotMetadata

SMALL = a_type("small", cpu=2)


def screen_of(world):
    out = io.StringIO()
    snapshot = Snapshot(metadata=SnapshotMetadata(), world=world)
    Console(file=out, width=500).print(plan_screen(snapshot, plan_world(world)))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_many_pods_of_one_cause_are_one_entry():
    lines = screen_of(a_world(pods(5, cpu=4), a_pod("larger", cpu=5), SMALL))

    entries = [line for line in lines if "✗" in line]

    assert len(entries) == 1
    assert "NW-1204  6 pods, default/larger, default/pod-0, default/pod-1 and 3 more" in entries[0]


def test_causes_that_differ_stand_apart_the_larger_first():
    world = a_world(
        pods(2, cpu=4), a_pod("picky", cpu=1, selector={"example.com/team": "red"}), SMALL
    )

    entries = [line for line in screen_of(world) if "✗" in line]

    assert [line.split()[1] for line in entries] == ["NW-1204", "NW-1203"]


def test_every_other_pool_has_its_line_and_the_way_to_more_is_shown():
    lines = screen_of(a_world(a_pod(cpu=4), SMALL, a_pool("a"), a_pool("b", taints=[a_taint("t")])))

    assert any(line.startswith("      b: taint t:NoSchedule") for line in lines)
    assert lines[-1].strip() == "nodewright explain pod/default/pod"
