"""The Go module file of a control plane of a chosen Kubernetes release.

Kubernetes requires its own libraries at the placeholder version v0.0.0; whoever builds it from
outside has to replace each with the published one. Everything needed to do so stands in
Kubernetes' own module file, as `go mod edit -json` prints it. `go mod tidy` fills in the rest.
"""

import msgspec

from nodewright.model.errors import UserError
from nodewright.sandbox.versions import staging_version

MODULE = "nodewright.dev/tools/testcluster/controlplane"

_ETCD = "go.etcd.io/etcd/server/v3"
_PLACEHOLDER = "v0.0.0"


class Requirement(msgspec.Struct, frozen=True, rename="pascal"):
    """One line of a `require` block."""

    path: str
    version: str


class ModuleFile(msgspec.Struct, frozen=True, rename="pascal"):
    """The part of a Go module file that we read."""

    go: str
    require: tuple[Requirement, ...]


def decode_module(text: bytes) -> ModuleFile:
    """Read what `go mod edit -json` printed of Kubernetes' module file."""
    return msgspec.json.decode(text, type=ModuleFile)


def render_module(kubernetes: ModuleFile, version: str) -> str:
    """Write the module file that builds the control plane of this Kubernetes release."""
    etcd = [entry.version for entry in kubernetes.require if entry.path == _ETCD]
    if not etcd:
        raise UserError(f"Kubernetes {version} does not name its etcd: choose another release")
    staging = sorted(entry.path for entry in kubernetes.require if entry.version == _PLACEHOLDER)
    published = staging_version(version)
    lines = [
        f"module {MODULE}",
        "",
        f"go {kubernetes.go}",
        "",
        "require (",
        f"\t{_ETCD} {etcd[0]}",
        f"\tk8s.io/kubernetes {version}",
        ")",
        "",
        "replace (",
        *(f"\t{path} => {path} {published}" for path in staging),
        ")",
        "",
    ]
    return "\n".join(lines)
