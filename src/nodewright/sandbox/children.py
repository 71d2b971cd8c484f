"""The programs of a sandbox as child processes that cannot outlive their supervisor."""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from nodewright.sandbox.folder import Folder
from nodewright.sandbox.programs import Program

# From linux/prctl.h: the signal a process gets when its parent dies.
_PR_SET_PDEATHSIG = 1
_QUICK_DEATH_S = 5.0
_LAST_WORDS_BYTES = 4096
_LAST_WORDS_LINES = 3


class Child(msgspec.Struct, frozen=True):
    """A started program."""

    program: Program
    process: subprocess.Popen[bytes]
    started_s: float
    restart_count: int = 0
    # How often in a row it died soon after its start.
    quick_death_count: int = 0


def launch(program: Program, folder: Folder) -> Child:
    """Start a program in the sandbox's folder, its output added to its log."""
    home = folder.path
    with (folder.logs / f"{program.name}.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own programs.
            program.argv,
            executable=program.argv[0],
            cwd=home,
            # A user's settings for these programs must not leak into the sandbox.
            env={"HOME": str(home), "PATH": os.environ.get("PATH", "")},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=_die_with(os.getpid()),  # noqa: PLW1509 - the supervisor has one thread.
        )
    return Child(program, process, time.monotonic())


def relaunch(dead: Child, folder: Folder) -> Child:
    """Start a program again in the place of one that died."""
    quick = time.monotonic() - dead.started_s < _QUICK_DEATH_S
    return msgspec.structs.replace(
        launch(dead.program, folder),
        restart_count=dead.restart_count + 1,
        quick_death_count=dead.quick_death_count + 1 if quick else 0,
    )


def end_all(children: Iterable[Child]) -> None:
    """Kill every program and wait until it is gone: its data is thrown away with it."""
    members = list(children)
    for child in members:
        child.process.kill()
    for child in members:
        child.process.wait()


def last_words(log: Path) -> str:
    """Give the last lines of a log, which mostly say why a program ended."""
    try:
        with log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _LAST_WORDS_BYTES))
            lines = file.read().decode(errors="replace").strip().splitlines()
    except FileNotFoundError:
        return ""
    return " | ".join(lines[-_LAST_WORDS_LINES:])


def _die_with(parent_pid: int) -> Callable[[], None]:
    libc = ctypes.CDLL(None, use_errno=True)

    def arm() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent_pid:
            # The parent died before the kernel knew of our wish.
            os._exit(1)

    return arm
