"""Starts that fail, with programs that only pretend, and machines that cannot run a sandbox."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nodewright.cli.main import run
from nodewright.model.errors import UserError
from nodewright.sandbox import build, cluster
from nodewright.sandbox.binaries import binaries_in
from nodewright.sandbox.folder import Spec, folder_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox runs on Linux")


@pytest.fixture
def a_spec(tmp_path, monkeypatch):
    """Make a spec whose etcd is the given shell script; no later program is ever reached."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def make(script, *, owned=False):
        folder = tmp_path / "bin"
        folder.mkdir()
        for name in build.PROGRAMS:
            (folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (folder / name).chmod(0o755)
        return Spec("mine", "v1.34.4", binaries_in(folder, "test"), owned=owned)

    return make


def test_a_program_that_ends_is_named_with_its_last_words(a_spec):
    spec = a_spec("echo the disk is on fire; exit 3")

    with pytest.raises(UserError, match=r"etcd ended with status 3.*the disk is on fire"):
        cluster.start(spec, lambda _: None)

    folder = folder_of("mine")
    assert not folder.is_running()
    assert (folder.logs / "etcd.log").read_text() == "the disk is on fire\n"
    assert cluster.stop(folder)
    assert not folder.path.exists()
    assert not cluster.stop(folder)


def test_a_failed_start_of_an_owned_sandbox_leaves_nothing(a_spec):
    spec = a_spec("exit 1", owned=True)

    with pytest.raises(UserError, match="etcd ended"):
        cluster.start(spec, lambda _: None)

    assert not folder_of("mine").path.exists()


def test_a_taken_port_is_answered_with_other_ports(a_spec, tmp_path):
    spec = a_spec(f'echo "$@" >> {tmp_path}/calls; echo "bind: address already in use"; exit 1')

    with pytest.raises(UserError, match="address already in use"):
        cluster.start(spec, lambda _: None)

    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(set(calls)) == 3


def test_a_second_start_under_the_same_name_is_refused_and_an_interrupt_ends_the_first(a_spec):
    spec = a_spec("exec sleep 60")
    refused = []

    def say(step):
        if step == "starting etcd":
            with pytest.raises(UserError, match="running already"):
                cluster.start(spec, lambda _: None)
            refused.append(step)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cluster.start(spec, say)

    assert refused
    assert not folder_of("mine").path.exists()


def test_a_dead_sandbox_makes_room_for_a_new_one(a_spec):
    spec = a_spec("exit 1")
    for _ in range(2):
        with pytest.raises(UserError, match="etcd ended"):
            cluster.start(spec, lambda _: None)
        assert cluster.find("mine") is None


def test_programs_of_a_killed_supervisor_die_with_it(a_spec, capsys):
    spec = a_spec("exec sleep 60")
    pids = []

    def say(step):
        if step == "starting etcd":
            record = await_program(folder_of("mine"))
            pids.append(record.programs[0].pid)
            os.kill(record.supervisor_pid, signal.SIGKILL)

    with pytest.raises(UserError, match="did not start"):
        cluster.start(spec, say)

    await_gone(pids[0])
    assert run(["sandbox", "status", "--name", "mine"]) == 1
    assert "dead" in capsys.readouterr().out


def await_program(folder):
    for _ in range(200):
        record = folder.read_record()
        if record is not None and record.programs:
            return record
        time.sleep(0.02)
    raise AssertionError("no program was started")


def await_gone(pid):
    for _ in range(200):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except FileNotFoundError:
            return
        if stat.rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.02)
    raise AssertionError(f"{pid} lives on")


FOREIGN = """
import signal, sys
sys.modules["fcntl"] = None
for name in ("SIGKILL", "SIGHUP", "SIGCHLD"):
    delattr(signal, name)
import nodewright.sandbox.supervisor
from nodewright.cli.main import run
sys.platform = "win32"
sys.exit(run(["sandbox", "status"]))
"""


def test_another_system_can_import_it_all_and_is_told_what_it_needs():
    answer = subprocess.run(
        [sys.executable, "-c", FOREIGN], capture_output=True, text=True, check=False
    )

    assert answer.returncode == 2, answer.stderr
    assert "runs on Linux only, and this is win32" in answer.stderr
    assert "Traceback" not in answer.stderr
