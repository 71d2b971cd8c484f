"""The programs that a sandbox is made of, and where they come from.

In this order: the folder that `NODEWRIGHT_TESTCLUSTER_BIN` names, which must then hold them
all; the folder that `KUBEBUILDER_ASSETS` names, which holds an API server, etcd and kubectl
and gets the rest, of the same Kubernetes minor, from our own build; our own build.
"""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from nodewright.model.errors import UserError
from nodewright.sandbox import build
from nodewright.sandbox.versions import DEFAULT_VERSION, choose_version, minor_of

OWN_VARIABLE = "NODEWRIGHT_TESTCLUSTER_BIN"
KUBEBUILDER_VARIABLE = "KUBEBUILDER_ASSETS"
VERSION_VARIABLE = "KUBE_VERSION"

_VERSION_TIMEOUT_S = 20


class Binaries(msgspec.Struct, frozen=True, rename="camel"):
    """The path of each program; helm is for the user and may be missing."""

    etcd: str
    kube_apiserver: str
    kube_controller_manager: str
    kube_scheduler: str
    kubectl: str
    kwok: str
    helm: str = ""

    def folders(self) -> tuple[str, ...]:
        """Give the folders to put on a shell's path, those of kubectl and helm."""
        paths = [self.kubectl, self.helm] if self.helm else [self.kubectl]
        return tuple(dict.fromkeys(str(Path(path).parent) for path in paths))


class Chosen(msgspec.Struct, frozen=True):
    """The programs to run and the Kubernetes release they are."""

    binaries: Binaries
    version: str


def locate(
    wanted: str | None, environment: Mapping[str, str], say: Callable[[str], None]
) -> Chosen:
    """Find the programs of the wanted release, or build them; `wanted` beats `KUBE_VERSION`."""
    asked = wanted or environment.get(VERSION_VARIABLE) or None
    own = environment.get(OWN_VARIABLE)
    assets = environment.get(KUBEBUILDER_VARIABLE)
    if own:
        binaries = binaries_in(Path(own), f"{OWN_VARIABLE} points to {own}")
        return Chosen(binaries, _check_version(binaries.kube_apiserver, asked, OWN_VARIABLE))
    if assets:
        return _locate_kubebuilder(Path(assets), asked, say)
    version = choose_version(asked or DEFAULT_VERSION)
    built = build.ensure_built(version, say)
    return Chosen(binaries_in(built, f"the build in {built}"), version)


def binaries_in(folder: Path, origin: str) -> Binaries:
    """Take all programs from one folder; helm alone may be missing."""
    needed = [name for name in build.PROGRAMS if name != "helm"]
    missing = [name for name in needed if not _is_program(folder / name)]
    if missing:
        raise UserError(
            f"{origin}, which has no {', '.join(missing)}",
            code="NW-9104",
            advice="add what is missing, or unset the variable to have everything built",
        )
    paths = {name.replace("-", "_"): str(folder / name) for name in needed}
    helm = folder / "helm"
    return Binaries(**paths, helm=str(helm) if _is_program(helm) else "")


def _locate_kubebuilder(folder: Path, asked: str | None, say: Callable[[str], None]) -> Chosen:
    given = ("etcd", "kube-apiserver", "kubectl")
    missing = [name for name in given if not _is_program(folder / name)]
    if missing:
        raise UserError(
            f"{KUBEBUILDER_VARIABLE} points to {folder}, which has no {', '.join(missing)}",
            code="NW-9104",
            advice="run setup-envtest again, or unset the variable to have everything built",
        )
    server = str(folder / "kube-apiserver")
    version = _check_version(server, asked, KUBEBUILDER_VARIABLE)
    rest = build.ensure_built(choose_version(minor_of(version)), say)
    ours = binaries_in(rest, f"the build in {rest}")
    binaries = msgspec.structs.replace(
        ours,
        etcd=str(folder / "etcd"),
        kube_apiserver=server,
        kubectl=str(folder / "kubectl"),
    )
    return Chosen(binaries, version)


def _check_version(apiserver: str, asked: str | None, variable: str) -> str:
    found = _ask_version(apiserver)
    if asked is not None and minor_of(found) != minor_of(choose_version(asked)):
        raise UserError(
            f"Kubernetes {asked} is wanted, but the programs of {variable} are {found}",
            code="NW-9105",
            advice="unset the variable to have the wanted release built, or name no version",
        )
    return found


def _ask_version(apiserver: str) -> str:
    try:
        answer = subprocess.run(  # noqa: S603 - the user chose this program.
            [apiserver, "--version"],
            capture_output=True,
            text=True,
            check=True,
            timeout=_VERSION_TIMEOUT_S,
        )
    except (OSError, subprocess.SubprocessError) as problem:
        raise UserError(
            f"{apiserver} --version does not work ({problem})",
            code="NW-9104",
            advice="use programs that are built for this machine",
        ) from problem
    return answer.stdout.strip().split()[-1]


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
