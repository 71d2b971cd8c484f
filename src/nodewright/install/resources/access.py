"""How nodes are let in: by an access entry where the cluster takes them, else by `aws-auth`.

`aws-auth` belongs to the cluster's owner. Our line is added to what is there and nothing else of it is
touched; the text before is kept, and put back as long as nobody else has changed it meanwhile.
"""

from collections.abc import Iterator
from typing import Any, Final

import yaml

from nodewright.install.found import Found, Json
from nodewright.install.names import Names
from nodewright.install.resources.identity import IN_USE, MISSING
from nodewright.install.resources.roles import node_role_arn
from nodewright.install.steps import Apply, Ask, Forget, Merge, Remember, Remove, Step
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

AWS_AUTH: Final = "/api/v1/namespaces/kube-system/configmaps/aws-auth"
CONFIG_MAP: Final = "CONFIG_MAP"
_KEY: Final = "aws-auth"
_BAD_MAP: Final = "NW-9707"
_USER: Final = "system:node:{{EC2PrivateDNSName}}"
_GROUPS: Final = ["system:bootstrappers", "system:nodes"]
_LINUX: Final = "EC2_LINUX"


def plan_access(found: Found, wish: Wish, names: Names) -> Step:
    """Plan the way in for nodes with the node role."""
    role = node_role_arn(found.account, wish, names)
    name = role.rpartition("/")[2]
    if found.account.cluster.mode != CONFIG_MAP:
        if role in found.account.entries:
            return Step("=", "access entry", name, found.account.entries[role].kind)
        if found.account.cluster.mode != "API" and _is_mapped(found, role):
            return Step("=", "aws-auth", name)
        params = {
            "clusterName": names.cluster,
            "principalArn": role,
            "type": _LINUX,
            "tags": names.tags,
        }
        return Step(
            "+", "access entry", name, _LINUX, (Ask("eks.CreateAccessEntry", params, IN_USE),)
        )
    if _is_mapped(found, role):
        return Step("=", "aws-auth", name)
    live = found.kube.aws_auth
    if live is None:
        made = Apply(_config_map(write_map([_line(role)])))
        kept = Remember(_KEY, {"was": None, "role": role})
        return Step("+", "aws-auth", name, "the map that lets nodes in", (kept, made))
    text = (live.get("data") or {}).get("mapRoles", "")
    merged = write_map([*read_map(text), _line(role)])
    kept = Remember(_KEY, {"was": text, "wrote": merged, "role": role})
    deeds = (kept, Merge(AWS_AUTH, {"data": {"mapRoles": merged}}))
    return Step("~", "aws-auth", name, "+ a line; the text before is kept", deeds)


def read_map(text: str) -> list[Json]:
    """Read the roles of `aws-auth`; a text that is none is refused rather than replaced."""
    try:
        found = yaml.safe_load(text) if text.strip() else []
    except yaml.YAMLError as error:
        raise _bad(" ".join(str(error).split())) from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise _bad("mapRoles is no list of roles")
    return found


def write_map(roles: list[Json]) -> str:
    """Write the roles of `aws-auth`."""
    return yaml.safe_dump(roles, sort_keys=False, width=1000)


def _bad(why: str) -> UserError:
    return UserError(
        f"aws-auth cannot be read, so nothing is added to it: {why}",
        code=_BAD_MAP,
        where="kube-system/aws-auth",
        advice="mend it with `kubectl -n kube-system edit configmap aws-auth`, then try again",
    )


def _is_mapped(found: Found, role: str) -> bool:
    data: dict[str, Any] = (found.kube.aws_auth or {}).get("data") or {}
    return any(
        _same(str(one.get("rolearn", "")), role) for one in read_map(data.get("mapRoles", ""))
    )


def _same(written: str, role: str) -> bool:
    # The map must not hold a role's path, so both are compared without.
    bare = [
        f"{one.partition(':role/')[0]}:role/{one.rpartition('/')[2]}" for one in (written, role)
    ]
    return bare[0] == bare[1]


def _line(role: str) -> Json:
    bare = f"{role.partition(':role/')[0]}:role/{role.rpartition('/')[2]}"
    return {"rolearn": bare, "username": _USER, "groups": list(_GROUPS)}


def _config_map(text: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"namespace": "kube-system", "name": "aws-auth"},
        "data": {"mapRoles": text},
    }


def undo_access(found: Found, names: Names) -> Iterator[Step]:
    """Take the entry away that is ours, and put `aws-auth` back."""
    for entry in found.account.entries.values():
        if names.is_ours(entry.tags):
            params = {"clusterName": names.cluster, "principalArn": entry.name}
            gone = Ask("eks.DeleteAccessEntry", params, MISSING)
            yield Step("-", "access entry", entry.name.rpartition("/")[2], "", (gone,))
    kept = found.kube.record.get(_KEY)
    if kept is None:
        return
    live, was = found.kube.aws_auth, kept["was"]
    if live is None:
        yield Step("~", "aws-auth", "kube-system", "is gone already", (Forget(_KEY),))
        return
    text = (live.get("data") or {}).get("mapRoles", "")
    rest = [one for one in read_map(text) if not _same(str(one.get("rolearn", "")), was["role"])]
    if was["was"] is None and not rest:
        deed: Remove | Merge = Remove(AWS_AUTH)
    else:
        untouched = text == was.get("wrote")
        text = (was["was"] if untouched else write_map(rest)) or None
        deed = Merge(AWS_AUTH, {"data": {"mapRoles": text}})
    yield Step("~", "aws-auth", "kube-system", "without our line", (deed, Forget(_KEY)))
