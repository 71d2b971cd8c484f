"""Asks the peer: builds `benchmarks/karpenter` and has it answer snapshots, one JSON line each.

Building needs Go. Where Go is missing the tests fail and say how to leave them out on purpose; they
never pass by not running.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "karpenter"
PROGRAM = FOLDER / "bin" / "karpenter-peer"
SWITCH = "NODEWRIGHT_PARITY"


def build() -> Path:
    """Give the peer's program, built anew where its sources changed."""
    if os.environ.get(SWITCH) == "skip":
        pytest.skip(f"left out on purpose ({SWITCH}=skip)")
    if shutil.which("go") is None or shutil.which("make") is None:
        pytest.fail(
            "the peer is built with Go, and go or make is not on the path: install Go 1.21 or newer "
            f"(https://go.dev/dl), or leave the comparison out with {SWITCH}=skip or make test-fast"
        )
    done = subprocess.run(
        ["make", "-C", str(FOLDER)], capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, f"the peer cannot be built:\n{done.stderr[-2000:]}"
    return PROGRAM


def ask(snapshots: Iterable[Path]) -> dict[Path, str]:
    """Give the peer's answer to each snapshot, as the line that it printed."""
    names = "\n".join(str(path) for path in snapshots)
    done = subprocess.run(
        [str(build()), "-workers", "1", "-list"],
        input=names,
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert done.returncode == 0, f"the peer failed on some snapshots:\n{done.stderr[-2000:]}"
    answers = {Path(json.loads(line)["snapshot"]): line for line in done.stdout.splitlines()}
    assert len(answers) == len(names.splitlines())
    return answers
