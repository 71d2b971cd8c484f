"""Custom resource definitions: put ours on a cluster, and refuse to run with older ones.

Whether a definition is old is read off its schema, not off a version number: if it lacks a version or
a field that we know, the API server would silently drop that field from what we or a user writes.
More fields than we know are fine, so a newer definition, or Karpenter's own, is not refused.
"""

from collections.abc import Iterable, Iterator, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec
import yaml

from nodewright.kube.answers import judge
from nodewright.kube.client import Client, Request, Unreachable
from nodewright.model.errors import UserError
from nodewright.ports.kube import Outcome

OLD_CRDS: Final = "NW-3102"
REFUSED_CRD: Final = "NW-3103"
NO_CLUSTER: Final = "NW-3101"
_PATH: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_ESTABLISHED_LIMIT_MS: Final = 60_000
_POLL_MS: Final = 100
_KIND: Final = "CustomResourceDefinition"
_UPDATES_MAX: Final = 5
_ADVICE: Final = "install the current ones with: nodewright crds | kubectl apply --server-side -f -"
_OPEN: Final = "x-kubernetes-preserve-unknown-fields"

type Crd = dict[str, Any]


def read_crds(texts: Iterable[bytes]) -> tuple[Crd, ...]:
    """Read definitions from YAML documents; what is something else is left out."""
    found: list[Crd] = []
    for text in texts:
        documents = yaml.load_all(text, Loader=yaml.CSafeLoader)
        found.extend(one for one in documents if one and one.get("kind") == _KIND)
    return tuple(found)


def find_gaps(wanted: Crd, found: Crd) -> tuple[str, ...]:
    """Give what an installed definition lacks of the wanted one, as `version: path`."""
    there = {version["name"]: version for version in found["spec"]["versions"]}
    gaps: list[str] = []
    for version in wanted["spec"]["versions"]:
        name = version["name"]
        if name not in there or not there[name].get("served", False):
            gaps.append(f"{name}: the version itself")
            continue
        if "status" in version.get("subresources", {}) and "status" not in (
            there[name].get("subresources") or {}
        ):
            gaps.append(f"{name}: the status subresource")
        gaps.extend(f"{name}: {path}" for path in _missing(_schema(version), _schema(there[name])))
    return tuple(gaps)


def _schema(version: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    return schema


def _missing(wanted: dict[str, Any], found: dict[str, Any], path: str = "") -> Iterator[str]:
    if found.get(_OPEN):
        return
    there = found.get("properties") or {}
    for name, schema in (wanted.get("properties") or {}).items():
        place = f"{path}.{name}".lstrip(".")
        if name not in there:
            yield place
        else:
            yield from _missing(schema, there[name], place)
    for part in ("items", "additionalProperties"):
        inner, other = wanted.get(part), found.get(part)
        if isinstance(inner, dict) and isinstance(other, dict):
            yield from _missing(inner, other, f"{path}[]")


async def check_crds(client: Client, wanted: Sequence[Crd]) -> None:
    """Refuse, in one sentence, a cluster whose definitions are missing or older than ours."""
    for crd in wanted:
        name = crd["metadata"]["name"]
        found = await _get(client, name)
        if found is None:
            raise UserError(
                f"the cluster has no {name}, which this program works with",
                code=OLD_CRDS,
                where=f"customresourcedefinitions/{name}",
                advice=_ADVICE,
            )
        if gaps := find_gaps(crd, found):
            more = f" (and {len(gaps) - 1} more)" if len(gaps) > 1 else ""
            raise UserError(
                f"the definition of {name} on the cluster is older than this program: "
                f"it lacks {gaps[0]}{more}",
                code=OLD_CRDS,
                where=f"customresourcedefinitions/{name}",
                advice=_ADVICE,
            )


async def install_crds(client: Client, wanted: Sequence[Crd]) -> tuple[str, ...]:
    """Create or update definitions, wait until all are served, and name those that changed."""
    changed = [crd["metadata"]["name"] for crd in wanted if await _install(client, crd)]
    for crd in wanted:
        await _await_established(client, crd["metadata"]["name"])
    return tuple(changed)


async def _install(client: Client, crd: Crd) -> bool:
    name = crd["metadata"]["name"]
    for _ in range(_UPDATES_MAX):
        found = await _get(client, name)
        if found is not None and _is_current(crd, found):
            return False
        answer = judge(await _ask(client, _install_request(crd, found)))
        if answer.outcome is Outcome.DONE:
            return True
        if answer.outcome not in (Outcome.CONFLICT, Outcome.EXISTS):
            break
    raise UserError(
        f"the API server refuses the definition of {name}: {answer.message}",
        code=REFUSED_CRD,
        where=f"customresourcedefinitions/{name}",
    )


def _install_request(crd: Crd, found: Crd | None) -> Request:
    name = crd["metadata"]["name"]
    if found is None:
        return Request("POST", _PATH, {"fieldManager": "nodewright"}, msgspec.json.encode(crd))
    # Labels and annotations that others have put there stay; the specification is ours.
    metadata = found["metadata"] | {
        part: (found["metadata"].get(part) or {}) | (crd["metadata"].get(part) or {})
        for part in ("labels", "annotations")
    }
    document = found | {"metadata": metadata, "spec": crd["spec"]}
    body = msgspec.json.encode(document)
    return Request("PUT", f"{_PATH}/{name}", {"fieldManager": "nodewright"}, body)


def _is_current(crd: Crd, found: Crd) -> bool:
    return all(
        _holds(crd["spec"].get(part), found["spec"].get(part))
        for part in ("group", "names", "scope", "versions")
    )


def _holds(wanted: Any, found: Any) -> bool:
    # The server fills in defaults, so what it holds may say more, but nothing else.
    if isinstance(wanted, dict) and isinstance(found, dict):
        if "properties" in wanted and set(wanted["properties"]) != set(found.get("properties", ())):
            return False
        return all(name in found and _holds(wanted[name], found[name]) for name in wanted)
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(_holds, wanted, found))
    return bool(wanted == found)


async def _await_established(client: Client, name: str) -> None:
    clock = client.machine.clock
    end_ms = clock.ticks_ms() + _ESTABLISHED_LIMIT_MS
    problem = "it is not served yet"
    while clock.ticks_ms() < end_ms:
        found = await _get(client, name)
        conditions = (found or {}).get("status", {}).get("conditions") or []
        by_type = {each["type"]: each for each in conditions}
        if by_type.get("Established", {}).get("status") == "True":
            return
        refused = by_type.get("NamesAccepted", {})
        if refused.get("status") == "False":
            problem = refused.get("message", problem)
        await clock.sleep_ms(_POLL_MS)
    raise UserError(
        f"the definition of {name} is not established after {_ESTABLISHED_LIMIT_MS // 1000} s: "
        f"{problem}",
        code=REFUSED_CRD,
        where=f"customresourcedefinitions/{name}",
    )


async def _get(client: Client, name: str) -> Crd | None:
    reply = await _ask(client, Request("GET", f"{_PATH}/{name}"))
    if reply.status == HTTPStatus.NOT_FOUND:
        return None
    if not reply.is_good:
        raise UserError(
            f"cannot read the definition of {name}: {judge(reply).message}", code=NO_CLUSTER
        )
    document: Crd = msgspec.json.decode(reply.body)
    return document


async def _ask(client: Client, request: Request) -> Any:
    try:
        return await client.ask(request)
    except Unreachable as error:
        raise UserError(
            f"the cluster cannot be reached: {error}", code=NO_CLUSTER, where=client.access.server
        ) from None
