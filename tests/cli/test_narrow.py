"""Narrow screens get fewer columns, and what is to be copied is never broken."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console, Group
from rich.text import Text

from builders import a_node, a_pod, a_pool, a_taint, a_type, a_world, pods
from nodewright.app.planning import plan_world
from nodewright.cli.narrow import Narrowing, whole
from nodewright.cli.plan_view import plan_screen
from nodewright.state.snapshot import Snapshot
from nodewright.state.writing import SnapshotMetadata


def drawn(renderable, width):
    out = io.StringIO()
    Console(file=out, width=width).print(renderable, crop=False)
    return out.getvalue().splitlines()


def plan_lines(width, language="en"):
    world = a_world(
        a_node("ip-10-0-1-20.eu-west-1.compute.internal", cpu=1),
        pods(30, "checkout-6d9f", cpu=1),
        a_pod("huge", cpu=99),
        a_type("r7iz.metal-32xl", cpu=8),
        a_pool("general-purpose"),
        a_pool("batch-only", taints=[a_taint("batch")]),
    )
    snapshot = Snapshot(metadata=SnapshotMetadata(), world=world)
    return drawn(plan_screen(snapshot, plan_world(world), language, "cluster.json"), width)


def test_the_first_that_fits_is_drawn():
    choices = Narrowing(Text("x" * 50), Text("y" * 30), Text("z" * 10))

    assert drawn(choices, 60) == ["x" * 50]
    assert drawn(choices, 40) == ["y" * 30]
    assert drawn(choices, 20) == ["z" * 10]
    assert drawn(choices, 5) == ["z" * 5, "z" * 5]


def test_a_command_stays_in_one_piece():
    assert drawn(Group(whole("c" * 90)), 40) == ["c" * 90]


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_of_a_plan_outgrows_the_screen_and_no_cell_is_cut(width, language):
    lines = plan_lines(width, language)

    commands = [line for line in lines if "nodewright explain" in line]
    assert commands == ["      nodewright explain pod/default/huge cluster.json"]
    assert all(cell_len(line.rstrip()) <= width for line in lines if line not in commands)
    assert not any("…" in line for line in lines)


@pytest.mark.parametrize(("language", "head"), [("en", "TYPE"), ("ko", "타입")])
def test_columns_line_up_in_both_languages(language, head):
    lines = plan_lines(120, language)

    title = next(line for line in lines if head in line and "CPU" in line)
    row = next(line for line in lines if "r7iz.metal-32xl" in line)
    assert cell_len(title[: title.index(head)]) == cell_len(row[: row.index("r7iz")])
