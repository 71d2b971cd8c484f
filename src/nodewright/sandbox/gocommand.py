"""The Go command: find it, ask it, build with it.

Every call runs outside of any workspace and without stamping the repository's state, so the
same sources give the same program in every checkout. Packages that Go reports as compiled are
counted, because a silent build of five minutes looks like a hang.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from nodewright.model.errors import UserError

_REPORT_EVERY_S = 20.0
_ERROR_LINES_MAX = 12


def require() -> str:
    """Give the path of Go, or say what to install and how to do without."""
    path = shutil.which("go")
    if path is None:
        raise UserError(
            "the test cluster is built with Go, and there is no `go` on the path",
            code="NW-9107",
            advice=(
                "install Go 1.21 or later (https://go.dev/dl), or name a folder with the programs "
                "in NODEWRIGHT_TESTCLUSTER_BIN; `make test-fast` runs the tests without a cluster"
            ),
        )
    return path


def ask(*arguments: str, folder: Path) -> bytes:
    """Run Go in a folder and give what it prints."""
    answer = subprocess.run(  # noqa: S603 - Go itself, with arguments of ours.
        [require(), *arguments], cwd=folder, env=_environment(), capture_output=True, check=False
    )
    if answer.returncode != 0:
        lines = answer.stderr.decode(errors="replace").splitlines()
        raise _failure(" ".join(arguments[:2]), lines)
    return answer.stdout


def build(
    package: str, target: Path, stamps: Sequence[str], folder: Path, say: Callable[[str], None]
) -> None:
    """Compile a package into a program, with the given variables set, telling how it goes on."""
    flags = " ".join(("-s -w", *(f"-X {stamp}" for stamp in stamps)))
    command = [require(), "build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", flags]
    started = reported = time.monotonic()
    compiled_count = 0
    lines: list[str] = []
    with subprocess.Popen(  # noqa: S603 - Go itself, with arguments of ours.
        [*command, "-o", str(target), package],
        cwd=folder,
        env=_environment(),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            compiled_count += 1
            lines = [*lines[1 - _ERROR_LINES_MAX :], line.rstrip()]
            now = time.monotonic()
            if now - reported >= _REPORT_EVERY_S:
                reported = now
                say(f"  {compiled_count} packages compiled in {now - started:.0f} s")
    if process.returncode != 0:
        raise _failure("build", lines)


def _environment() -> dict[str, str]:
    return {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}


def _failure(what: str, lines: Sequence[str]) -> UserError:
    said = "\n  ".join(lines[-_ERROR_LINES_MAX:]) or "nothing"
    return UserError(
        f"`go {what}` failed, so the test cluster is not built; Go said:\n  {said}",
        code="NW-9108",
    )
