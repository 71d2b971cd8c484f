"""Findings on the screen."""

from rich.console import Console

from nodewright.cli.doctor_view import finding_lines
from nodewright.doctor.finding import Finding, Text
from nodewright.doctor.report import Found

SAID = Text("said", "말함")


def shown(objects, language="en"):
    one = Found("NW-3018", "nodes", "warning", SAID, Finding(objects, SAID, SAID))
    console = Console(width=200)
    with console.capture() as captured:
        for line in finding_lines(one, language):
            console.print(line)
    return captured.get()


def test_of_a_thousand_objects_a_few_are_named():
    said = shown(tuple(f"Node/n{number}" for number in range(1000)))

    assert "Node/n5 and 994 more (-o json names all)" in said
    assert "Node/n6" not in said


def test_a_few_objects_are_all_named():
    said = shown(("Node/a", "Node/b"))

    assert "Node/a, Node/b" in said
    assert "more" not in said
