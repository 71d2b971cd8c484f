"""What a plan needs to be allowed on the cluster, deed by deed, as the API server would judge each request.

Putting an object that is not there yet needs `create` besides `patch`. Whoever gives somebody a right must have it, or
must be allowed to `escalate` and to `bind`; so the role of the controller is asked about as well.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.install.found import Json
from nodewright.install.resources.objects import RECORD_PATH, path_of
from nodewright.install.steps import (
    Apply,
    AwaitNodes,
    Deed,
    Drain,
    Forget,
    Merge,
    Plan,
    Remember,
    Remove,
)
from nodewright.model.errors import UserError

DENIED: Final = "NW-9710"
_GIVING: Final = ("bind", "escalate")
_WRITTEN: Final = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}
_SPACES: Final = "namespaces"


class Right(msgspec.Struct, frozen=True, order=True):
    """A verb on a kind of object, or on one object of that kind; no namespace means everywhere."""

    group: str
    resource: str
    verb: str
    namespace: str = ""
    name: str = ""

    @property
    def kind(self) -> str:
        """The kind as kubectl names it."""
        return f"{self.resource}.{self.group}" if self.group else self.resource


class Grant(msgspec.Struct, frozen=True):
    """A right that may be had in two ways: by itself, or by having all that is given away."""

    right: Right
    held: tuple[Right, ...]


def right_to(method: str, path: str) -> Right:
    """Give the right that a request needs."""
    words = path.partition("?")[0].strip("/").split("/")
    group = words[1] if words[0] == "apis" else ""
    rest = words[3:] if words[0] == "apis" else words[2:]
    space = ""
    if rest[:1] == [_SPACES] and len(rest) > 1:
        space = rest[1]
        rest = rest[2:] if len(rest) > 2 else rest
    kind, name, part = [*rest, "", "", ""][:3]
    verb = _WRITTEN.get(method) or ("get" if name else "list")
    return Right(group, f"{kind}/{part}" if part else kind, verb, space, name)


def rights_for(plan: Plan, live: Mapping[str, Json]) -> tuple[Right, ...]:
    """Give everything that a plan needs, given the objects that are there by their paths."""
    deeds = [deed for step in plan.changes for deed in step.deeds]
    return tuple(sorted({one for deed in deeds for one in _rights_of(deed, live)}))


def _rights_of(deed: Deed, live: Mapping[str, Json]) -> Iterator[Right]:
    match deed:
        case Apply(document=document):
            path = path_of(document)
            yield right_to("PATCH", path)
            if path not in live:
                yield msgspec.structs.replace(right_to("PATCH", path), verb="create")
            if document["kind"] == "CustomResourceDefinition":
                yield right_to("GET", path)
        case Merge(path=path):
            yield right_to("PATCH", path)
        case Remove():
            yield right_to("DELETE", deed.path)
            if deed.waits:
                yield right_to("GET", deed.path)
            if deed.until_none:
                yield right_to("GET", deed.until_none)
        case Remember() | Forget():
            yield from (right_to("GET", RECORD_PATH), right_to("PATCH", RECORD_PATH))
        case Drain():
            yield from (Right("", "pods", "list"), Right("", "pods/eviction", "create"))
        case AwaitNodes():
            yield Right("", "nodes", "list")


def grants_of(plan: Plan, live: Mapping[str, Json]) -> tuple[Grant, ...]:
    """Give the rights that a plan hands to somebody else, by a new role or by an old one."""
    written = [
        deed.document for step in plan.changes for deed in step.deeds if isinstance(deed, Apply)
    ]
    roles = {one["metadata"]["name"]: one for one in (*live.values(), *written) if _is_role(one)}
    found = [
        Grant(_on_role("escalate", one["metadata"]["name"]), _held(one.get("rules") or ()))
        for one in written
        if _is_role(one)
    ]
    bound = [one["roleRef"]["name"] for one in written if one["kind"] == "ClusterRoleBinding"]
    found += [
        Grant(_on_role("bind", name), _held(roles.get(name, {}).get("rules") or ()))
        for name in bound
    ]
    return tuple(found)


def _is_role(document: Json) -> bool:
    return bool(document.get("kind") == "ClusterRole")


def _on_role(verb: str, name: str) -> Right:
    return Right("rbac.authorization.k8s.io", "clusterroles", verb, "", name)


def _held(rules: Iterable[Json]) -> tuple[Right, ...]:
    return tuple(
        Right(group, resource, verb, "", name)
        for rule in rules
        for group in rule.get("apiGroups") or ()
        for resource in rule.get("resources") or ()
        for verb in rule.get("verbs") or ()
        for name in rule.get("resourceNames") or ("",)
    )


def refusal(missing: Sequence[Right], where: str = "") -> UserError:
    """Say what is not allowed, and the rules that would allow it."""
    first = missing[0]
    is_inside = first.namespace and first.resource != _SPACES
    space = f" in namespace {first.namespace}" if is_inside else ""
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    rules = msgspec.json.encode(rules_for(missing)).decode()
    return UserError(
        f"you may not {first.verb} {first.kind}{space} on the cluster{more}",
        code=DENIED,
        where=where,
        advice=f"have these rules added to a ClusterRole that is bound to you: {rules}",
    )


def rules_for(missing: Iterable[Right]) -> list[Json]:
    """Write the rules of a ClusterRole that would allow what is missing."""
    verbs: dict[tuple[str, str, str], set[str]] = {}
    for one in missing:
        # Giving rights away is allowed for the one role that is meant, and no other.
        name = one.name if one.verb in _GIVING else ""
        verbs.setdefault((one.group, one.resource, name), set()).add(one.verb)
    kinds: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (group, resource, name), some in sorted(verbs.items()):
        kinds.setdefault((group, name, tuple(sorted(some))), []).append(resource)
    return [
        {
            "apiGroups": [group],
            "resources": resources,
            **({"resourceNames": [name]} if name else {}),
            "verbs": list(some),
        }
        for (group, name, some), resources in kinds.items()
    ]
