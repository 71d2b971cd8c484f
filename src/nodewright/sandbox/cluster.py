"""A sandbox as its user sees it: start it, ask of it, talk to it, end it.

Two ways to have one. *Owned*: it ends with the process that started it, however that process
ends; this is for tests. *Left running*: it lives on under its supervisor until `stop`, and any
later process finds it again by name; this is for people.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nodewright.model.errors import UserError
from nodewright.sandbox.folder import Folder, Record, Spec, folder_of, require_linux, try_lock
from nodewright.sandbox.nodes import NodeShape, name_nodes, render_nodes

_POLL_S = 0.05
_START_LIMIT_S = 400.0
_STOP_LIMIT_S = 15.0

type Say = Callable[[str], None]


class Sandbox:
    """A sandbox that is running."""

    def __init__(self, folder: Folder, owned: "subprocess.Popen[bytes] | None" = None) -> None:
        self.folder = folder
        self.kubeconfig = folder.kubeconfig
        self._owned = owned

    @property
    def record(self) -> Record:
        """What its supervisor says of it now."""
        record = self.folder.read_record()
        if record is None:
            raise UserError(f"sandbox {self.folder.name} is not running", code="NW-9109")
        return record

    def run_kubectl(
        self, *arguments: str, stdin: bytes = b""
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run kubectl as the sandbox's administrator, whatever comes of it."""
        environment = {
            **os.environ,
            "KUBECONFIG": str(self.kubeconfig),
            "KUBECACHEDIR": str(self.folder.kubectl_cache),
        }
        return subprocess.run(  # noqa: S603 - our own kubectl.
            [self.folder.read_spec().binaries.kubectl, *arguments],
            input=stdin,
            env=environment,
            capture_output=True,
            check=False,
        )

    def kubectl(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run kubectl and give what it prints; its complaint is an error."""
        answer = self.run_kubectl(*arguments, stdin=stdin)
        if answer.returncode != 0:
            said = answer.stderr.decode(errors="replace").strip()
            raise UserError(f"kubectl {' '.join(arguments[:3])}: {said}", code="NW-9110")
        return answer.stdout.decode()

    def add_nodes(self, count: int, shape: NodeShape = NodeShape()) -> tuple[str, ...]:  # noqa: B008 - frozen.
        """Have at least the fake nodes `node-1` to `node-<count>`; give the names of the new."""
        there = set(self.kubectl("get", "nodes", "-o", "name").split())
        missing = tuple(name for name in name_nodes(count) if f"node/{name}" not in there)
        if missing:
            self.kubectl("create", "-f", "-", stdin=render_nodes(missing, shape))
        return missing

    def signal_program(self, name: str, number: signal.Signals) -> None:
        """Send a signal to one program; one that dies of it is started again at once."""
        pids = {member.name: member.pid for member in self.record.programs}
        os.kill(pids[name], number)

    def stop(self) -> None:
        """End all programs and take the folder away."""
        if self._owned is None:
            stop(self.folder)
            return
        assert self._owned.stdin is not None
        self._owned.stdin.close()
        try:
            self._owned.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._owned.kill()
            self._owned.wait()
        shutil.rmtree(self.folder.path, ignore_errors=True)

    def await_ready(self, say: "Say") -> None:
        """Wait until the start, whoever asked for it, has come to its end."""
        end = time.monotonic() + _START_LIMIT_S
        step = ""
        while time.monotonic() < end:
            # In this order: a supervisor that ends well after the look has written its record.
            alive = self.folder.is_running()
            record = self.folder.read_record()
            if record is not None and record.phase == "ready" and alive:
                return
            if not alive:
                raise _start_failure(self.folder)
            if record is not None and record.step != step:
                step = record.step
                say(step)
            time.sleep(_POLL_S)
        raise UserError(
            f"sandbox {self.folder.name} is not ready after {_START_LIMIT_S:.0f} s",
            code="NW-9112",
            where=str(self.folder.logs),
        )


def start(spec: Spec, say: Say) -> Sandbox:
    """Start a sandbox and wait until it is ready, telling each step."""
    require_linux()
    folder = folder_of(spec.name)
    folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = folder.take_lock()
    if lock is None:
        raise UserError(
            f"a sandbox named {spec.name} is running already",
            code="NW-9111",
            advice=f"take it down with `nodewright sandbox down --name {spec.name}`, or use "
            "another --name",
        )
    try:
        _clear(folder)
        folder.write_spec(spec)
        process = _launch_supervisor(folder, lock, owned=spec.owned)
        if not spec.owned:
            process.wait()  # It has left a child of its own behind.
    finally:
        os.close(lock)  # The supervisor has its own copy, and with it the lock.
    sandbox = Sandbox(folder, process if spec.owned else None)
    try:
        sandbox.await_ready(say)
    except BaseException:
        # Interrupted or failed: an owned sandbox takes its folder along, the other leaves its logs.
        if spec.owned or folder.is_running():
            sandbox.stop()
        raise
    return sandbox


@contextmanager
def running(spec: Spec, say: Say) -> Iterator[Sandbox]:
    """Have a sandbox for the length of a block."""
    sandbox = start(spec, say)
    try:
        yield sandbox
    finally:
        sandbox.stop()


def find(name: str) -> Sandbox | None:
    """Give the sandbox of this name if it is running."""
    require_linux()
    folder = folder_of(name)
    return Sandbox(folder) if folder.is_running() else None


def stop(folder: Folder) -> bool:
    """End a sandbox whoever started it, and remove what is left of it; tell if there was any."""
    require_linux()
    if not folder.path.exists():
        return False
    try:
        lock = os.open(folder.lock, os.O_RDWR)
    except FileNotFoundError:
        lock = -1
    if lock >= 0:
        try:
            _end_supervisor(folder, lock)
        finally:
            os.close(lock)
    shutil.rmtree(folder.path, ignore_errors=True)
    return True


def _end_supervisor(folder: Folder, lock: int) -> None:
    # The lock is free once the supervisor is gone, and its programs end before or with it.
    for number in (signal.SIGTERM, signal.SIGKILL):
        asked = False
        end = time.monotonic() + _STOP_LIMIT_S
        while time.monotonic() < end:
            if try_lock(lock):
                return
            record = folder.read_record()
            if record is not None and not asked:
                os.kill(record.supervisor_pid, number)
                asked = True
            time.sleep(_POLL_S)
    raise UserError(f"sandbox {folder.name} does not end", code="NW-9112", where=str(folder.path))


def _clear(folder: Folder) -> None:
    for path in folder.path.iterdir():
        if path == folder.lock:
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _launch_supervisor(folder: Folder, lock: int, *, owned: bool) -> "subprocess.Popen[bytes]":
    folder.logs.mkdir(mode=0o700)
    with (folder.logs / "supervisor.log").open("wb") as log:
        return subprocess.Popen(  # noqa: S603 - this very Python.
            [sys.executable, "-P", "-m", "nodewright.sandbox.supervisor", str(folder.path)],
            cwd=folder.path,
            stdin=subprocess.PIPE if owned else subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=(lock,),
        )


def _start_failure(folder: Folder) -> UserError:
    record = folder.read_record()
    reason = record.error if record is not None else ""
    if not reason:
        reason = _tail(folder.logs / "supervisor.log")
    return UserError(f"sandbox {folder.name} did not start: {reason}", code="NW-9112")


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "its supervisor ended without a word"
