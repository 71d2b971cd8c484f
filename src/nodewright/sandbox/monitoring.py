"""A Prometheus to scrape with, built once from its Go module like the control plane.

It is for whoever wants to see metrics, dashboards and alerts at work beside a sandbox. What finds targets
in clouds is left out of the build, which halves it; files and addresses remain.
"""

import hashlib
import platform
import shutil
import sys
from pathlib import Path
from typing import Final

from nodewright.sandbox import build, gocommand

_PACKAGE: Final = "github.com/prometheus/prometheus/cmd/prometheus"
_TAGS: Final = "remove_all_sd"


def ensure_prometheus(say: build.Say) -> Path:
    """Give the path of Prometheus, building it if nobody has yet."""
    sources = build.source_folder() / "monitoring"
    digest = hashlib.sha256(_TAGS.encode())
    for name in ("go.mod", "go.sum"):
        digest.update((sources / name).read_bytes())
    key = f"prometheus-{sys.platform}-{platform.machine().lower()}-{digest.hexdigest()[:12]}"
    target = build.cache_root() / key
    if not target.is_dir():
        gocommand.require()
        target.parent.mkdir(parents=True, exist_ok=True)
        with build.locked(target.with_name(f"{key}.lock"), say):
            if not target.is_dir():
                _build(sources, target, say)
    return target / "prometheus"


def _build(sources: Path, target: Path, say: build.Say) -> None:
    draft = target.with_name(f"{target.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)  # Left over from a build that was cut short.
    draft.mkdir()
    say(
        f"building Prometheus into {target}\n  this is done once and takes about 3 minutes on two cores"
    )
    gocommand.ask(
        "build", "-trimpath", "-buildvcs=false", "-tags", _TAGS, "-ldflags", "-s -w",
        "-o", str(draft / "prometheus"), _PACKAGE, folder=sources,
    )  # fmt: skip
    draft.rename(target)
