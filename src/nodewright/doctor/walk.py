"""One node's way from claim to node: launched, registered, initialized; where it stopped, and what is to be seen there.

The walk itself is short: three conditions. What helps is the evidence beside each step (the machine's state
and console, Events, the controller's log, the daemons on the node), and the checks that know why a node stops
at just that step.
"""

from typing import Any, Final, Literal

import msgspec

from nodewright.doctor.cluster import (
    CLAIMS,
    NODES,
    PODS,
    condition,
    find_controller,
    is_true,
    labels_of,
    name_of,
)
from nodewright.doctor.finding import Text, fact, say
from nodewright.doctor.look import Look, Unseen
from nodewright.install.found import Json
from nodewright.model.errors import UserError

NO_NODE: Final = "NW-9734"
DAEMONS: Final = ("aws-node", "kube-proxy")
_EVENTS: Final = "/api/v1/events"
_LINES_MAX: Final = 5
_LOG_LINES: Final = 2000
_BAD_WORDS: Final = ("error", "fail", "denied", "refused", "unauthorized", "timeout", "unable")

type StepName = Literal["launched", "registered", "initialized"]
STEPS: Final[tuple[tuple[StepName, str], ...]] = (
    ("launched", "Launched"),
    ("registered", "Registered"),
    ("initialized", "Initialized"),
)
CHECKS_AT: Final[dict[StepName, tuple[str, ...]]] = {
    "launched": (
        "NW-3001", "NW-3003", "NW-3011", "NW-3013", "NW-3015", "NW-3020", "NW-3026", "NW-3033",
        "NW-3034", "NW-3036", "NW-3051", "NW-3058", "NW-3059", "NW-3060",
    ),
    "registered": (
        "NW-3007", "NW-3008", "NW-3009", "NW-3010", "NW-3013", "NW-3014", "NW-3020", "NW-3025",
        "NW-3053", "NW-3058", "NW-3059",
    ),
    "initialized": (
        "NW-3007", "NW-3008", "NW-3009", "NW-3010", "NW-3012", "NW-3023", "NW-3024", "NW-3044",
        "NW-3045", "NW-3052", "NW-3053",
    ),
}  # fmt: skip
"""Which checks know why a node stops before a step."""


class Facts(msgspec.Struct, frozen=True):
    """What is to be seen of one node; what could not be seen stands in `unseen`."""

    name: str
    claim: Json | None = None
    node: Json | None = None
    instance: Json | None = None
    console: tuple[str, ...] = ()
    daemons: tuple[Json, ...] = ()
    events: tuple[Json, ...] = ()
    log: tuple[str, ...] = ()
    unseen: tuple[Text, ...] = ()


class Stop(msgspec.Struct, frozen=True):
    """One step of the way."""

    name: StepName
    reached: bool
    since: str = ""
    message: str = ""


class Walk(msgspec.Struct, frozen=True):
    """The way of one node, where it stopped, and what is to be seen there."""

    name: str
    claim: str
    node: str
    steps: tuple[Stop, ...]
    stopped_at: StepName | None
    evidence: tuple[Text, ...]
    unseen: tuple[Text, ...] = ()


async def probe(look: Look, name: str) -> Facts:
    """Gather everything about a node, a claim or a machine of that name."""
    claims, nodes = await look.all(CLAIMS), await look.all(NODES)
    claim = next((one for one in claims if _is_called(one, name)), None)
    named = (claim or {}).get("status", {}).get("nodeName") or name
    node = next(
        (one for one in nodes if one["metadata"]["name"] == named or _is_called(one, name)), None
    )
    if claim is None and node is not None:
        claim = next(
            (one for one in claims if _provider(one) and _provider(one) == _provider(node)), None
        )
    if claim is None and node is None:
        raise UserError(
            f"there is no node, NodeClaim or machine {name}",
            code=NO_NODE,
            advice="`kubectl get nodeclaims,nodes` lists them",
        )
    unseen: list[Text] = []
    machine = _machine(claim or node or {})
    titles = {one["metadata"]["name"] for one in (claim, node) if one is not None}
    instance = await _seen(_instance(look, machine), unseen) if machine else None
    console = await _seen(_console(look, machine), unseen) if machine else None
    events = await _seen(_events(look, titles), unseen)
    log = await _seen(_log(look, {*titles, machine} - {""}), unseen)
    pods = await look.all(PODS) if node is not None else []
    return Facts(
        name=name,
        claim=claim,
        node=node,
        instance=instance,
        console=console or (),
        daemons=tuple(
            one
            for one in pods
            if node and one["spec"].get("nodeName") == node["metadata"]["name"] and _is_system(one)
        ),
        events=events or (),
        log=log or (),
        unseen=tuple(unseen),
    )


async def _seen(reading: Any, unseen: list[Text]) -> Any:
    """Give what a reading came to; what may not be seen is noted."""
    try:
        return await reading
    except Unseen as error:
        unseen.append(error.why)
        return None


def _is_called(document: Json, name: str) -> bool:
    return document["metadata"]["name"] == name or (bool(name) and _machine(document) == name)


