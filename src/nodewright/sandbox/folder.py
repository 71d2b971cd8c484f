"""The folder of one sandbox, and what is written down in it.

Everything a sandbox has on disk is under its own folder, so taking the folder away leaves
nothing behind. Whether it runs is told by a lock that its supervisor holds: the system lets go
of a lock when its holder dies, however it died, and no process number can be mistaken for
another. What runs, and where, stands in the record, which the supervisor alone writes.
"""

import os
import re
import sys
from pathlib import Path
from typing import Literal

import msgspec

from nodewright.model.errors import UserError
from nodewright.sandbox.binaries import Binaries

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")

type Phase = Literal["starting", "ready", "failed"]


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    """What was asked for: written by whoever starts a sandbox, read by its supervisor."""

    name: str
    kubernetes_version: str
    binaries: Binaries
    # An owned sandbox ends when the process that started it ends.
    owned: bool = False
    apiserver_flags: tuple[str, ...] = ()
    # The home region of the AWS stand-in beside the control plane; none means no stand-in.
    aws_region: str = ""


class Member(msgspec.Struct, frozen=True, rename="camel"):
    """One running program of a sandbox."""

    name: str
    pid: int
    port: int
    restart_count: int = 0


class Record(msgspec.Struct, frozen=True, rename="camel"):
    """What the supervisor says of its sandbox."""

    name: str
    phase: Phase
    step: str
    kubernetes_version: str
    supervisor_pid: int
    owned: bool
    started_ms: int
    server: str = ""
    aws_url: str = ""
    aws_region: str = ""
    programs: tuple[Member, ...] = ()
    error: str = ""


class Folder:
    """Where the files of one sandbox are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        self.kubeconfig = path / "kubeconfig.yaml"
        self.certificates = path / "certificates"
        self.data = path / "etcd"
        self.logs = path / "logs"
        self.stages = path / "stages.yaml"
        self.kubectl_cache = path / "kubectl-cache"
        self._spec = path / "spec.json"
        self._record = path / "record.json"
        self.lock = path / "lock"

    def write_spec(self, spec: Spec) -> None:
        """Write down what was asked for."""
        self._spec.write_bytes(msgspec.json.encode(spec))

    def read_spec(self) -> Spec:
        """Read back what was asked for."""
        return msgspec.json.decode(self._spec.read_bytes(), type=Spec)

    def write_record(self, record: Record) -> None:
        """Write the record so that a reader sees the old one or the new one, never a half."""
        draft = self._record.with_suffix(".draft")
        draft.write_bytes(msgspec.json.encode(record))
        draft.replace(self._record)

    def read_record(self) -> Record | None:
        """Read the record, or nothing where the supervisor has not written one yet."""
        try:
            return msgspec.json.decode(self._record.read_bytes(), type=Record)
        except FileNotFoundError:
            return None

    def take_lock(self) -> int | None:
        """Take the lock and give its file descriptor, or nothing where a sandbox holds it."""
        descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600)
        if try_lock(descriptor):
            return descriptor
        os.close(descriptor)
        return None

    def is_running(self) -> bool:
        """Tell whether a supervisor is alive behind this folder."""
        try:
            descriptor = os.open(self.lock, os.O_RDWR)
        except FileNotFoundError:
            return False
        free = try_lock(descriptor)
        os.close(descriptor)
        return not free


def try_lock(descriptor: int) -> bool:
    """Take the lock behind a file descriptor if nobody has it; closing it lets go."""
    import fcntl  # Only Unix has it, and only Linux gets here.

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def folder_of(name: str) -> Folder:
    """Give the folder of the sandbox with this name, whether or not it exists."""
    if _NAME.fullmatch(name) is None:
        raise UserError(
            f"'{name}' cannot name a sandbox",
            code="NW-9102",
            advice="use up to 40 lower-case letters, digits and dashes, as in my-test",
        )
    return Folder(_root() / name)


def list_folders() -> tuple[Folder, ...]:
    """Give the folders of all sandboxes of this user, by name."""
    root = _root()
    if not root.is_dir():
        return ()
    return tuple(Folder(path) for path in sorted(root.iterdir()) if path.is_dir())


def require_linux() -> None:
    """Refuse to go on where the sandbox cannot run."""
    if sys.platform != "linux":
        raise UserError(
            f"the sandbox runs on Linux only, and this is {sys.platform}",
            code="NW-9103",
            advice="use a Linux machine, virtual machine or container with Go 1.21 or later",
        )


def _root() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "nodewright" / "sandbox"
