"""The one process that owns a sandbox: it starts the programs, restarts them and ends them.

Every program is a child that the kernel kills when this process dies, so ending the supervisor
in any way ends the whole sandbox. It is itself ended by a signal (a sandbox of the command
line) or by the end of its standard input, a pipe that the owner holds (a sandbox of a test):
the system closes a pipe however its holder dies. A program that dies is started again in its
place, as a kubelet would; one that keeps dying ends the sandbox with a reason.

It sleeps until a signal, a dead child or the end of the pipe wakes it.
"""

import os
import selectors
import shutil
import signal
import socket
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from nodewright.sandbox import children
from nodewright.sandbox.children import Child
from nodewright.sandbox.folder import Folder, Member, Record, Spec
from nodewright.sandbox.furnish import furnish
from nodewright.sandbox.loopback import find_free_ports
from nodewright.sandbox.probe import Prober
from nodewright.sandbox.programs import Ports, plan_programs

_START_ATTEMPTS_MAX = 3
_START_LIMIT_S = 120.0
_POLL_S = 0.05
_QUICK_DEATHS_MAX = 20
_RESTART_PAUSE_S = 0.2
_DEFAULT_ACCOUNT = "/api/v1/namespaces/default/serviceaccounts/default"


class StartError(Exception):
    """A program did not come up; the sentence says which and what its log says."""


class PortTakenError(StartError):
    """Somebody took a port between finding it and listening on it."""


class StopAsked(Exception):  # noqa: N818 - not an error: the owner has had enough.
    """The owner is gone or asked for the end."""


class Supervisor:
    """Runs one sandbox from its spec to its end."""

    def __init__(self, folder: Folder, spec: Spec) -> None:
        self._folder = folder
        self._spec = spec
        self._children: dict[str, Child] = {}
        self._wakeups = _Wakeups(watch_owner=spec.owned)
        self._record = Record(
            name=spec.name,
            phase="starting",
            step="making certificates",
            kubernetes_version=spec.kubernetes_version,
            supervisor_pid=os.getpid(),
            owned=spec.owned,
            started_ms=time.time_ns() // 1_000_000,
        )

    def run(self) -> int:
        """Start everything, keep it running until asked to stop, leave nothing behind."""
        try:
            self._start()
            self._keep_running()
        except StopAsked:
            children.end_all(self._children.values())
            shutil.rmtree(self._folder.path, ignore_errors=True)
            return 0
        except (StartError, OSError) as problem:
            # The folder stays, for its logs; whoever waits for the start reads the reason.
            children.end_all(self._children.values())
            self._note(phase="failed", error=str(problem), programs=())
            return 1
        return 0

    def _start(self) -> None:
        for attempt in range(1, _START_ATTEMPTS_MAX + 1):
            try:
                self._start_once()
            except PortTakenError:
                children.end_all(self._children.values())
                self._children.clear()
                shutil.rmtree(self._folder.data, ignore_errors=True)
                if attempt == _START_ATTEMPTS_MAX:
                    raise
            else:
                return

    def _start_once(self) -> None:
        ports = Ports(*find_free_ports(len(Ports.__struct_fields__)))
        region = self._spec.aws_region
        aws_url = ports.aws_url if region else ""
        self._note(server=ports.server, aws_url=aws_url, aws_region=region)
        furnish(self._folder, self._spec, ports.server, datetime.now(UTC))
        prober = Prober(self._folder.certificates)
        plan = plan_programs(
            self._spec.binaries, self._folder, ports, self._spec.apiserver_flags, region
        )
        for wave in plan.waves:
            self._note(step="starting " + ", ".join(program.name for program in wave))
            for program in wave:
                self._children[program.name] = children.launch(program, self._folder)
            self._note()
            for program in wave:
                if program.ready_url:
                    self._await(program.name, prober, program.ready_url)
        # Pods are refused until their namespace has its service account.
        self._note(step="waiting for the default service account")
        self._await("kube-controller-manager", prober, ports.server + _DEFAULT_ACCOUNT)
        self._note(phase="ready", step="running")

    def _await(self, name: str, prober: Prober, url: str) -> None:
        limit = time.monotonic() + _START_LIMIT_S
        while not prober.is_ready(url):
            self._wakeups.wait(_POLL_S)
            for child in self._children.values():
                if child.process.poll() is not None:
                    self._fail(child)
            if time.monotonic() > limit:
                log = self._folder.logs / f"{name}.log"
                raise StartError(
                    f"{name} is not ready after {_START_LIMIT_S:.0f} s; its log is {log}"
                )

    def _fail(self, child: Child) -> None:
        name = child.program.name
        log = self._folder.logs / f"{name}.log"
        last = children.last_words(log)
        kind = PortTakenError if "address already in use" in last else StartError
        raise kind(f"{name} ended with status {child.process.returncode}; its log ({log}): {last}")

    def _keep_running(self) -> None:
        while True:
            self._wakeups.wait(None)
            for child in list(self._children.values()):
                if child.process.poll() is None:
                    continue
                if child.quick_death_count >= _QUICK_DEATHS_MAX:
                    self._fail(child)
                self._wakeups.wait(_RESTART_PAUSE_S)
                self._children[child.program.name] = children.relaunch(child, self._folder)
                self._note()

    def _note(self, **changes: object) -> None:
        members = tuple(
            Member(child.program.name, child.process.pid, child.program.port, child.restart_count)
            for child in self._children.values()
        )
        self._record = msgspec.structs.replace(self._record, **{"programs": members, **changes})
        self._folder.write_record(self._record)


class _Wakeups:
    """Waits for whatever concerns the supervisor, and raises `StopAsked` when it is the end."""

    def __init__(self, *, watch_owner: bool) -> None:
        self._selector = selectors.DefaultSelector()
        self._stop = False
        reader, writer = socket.socketpair()
        reader.setblocking(False)
        writer.setblocking(False)
        self._reader = reader
        self._writer = writer
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(each, self._on_stop)
        # A handler is needed for the signal to wake the selector; the work is done elsewhere.
        signal.signal(signal.SIGCHLD, lambda _signal, _frame: None)
        self._selector.register(reader, selectors.EVENT_READ)
        if watch_owner:
            self._selector.register(sys.stdin, selectors.EVENT_READ)

    def wait(self, timeout_s: float | None) -> None:
        """Sleep until something happens or the time is up."""
        for key, _ in self._selector.select(timeout_s):
            if key.fileobj is self._reader:
                self._reader.recv(4096)
            elif not os.read(sys.stdin.fileno(), 4096):
                self._stop = True
        if self._stop:
            raise StopAsked

    def _on_stop(self, _signal: int, _frame: object) -> None:
        self._stop = True


def main() -> int:
    """Supervise the sandbox whose folder is the first argument."""
    folder = Folder(Path(sys.argv[1]))
    spec = folder.read_spec()
    if not spec.owned and os.fork():
        # Whoever starts a sandbox that lives on must not remain its parent.
        os._exit(0)
    return Supervisor(folder, spec).run()


if __name__ == "__main__":
    sys.exit(main())
