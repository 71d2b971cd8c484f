"""`nodewright sandbox` where no control plane is needed to answer."""

import os
import sys

import msgspec
import pytest

from nodewright.cli.main import run
from nodewright.sandbox.folder import Folder, Member, Record

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox runs on Linux")


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "nodewright" / "sandbox"


def put_record(root, name, *, phase="ready", owned=False, error=""):
    folder = Folder(root / name)
    folder.path.mkdir(parents=True)
    folder.write_record(
        Record(
            name=name,
            phase=phase,
            step="",
            kubernetes_version="v1.34.4",
            supervisor_pid=1,
            owned=owned,
            started_ms=0,
            programs=(Member("etcd", 2, 3),),
            error=error,
        )
    )
    return folder


def test_a_shell_is_not_pointed_at_a_sandbox_that_does_not_run(root, capsys):
    assert run(["sandbox", "env"]) == 2

    said = capsys.readouterr()
    assert said.out == ""
    assert "no running sandbox named default" in said.err
    assert "nodewright sandbox up" in said.err


def test_a_sandbox_whose_supervisor_was_killed_is_shown_dead_without_programs(root, capsys):
    put_record(root, "mine")

    assert run(["sandbox", "status", "-o", "json"]) == 1

    [shown] = msgspec.json.decode(capsys.readouterr().out)
    assert shown["state"] == "dead"
    assert shown["programs"] == []
    assert shown["startedAt"] == "1970-01-01T00:00:00.000Z"
    assert "sandbox down" in shown["reason"]


def test_a_failed_start_is_shown_with_its_reason(root, capsys):
    put_record(root, "mine", phase="failed", error="etcd ended")

    assert run(["sandbox", "status"]) == 1

    assert "mine: etcd ended" in capsys.readouterr().out


def test_no_sandbox_is_no_failure_unless_one_was_named(root, capsys):
    assert run(["sandbox", "status"]) == 0
    assert run(["sandbox", "status", "--name", "mine"]) == 1
    assert run(["sandbox", "down"]) == 0
    assert "no sandbox named default" in capsys.readouterr().err


def test_all_sandboxes_go_but_those_of_running_tests(root, capsys):
    dead = put_record(root, "dead")
    tested = put_record(root, "tested", owned=True)
    held = tested.take_lock()
    assert held is not None

    assert run(["sandbox", "down", "--all"]) == 0

    os.close(held)
    assert not dead.path.exists()
    assert tested.path.exists()
    assert "left alone: tested" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--nodes", "-1"], "--nodes"),
        (["--nodes", "5001"], "--nodes"),
        (["--kubernetes-version", "1.30"], "1.31 to 1.36"),
        (["--name", "../up"], "cannot name a sandbox"),
    ],
)
def test_bad_input_is_one_sentence_and_starts_nothing(root, capsys, arguments, sentence):
    assert run(["sandbox", "up", *arguments]) == 2

    said = capsys.readouterr().err
    assert sentence in said
    assert "Traceback" not in said
    assert not root.exists()
