"""`nodewright decisions`: what was decided, for people and for programs."""

import json
from importlib.metadata import entry_points

import pytest

from builders import NOW_MS, a_pod, a_type, a_world
from journal.test_recorder import Clock, a_delete, a_refusal
from nodewright.cli.decisions import read_since
from nodewright.cli.main import run
from nodewright.journal.recorder import Recorder
from nodewright.model.command import Record
from nodewright.model.decision import Disrupt
from nodewright.model.disruption import Leaving, Method
from nodewright.model.errors import UserError
from nodewright.model.instance import NanoUSD
from nodewright.model.instant import print_instant
from nodewright.model.resource import NODE_CLAIMS, Ref
from nodewright.ports.kube import Answer, Outcome


@pytest.fixture
def journal(tmp_path):
    recorder = Recorder(tmp_path, Clock())
    recorder.decided("provisioning", a_world(a_pod("p"), a_type()), [a_refusal()], 1)
    recorder.decided("expiration", a_world(a_type(), now_ms=NOW_MS + 60_000), [a_delete()], 1)
    recorder.came_of("expiration", a_delete(), Answer(Outcome.DONE), 1)
    return str(tmp_path)


def test_a_list_has_a_line_for_each(journal, capsys):
    assert run(["decisions", "--journal", journal]) == 0
    head, *rows = capsys.readouterr().out.splitlines()

    assert head.split()[:4] == ["AT", "ID", "CONTROLLER", "KIND"]
    assert [row.split()[2:5] for row in rows] == [
        ["provisioning", "Refuse", "pods/default/p"],
        ["expiration", "Delete", "nodes/n"],
    ]


@pytest.mark.parametrize(
    ("option", "kinds"),
    [
        (["--controller", "expiration"], ["Delete"]),
        (["--subject", "pods/"], ["Refuse"]),
        (["--since", print_instant(NOW_MS + 1)], ["Delete"]),
        (["--limit", "1"], ["Delete"]),
    ],
)
def test_a_list_is_narrowed(journal, capsys, option, kinds):
    assert run(["decisions", "--journal", journal, "-o", "json", *option]) == 0

    assert [one["kind"] for one in json.loads(capsys.readouterr().out)] == kinds


def test_programs_get_the_outcome_too(journal, capsys):
    run(["decisions", "--journal", journal, "-o", "json"])
    refused, deleted = json.loads(capsys.readouterr().out)

    assert refused["outcome"] is None
    assert deleted["outcome"]["outcome"] == "Done"
    assert run(["decisions", "--journal", journal, "-o", "csv"]) == 0
    assert capsys.readouterr().out.startswith("at,id,controller,kind,subject,reason,outcome,note\n")


@pytest.mark.parametrize("arguments", [[], ["--journal", "nowhere"], ["--since", "long ago"]])
def test_what_cannot_be_read_is_said_in_one_sentence(capsys, arguments):
    assert run(["decisions", *arguments]) == 2
    told = capsys.readouterr()

    assert told.out == ""
    assert told.err.startswith("error[NW-9")


def test_since_is_a_time_or_a_while():
    assert read_since("", NOW_MS) == 0
    assert read_since("90s", NOW_MS) == NOW_MS - 90_000
    assert read_since(print_instant(5), NOW_MS) == 5
    with pytest.raises(UserError):
        read_since("2026-13-40", NOW_MS)


def test_kubectl_finds_the_command_as_its_plugin():
    (plugin,) = entry_points(group="console_scripts", name="kubectl-nodewright")
    (command,) = entry_points(group="console_scripts", name="nodewright")

    assert plugin.value == command.value


def test_chains_show_what_replaced_what_and_unknown_prices_as_such(tmp_path, capsys):
    recorder = Recorder(tmp_path, Clock())
    leaving = Leaving("node-a", "a", "general", "large", "zone-a", "spot", NanoUSD(400_000_000))
    record = Record("C-1", "Underutilized", Method.SINGLE, 0, ("b",))
    command = Disrupt(
        subject=Ref(NODE_CLAIMS, "a"), reason="Underutilized", record=record, leaving=(leaving,)
    )
    recorder.decided("disruption", a_world(a_type()), [command], 1)
    recorder.came_of("disruption", command, Answer(Outcome.DONE), 1)

    assert run(["decisions", "--journal", str(tmp_path), "--chains"]) == 0
    shown = capsys.readouterr().out
    assert "node-a (large spot 0.4000)" in shown
    assert run(["decisions", "--journal", str(tmp_path), "--chains", "-o", "json"]) == 0
    (link,) = json.loads(capsys.readouterr().out)
    assert (link["gone"][0]["pricePerHour"], link["savedPerHour"]) == (0.4, None)
    assert run(["decisions", "--journal", str(tmp_path), "--node", "node-a", "-o", "json"]) == 0
    assert [one["kind"] for one in json.loads(capsys.readouterr().out)] == ["Disrupt"]