def _provider(document: Json) -> str:
    holder = document.get("spec", {}).get("providerID") or document.get("status", {}).get(
        "providerID"
    )
    return str(holder or "")


def _machine(document: Json) -> str:
    last = _provider(document).rpartition("/")[2]
    return last if last.startswith("i-") else ""


def _is_system(pod: Json) -> bool:
    owner: Json = next(iter(pod["metadata"].get("ownerReferences") or ()), {})
    return pod["metadata"]["namespace"] == "kube-system" and owner.get("name") in DAEMONS


async def _instance(look: Look, machine: str) -> Json | None:
    told = await look.aws("ec2.DescribeInstances", InstanceIds=[machine])
    for group in (told or {}).get("Reservations") or ():
        for one in group["Instances"]:
            found: Json = one
            return found
    return None


async def _console(look: Look, machine: str) -> tuple[str, ...]:
    told = await look.aws("ec2.GetConsoleOutput", InstanceId=machine)
    lines = str((told or {}).get("Output", "")).splitlines()
    bad = [line for line in lines if any(word in line.lower() for word in _BAD_WORDS)]
    return tuple((bad or lines)[-_LINES_MAX:])


async def _events(look: Look, titles: set[str]) -> tuple[Json, ...]:
    found = await look.all(_EVENTS)
    mine = [one for one in found if (one.get("involvedObject") or {}).get("name") in titles]
    mine.sort(key=lambda one: str(one.get("lastTimestamp") or one.get("eventTime") or ""))
    return tuple(mine[-_LINES_MAX:])


async def _log(look: Look, words: set[str]) -> tuple[str, ...]:
    controller = await find_controller(look)
    if controller is None:
        return ()
    wanted = controller.document["spec"]["selector"].get("matchLabels") or {}
    lines: list[str] = []
    for pod in await look.all(PODS):
        if pod["metadata"].get("namespace") != controller.namespace:
            continue
        if wanted.items() <= labels_of(pod).items():
            path = f"/api/v1/namespaces/{controller.namespace}/pods/{pod['metadata']['name']}/log"
            text = await look.text(f"{path}?tailLines={_LOG_LINES}")
            lines += [line for line in text.splitlines() if any(word in line for word in words)]
    return tuple(lines[-_LINES_MAX:])


def judge(facts: Facts) -> Walk:
    """Say how far the node has come, and what is to be seen where it stopped."""
    steps = tuple(_step(facts, name, kind) for name, kind in STEPS)
    stopped = next((one.name for one in steps if not one.reached), None)
    return Walk(
        name=facts.name,
        claim=str(facts.claim["metadata"]["name"]) if facts.claim else "",
        node=str(facts.node["metadata"]["name"]) if facts.node else "",
        steps=steps,
        stopped_at=stopped,
        evidence=tuple(_evidence(facts)),
        unseen=facts.unseen,
    )


def _step(facts: Facts, name: StepName, kind: str) -> Stop:
    if facts.claim is None:
        # A node of nobody's claim is judged by what it shows itself.
        ready = is_true(facts.node or {}, "Ready")
        return Stop(name, reached=ready or name != "initialized")
    told = condition(facts.claim, kind)
    reached = told.get("status") == "True"
    said = "" if reached else str(told.get("message", ""))
    return Stop(name, reached, str(told.get("lastTransitionTime", "")), said)


def _evidence(facts: Facts) -> list[Text]:
    found: list[Text] = []
    if facts.instance is not None:
        state = facts.instance.get("State", {}).get("Name", "?")
        reason = (facts.instance.get("StateReason") or {}).get("Message", "")
        title = str(facts.instance["InstanceId"])
        found.append(fact(title, "State", f"{state} ({reason})" if reason else state))
        found.append(fact(title, "SubnetId", facts.instance.get("SubnetId", "?")))
    found += [fact("console", "", line) for line in facts.console]
    found += _node_evidence(facts)
    found += [
        fact("Event", f"{one.get('reason', '')}", one.get("message", "")) for one in facts.events
    ]
    found += [fact("controller log", "", line) for line in facts.log]
    return found


def _node_evidence(facts: Facts) -> list[Text]:
    if facts.node is None:
        return [say("no Node object has appeared", "Node 객체가 나타나지 않음")]
    title = f"Node/{facts.node['metadata']['name']}"
    told = condition(facts.node, "Ready")
    found = [
        fact(title, "Ready", f"{told.get('status', 'not set')} {told.get('message', '')}".strip())
    ]
    taints = [
        f"{one['key']}:{one.get('effect', '')}" for one in facts.node["spec"].get("taints") or ()
    ]
    if taints:
        found.append(fact(title, "spec.taints", ", ".join(taints)))
    there = {str(one["metadata"]["ownerReferences"][0]["name"]): one for one in facts.daemons}
    for name in DAEMONS:
        pod = there.get(name)
        if pod is None:
            found.append(
                say("{name} has no pod on this node", "{name} 파드가 이 노드에 없음", name=name)
            )
        else:
            phase = (pod.get("status") or {}).get("phase", "?")
            ready = "ready" if is_true(pod, "Ready") else "not ready"
            found.append(fact(f"Pod/{name_of(pod)}", "status.phase", f"{phase}, {ready}"))
    return found
