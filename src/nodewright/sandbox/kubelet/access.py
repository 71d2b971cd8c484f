"""Whether the cluster knows a node's role: by an access entry, by aws-auth, or not at all.

The cluster's authentication mode says which of the two are asked; an entry comes first. The mapping of
`aws-auth` is read as the authenticator reads it: a document that is no YAML maps nobody, and a role is
compared without its path. Whoever is let in must be let in as a node.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
import yaml

NODE_USER: Final = "system:node:{{EC2PrivateDNSName}}"
NODE_GROUPS: Final = ("system:bootstrappers", "system:nodes")
WINDOWS_GROUP: Final = "eks:kube-proxy-windows"
_ENTRY_MODES: Final = ("API", "API_AND_CONFIG_MAP")
_MAP_MODES: Final = ("CONFIG_MAP", "API_AND_CONFIG_MAP")
_UNAUTHORIZED: Final = "Unable to register node with API server: Unauthorized"
_FORBIDDEN: Final = "Unable to register node with API server: nodes is forbidden"
_PATH: Final = re.compile(r":role/.*/")


class Entry(msgspec.Struct, frozen=True):
    """An access entry of the cluster."""

    kind: str
    user: str = ""
    groups: tuple[str, ...] = ()


class Door(msgspec.Struct, frozen=True):
    """Everything by which a cluster decides who its nodes are."""

    mode: str
    entries: Mapping[str, Entry] = {}
    aws_auth: str | None = None


def judge_access(door: Door, role: str, *, is_windows: bool) -> str:
    """Say why a machine with this role is not let in as a node; nothing where it is."""
    entry = door.entries.get(role) if door.mode in _ENTRY_MODES else None
    if entry is not None:
        return _judge_entry(entry, role, is_windows=is_windows)
    if door.mode not in _MAP_MODES:
        return (
            f"{_UNAUTHORIZED}: {role} has no access entry, and the authentication mode {door.mode} "
            "does not look at aws-auth"
        )
    return _judge_map(door.aws_auth, role)


def _judge_entry(entry: Entry, role: str, *, is_windows: bool) -> str:
    wanted = "EC2_WINDOWS" if is_windows else "EC2_LINUX"
    if entry.kind == wanted:
        return ""
    return f"{_FORBIDDEN}: the access entry of {role} is of type {entry.kind}, not {wanted}"


def _judge_map(aws_auth: str | None, role: str) -> str:
    if aws_auth is None:
        return f"{_UNAUTHORIZED}: there is no ConfigMap kube-system/aws-auth"
    try:
        written = yaml.safe_load(aws_auth)
    except yaml.YAMLError:
        return f"{_UNAUTHORIZED}: mapRoles of kube-system/aws-auth is no YAML"
    found = _mapping_of(written, role)
    if found is None:
        return (
            f"{_UNAUTHORIZED}: mapRoles of kube-system/aws-auth does not name {without_path(role)}"
        )
    user, groups = str(found.get("username", "")), found.get("groups") or ()
    missing = [group for group in NODE_GROUPS if group not in groups]
    if missing:
        return f"{_FORBIDDEN}: aws-auth gives {role} no group {missing[0]}"
    if user != NODE_USER:
        return f"{_FORBIDDEN}: aws-auth names {role} {user!r} instead of {NODE_USER!r}"
    return ""


def without_path(role: str) -> str:
    """Give a role's ARN the way the authenticator compares it."""
    return _PATH.sub(":role/", role)


def _mapping_of(written: object, role: str) -> dict[str, Any] | None:
    if not isinstance(written, list):
        return None
    wanted = without_path(role)
    for one in written:
        if isinstance(one, dict) and one.get("rolearn") == wanted:
            return one
    return None


def has_windows_group(aws_auth: str | None, role: str) -> bool:
    """Tell whether aws-auth also lets kube-proxy on Windows in."""
    try:
        found = _mapping_of(yaml.safe_load(aws_auth or ""), role)
    except yaml.YAMLError:
        return False
    return found is not None and WINDOWS_GROUP in (found.get("groups") or ())
