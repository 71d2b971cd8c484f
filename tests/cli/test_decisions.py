"""`nodewright decisions`: what was decided, for people and for programs."""

import json

import pytest

from builders import NOW_MS, a_pod, a_type, a_world
from journal.test_recorder import Clock, a_delete, a_refusal
from nodewright.cli.decisions import read_since
from nodewright.cli.main import run
from nodewright.journal.recorder import Recorder
from nodewright.model.errors import UserError
from nodewright.model.instant import print_instant
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
