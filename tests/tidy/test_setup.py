"""`make setup` believes only an interpreter that really runs, and says what to do without one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tidy import tree

SHIM = "#!/bin/sh\necho 'version not installed' >&2\nexit 127\n"


@pytest.fixture
def machine(tmp_path):
    """A machine with nothing on it but a shell, and a copy of the script."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "tools").mkdir()
    for program in ("bash", "dirname", "ls", "sort", "sh"):
        (tmp_path / "bin" / program).symlink_to(shutil.which(program))
    shutil.copy(tree.ROOT / "tools" / "setup.sh", tmp_path / "tools" / "setup.sh")
    return tmp_path


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def working(version: str = "") -> str:
    """A script that is this very interpreter, or pretends to be too old."""
    if version == "old":
        return "#!/bin/sh\necho /usr/bin/python3\nexit 1\n"
    return f'#!/bin/sh\nexec {sys.executable} "$@"\n'


def interpreter(machine: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Ask the script which interpreter it would take on this machine."""
    return subprocess.run(
        [machine / "bin" / "bash", machine / "tools" / "setup.sh", "python"],
        env={"PATH": str(machine / "bin"), "HOME": str(machine), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_an_interpreter_it_says_what_to_install(machine):
    asked = interpreter(machine)

    assert asked.returncode == 2
    assert "no Python 3.12 or newer was found that runs" in asked.stderr
    assert "make setup PYTHON=" in asked.stderr


def test_a_shim_that_does_not_run_is_passed_over(machine):
    put(machine / "bin" / "python3.14", SHIM)
    put(machine / "bin" / "python3.12", working())

    assert Path(interpreter(machine).stdout.strip()).samefile(sys.executable)


def test_an_old_interpreter_is_passed_over(machine):
    put(machine / "bin" / "python3.14", working("old"))
    assert interpreter(machine).returncode == 2

    put(machine / "bin" / "python3.13", working())
    assert Path(interpreter(machine).stdout.strip()).samefile(sys.executable)


def test_the_folders_of_pyenv_are_searched_too(machine):
    put(machine / "bin" / "python3.13", SHIM)
    put(machine / ".pyenv/versions/3.12.9/bin/python", working())
    put(machine / ".pyenv/versions/3.9.1/bin/python", working("old"))

    assert Path(interpreter(machine).stdout.strip()).samefile(sys.executable)


def test_the_users_choice_is_final(machine):
    put(machine / "bin" / "python3.12", working())
    chosen = machine / "my-python"
    put(chosen, SHIM)
    asked = interpreter(machine, PYTHON=os.fspath(chosen))

    assert asked.returncode == 2
    assert f"$PYTHON is {chosen}" in asked.stderr
