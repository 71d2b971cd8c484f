"""Names, records and the lock of a sandbox's folder."""

import os

import pytest

from nodewright.model.errors import UserError
from nodewright.sandbox.folder import Folder, Record, folder_of, list_folders


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "nodewright" / "sandbox"


def a_record(phase="ready"):
    return Record(
        name="mine",
        phase=phase,
        step="running",
        kubernetes_version="v1.34.4",
        supervisor_pid=1,
        owned=False,
        started_ms=0,
    )


@pytest.mark.parametrize("name", ["", "../up", "a/b", "Upper", "-dash", "dash-", "x" * 41])
def test_a_name_that_could_leave_the_root_is_refused(root, name):
    with pytest.raises(UserError, match="cannot name a sandbox"):
        folder_of(name)


def test_sandboxes_are_listed_by_name(root):
    for name in ("b", "a"):
        (root / name).mkdir(parents=True)

    assert [folder.name for folder in list_folders()] == ["a", "b"]


def test_no_sandbox_was_ever_started_lists_nothing(root):
    assert list_folders() == ()


def test_a_record_is_read_back_as_it_was_written(tmp_path):
    folder = Folder(tmp_path)
    assert folder.read_record() is None

    folder.write_record(a_record())

    assert folder.read_record() == a_record()


def test_a_sandbox_runs_as_long_as_somebody_holds_its_lock(tmp_path):
    folder = Folder(tmp_path)
    assert not folder.is_running()

    lock = folder.take_lock()
    assert lock is not None
    assert folder.is_running()
    assert folder.take_lock() is None

    os.close(lock)
    assert not folder.is_running()
