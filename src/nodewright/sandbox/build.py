"""Build the control plane, KWOK and Helm from Go modules, once for each set of versions.

The result goes to a cache that all checkouts share, under a key made of the Kubernetes release
and a digest of the Go sources. A build writes beside its final place and is renamed into it at
the end, so a folder under its key is always whole; a lock keeps two builds of one key apart.
The first build takes minutes and the later ones of other releases less, since Go keeps what it
compiled. Run as a module, it builds and prints the folder: `python -m nodewright.sandbox.build`.
"""

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from nodewright.model.errors import UserError
from nodewright.sandbox import gocommand, gomod
from nodewright.sandbox.versions import DEFAULT_VERSION, choose_version

CONTROL_PLANE = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
PROGRAMS = (*CONTROL_PLANE, "kwok", "helm")

# Part of the key: raised when the steps below change what they make of the same sources.
_RECIPE = "1"

_KWOK = "sigs.k8s.io/kwok"
_HELM = "helm.sh/helm/v3"

type Say = Callable[[str], None]


class _Download(msgspec.Struct, frozen=True, rename="pascal"):
    go_mod: str


def source_folder() -> Path:
    """Give the folder of our Go sources: beside this file when installed, else the checkout's."""
    here = Path(__file__).resolve()
    installed = here.parent / "go"
    return installed if installed.is_dir() else here.parents[3] / "tools" / "testcluster"


def cache_root() -> Path:
    """Give the folder that holds every build of this user."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "nodewright" / "testcluster"


def cache_key(version: str, sources: Path) -> str:
    """Name a build: the release, the machine, and a digest of everything it is made from."""
    digest = hashlib.sha256(_RECIPE.encode())
    names = ["controlplane/main.go", "companions/go.mod", "companions/go.sum"]
    if version == DEFAULT_VERSION:
        names += ["controlplane/go.mod", "controlplane/go.sum"]
    for name in names:
        digest.update((sources / name).read_bytes())
    return f"{version}-{sys.platform}-{platform.machine().lower()}-{digest.hexdigest()[:12]}"


def find_built(version: str) -> Path | None:
    """Give the folder of a finished build, or nothing where there is none yet."""
    folder = cache_root() / cache_key(version, source_folder())
    return folder if folder.is_dir() else None


def ensure_built(version: str, say: Say) -> Path:
    """Give the folder with all programs of a release, building them if nobody has yet."""
    sources = source_folder()
    if not sources.is_dir():
        raise UserError(
            "this installation has no Go sources for the sandbox",
            code="NW-9106",
            advice=(
                "install Nodewright again, or name a folder with the programs in "
                "NODEWRIGHT_TESTCLUSTER_BIN"
            ),
        )
    target = cache_root() / cache_key(version, sources)
    if target.is_dir():
        return target
    gocommand.require()
    target.parent.mkdir(parents=True, exist_ok=True)
    with locked(target.with_name(target.name + ".lock"), say):
        if not target.is_dir():
            _build(version, sources, target, say)
    return target


def _build(version: str, sources: Path, target: Path, say: Say) -> None:
    draft = target.with_name(target.name + ".draft")
    shutil.rmtree(draft, ignore_errors=True)  # Left over from a build that was cut short.
    draft.mkdir()
    say(
        f"building Kubernetes {version}, KWOK and Helm into {target}\n"
        "  this is done once and takes 5 to 10 minutes on two cores, 6 GB of disk for Go's caches"
    )
    module = sources / "controlplane"
    if version != DEFAULT_VERSION:
        say(f"working out the Go modules of Kubernetes {version}")
        module = generate_module(version, module, target.with_name(target.name + ".module"))
    _build_control_plane(version, module, draft, say)
    companions = sources / "companions"
    for name, path, package, variable in (
        ("kwok", _KWOK, "cmd/kwok", "pkg/consts.Version"),
        ("helm", _HELM, "cmd/helm", "internal/version.version"),
    ):
        release = gocommand.ask("list", "-m", "-f", "{{.Version}}", path, folder=companions)
        stamp = (f"{path}/{variable}={release.decode().strip()}",)
        say(f"compiling {name} {release.decode().strip()}")
        gocommand.build(f"{path}/{package}", draft / name, stamp, companions, say)
    draft.rename(target)
    if module.parent == target.parent:
        shutil.rmtree(module)


def _build_control_plane(version: str, module: Path, draft: Path, say: Say) -> None:
    major, minor = version.removeprefix("v").split(".")[:2]
    facts = {
        "gitVersion": version,
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
        "gitCommit": "0" * 40,
        "buildDate": "1970-01-01T00:00:00Z",
    }
    stamps = tuple(
        f"{package}.{name}={value}"
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
        for name, value in facts.items()
    )
    say("fetching the Go modules of Kubernetes (about 1 GB the first time)")
    gocommand.ask("mod", "download", folder=module)
    say(f"compiling {', '.join(CONTROL_PLANE)}")
    gocommand.build(".", draft / "controlplane", stamps, module, say)
    for name in CONTROL_PLANE:
        (draft / name).symlink_to("controlplane")


def generate_module(version: str, template: Path, folder: Path) -> Path:
    """Make the Go module of a release in a new folder, with the program of the template."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copyfile(template / "main.go", folder / "main.go")
    (folder / "go.mod").write_text(f"module {gomod.MODULE}\n")
    answer = gocommand.ask(
        "mod", "download", "-json", f"k8s.io/kubernetes@{version}", folder=folder
    )
    theirs = msgspec.json.decode(answer, type=_Download).go_mod
    kubernetes = gomod.decode_module(gocommand.ask("mod", "edit", "-json", theirs, folder=folder))
    (folder / "go.mod").write_text(gomod.render_module(kubernetes, version))
    gocommand.ask("mod", "tidy", folder=folder)
    return folder


@contextmanager
def locked(path: Path, say: Say) -> Iterator[None]:
    """Keep two builds of one thing apart; whoever comes second waits, and says so."""
    import fcntl  # Only Unix has it; the sandbox runs on Linux.

    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another build of the same release is under way: waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> int:
    """Build the release that `KUBE_VERSION` names, or the default one, and print its folder."""
    try:
        version = choose_version(os.environ.get("KUBE_VERSION") or DEFAULT_VERSION)
        folder = ensure_built(version, _tell)
    except UserError as problem:
        _tell(f"error[{problem.code}]: {problem}")
        if problem.advice:
            _tell(f"  help: {problem.advice}")
        return 2
    except KeyboardInterrupt:
        _tell("interrupted; what Go has compiled so far is kept")
        return 2
    sys.stdout.write(f"{folder}\n")
    return 0


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
