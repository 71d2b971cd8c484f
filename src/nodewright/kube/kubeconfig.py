"""Kubeconfig files: several may be merged, and the first that names a thing wins.

Paths in a file are relative to that file. Only the chosen context is looked at closely, so a broken
entry that nobody uses stops nobody.
"""

import base64
import binascii
from pathlib import Path
from typing import Any

import msgspec
import yaml

from nodewright.kube.access import NO_ACCESS, Access, ExecPlugin, Source, User
from nodewright.model.errors import UserError


class _Written(msgspec.Struct, frozen=True, rename="kebab"):
    """What a kubeconfig writes with dashes."""


class _Cluster(_Written, frozen=True):
    server: str = ""
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    insecure_skip_tls_verify: bool = False
    tls_server_name: str = ""
    proxy_url: str = ""


class _Variable(msgspec.Struct, frozen=True):
    name: str
    value: str = ""


class _Exec(msgspec.Struct, frozen=True, rename="camel"):
    command: str
    api_version: str = "client.authentication.k8s.io/v1"
    args: list[str] | None = None
    env: list[_Variable] | None = None
    install_hint: str = ""
    provide_cluster_info: bool = False


class _User(_Written, frozen=True):
    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    token: str = ""
    token_file: str = msgspec.field(default="", name="tokenFile")
    username: str = ""
    password: str = ""
    exec: _Exec | None = None
    auth_provider: Any = None
    as_user: str = msgspec.field(default="", name="as")
    as_uid: str = ""
    as_groups: list[str] = []


class _Context(_Written, frozen=True):
    cluster: str = ""
    user: str = ""
    namespace: str = ""


class _File(_Written, frozen=True):
    clusters: list[dict[str, Any]] | None = None
    users: list[dict[str, Any]] | None = None
    contexts: list[dict[str, Any]] | None = None
    current_context: str = ""


class _Entry(msgspec.Struct, frozen=True):
    """A named thing, with the file that it was found in."""

    value: Any
    file: Path


class _Merged:
    def __init__(self, paths: tuple[Path, ...]) -> None:
        self.paths = paths
        self.current = ""
        self.found: dict[str, dict[str, _Entry]] = {"cluster": {}, "user": {}, "context": {}}
        for path in paths:
            self._take(path)

    @property
    def where(self) -> str:
        return ":".join(str(path) for path in self.paths)

    def _take(self, path: Path) -> None:
        file = _load(path)
        self.current = self.current or file.current_context
        for kind, entries in (
            ("cluster", file.clusters),
            ("user", file.users),
            ("context", file.contexts),
        ):
            for entry in entries or ():
                name = str(entry.get("name", ""))
                self.found[kind].setdefault(name, _Entry(entry.get(kind) or {}, path))

    def give[T](self, kind: str, name: str, struct: type[T]) -> tuple[T, Path]:
        """Give a named thing and the folder that its paths are relative to."""
        entry = self.found[kind].get(name)
        if entry is None:
            known = ", ".join(sorted(self.found[kind])) or "none"
            raise _error(f"there is no {kind} named {name!r}; there are: {known}", self.where)
        try:
            return msgspec.convert(entry.value, struct), entry.file.parent
        except msgspec.ValidationError as error:
            raise _error(f"{kind} {name!r} cannot be read: {error}", str(entry.file)) from None


def read_kubeconfig(paths: tuple[Path, ...], context: str | None = None) -> Access:
    """Read the access that a context of these files gives; without a name, the current one."""
    merged = _Merged(paths)
    name = context or merged.current
    if not name:
        raise _error("no context is chosen: set current-context or give --context", merged.where)
    chosen, _ = merged.give("context", name, _Context)
    cluster, cluster_folder = merged.give("cluster", chosen.cluster, _Cluster)
    user, user_folder = (
        merged.give("user", chosen.user, _User) if chosen.user else (_User(), Path())
    )
    if not cluster.server.startswith(("https://", "http://")):
        raise _error(
            f"the server of cluster {chosen.cluster!r} must begin with https://", merged.where
        )
    authority = _source(
        cluster.certificate_authority, cluster.certificate_authority_data, cluster_folder
    )
    return Access(
        server=cluster.server.rstrip("/"),
        user=_read_user(user, user_folder, chosen.user),
        authority=authority,
        insecure=cluster.insecure_skip_tls_verify,
        tls_server_name=cluster.tls_server_name,
        proxy_url=cluster.proxy_url,
        namespace=chosen.namespace or "default",
        context=name,
    )


def _read_user(user: _User, folder: Path, name: str) -> User:
    if user.auth_provider is not None and user.exec is None:
        raise _error(
            f"user {name!r} signs in by auth-provider, which Kubernetes removed in 1.26; "
            "use an exec plugin",
            str(folder),
        )
    groups = tuple(("Impersonate-Group", group) for group in user.as_groups)
    single = (("Impersonate-User", user.as_user), ("Impersonate-Uid", user.as_uid))
    return User(
        certificate=_source(user.client_certificate, user.client_certificate_data, folder),
        key=_source(user.client_key, user.client_key_data, folder),
        token=(
            Source(path=_absolute(user.token_file, folder))
            if user.token_file
            else Source(data=user.token.encode())
        ),
        basic=(user.username, user.password) if user.username else None,
        plugin=_read_plugin(user.exec, folder) if user.exec else None,
        impersonate=tuple(pair for pair in single if pair[1]) + groups,
    )


def _read_plugin(written: _Exec, folder: Path) -> ExecPlugin:
    # A command with a slash is a path relative to the file; one without is looked up on the path.
    command = _absolute(written.command, folder) if "/" in written.command else written.command
    return ExecPlugin(
        command=command,
        args=tuple(written.args or ()),
        env=tuple((one.name, one.value) for one in written.env or ()),
        api_version=written.api_version,
        install_hint=written.install_hint,
        provide_cluster_info=written.provide_cluster_info,
    )


def _source(path: str, data: str, folder: Path) -> Source:
    if data:
        try:
            return Source(data=base64.b64decode(data, validate=True))
        except (binascii.Error, ValueError):
            raise _error("a ...-data field is not base64", str(folder)) from None
    return Source(path=_absolute(path, folder)) if path else Source()


def _absolute(path: str, folder: Path) -> str:
    return str(folder / Path(path).expanduser())


def _load(path: Path) -> _File:
    try:
        document = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
        return msgspec.convert(document or {}, _File)
    except OSError as error:
        raise _error(f"the kubeconfig cannot be read: {error.strerror}", str(path)) from None
    except (yaml.YAMLError, msgspec.ValidationError, ValueError) as error:
        sentence = " ".join(str(error).split())
        raise _error(f"the file is not a kubeconfig: {sentence}", str(path)) from None


def _error(message: str, where: str) -> UserError:
    advice = "mend the file, or name another with --kubeconfig or $KUBECONFIG"
    return UserError(message, code=NO_ACCESS, where=where, advice=advice)
