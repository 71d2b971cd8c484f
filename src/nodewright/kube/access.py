"""Access: everything that is needed to reach a cluster and to be somebody there.

It is found where every Kubernetes tool looks: a kubeconfig that was named, `$KUBECONFIG`, the service
account of the pod we run in, then `~/.kube/config`. What may change while we run (a token file, a
certificate, an exec plugin's answer) is kept as a place to read from, not as what was read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from nodewright.model.errors import UserError

SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
NO_ACCESS: Final = "NW-9401"


class Source(msgspec.Struct, frozen=True):
    """Some text that is given, or lies in a file and may be replaced there."""

    data: bytes = b""
    path: str = ""

    def read(self) -> bytes:
        """Give the text as it is now."""
        if not self.path:
            return self.data
        try:
            return Path(self.path).read_bytes()
        except OSError as error:
            raise UserError(
                f"cannot read {self.path}: {error.strerror}", code=NO_ACCESS, where=self.path
            ) from None

    def stamp(self) -> tuple[int, int]:
        """Tell two states of the file apart without reading it."""
        if not self.path:
            return (0, 0)
        try:
            found = Path(self.path).stat()
        except OSError:
            return (0, 0)
        return (found.st_mtime_ns, found.st_ino)

    def __bool__(self) -> bool:
        return bool(self.data or self.path)

    def __repr__(self) -> str:
        # What is given may be a key or a token, and texts like this end up in logs.
        return f"Source(path={self.path!r})" if self.path else "Source(...)"


class ExecPlugin(msgspec.Struct, frozen=True):
    """A program that prints credentials, such as `aws eks get-token`."""

    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    api_version: str = "client.authentication.k8s.io/v1"
    install_hint: str = ""
    provide_cluster_info: bool = False


class User(msgspec.Struct, frozen=True):
    """Who we are: any of these may be given, and an exec plugin beats a fixed token."""

    certificate: Source = Source()
    key: Source = Source()
    token: Source = Source()
    basic: tuple[str, str] | None = None
    plugin: ExecPlugin | None = None
    impersonate: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        # Passwords and a plugin's variables are nobody's business either.
        return "User(...)"


class Access(msgspec.Struct, frozen=True):
    """A cluster's address, how to trust it, and who we are there."""

    server: str
    user: User = User()
    authority: Source = Source()
    insecure: bool = False
    tls_server_name: str = ""
    proxy_url: str = ""
    namespace: str = ""
    context: str = ""


def find_access(
    environment: Mapping[str, str], kubeconfig: str | None = None, context: str | None = None
) -> Access:
    """Find the cluster that is meant; a problem is one sentence."""
    from nodewright.kube.kubeconfig import read_kubeconfig

    if kubeconfig:
        return read_kubeconfig((Path(kubeconfig).expanduser(),), context)
    named = [Path(one) for one in environment.get("KUBECONFIG", "").split(":") if one]
    if any(path.exists() for path in named):
        return read_kubeconfig(tuple(path for path in named if path.exists()), context)
    if named:
        raise UserError(
            "no file that $KUBECONFIG names exists", code=NO_ACCESS, where=environment["KUBECONFIG"]
        )
    if context is None and (inside := read_service_account(environment)) is not None:
        return inside
    home = Path(environment.get("HOME", "~")).expanduser() / ".kube" / "config"
    if home.exists():
        return read_kubeconfig((home,), context)
    raise UserError(
        "no cluster is configured: there is no kubeconfig and this is no pod",
        code=NO_ACCESS,
        advice="name a file with --kubeconfig or $KUBECONFIG; for EKS: "
        "aws eks update-kubeconfig --name CLUSTER",
    )


def read_service_account(
    environment: Mapping[str, str], folder: Path = SERVICE_ACCOUNT
) -> Access | None:
    """Give the access of the pod that we run in, or None outside of one."""
    host = environment.get("KUBERNETES_SERVICE_HOST", "")
    port = environment.get("KUBERNETES_SERVICE_PORT", "443")
    token = folder / "token"
    if not host or not token.exists():
        return None
    namespace = folder / "namespace"
    shown = f"[{host}]" if ":" in host else host
    return Access(
        server=f"https://{shown}:{port}",
        user=User(token=Source(path=str(token))),
        authority=Source(path=str(folder / "ca.crt")),
        namespace=namespace.read_text().strip() if namespace.exists() else "default",
        context="in-cluster",
    )
