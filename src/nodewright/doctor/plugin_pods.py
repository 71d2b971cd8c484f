"""Nodes that wait because the network plugin does not run on them, or gives their pods no addresses."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.cluster import PODS
from nodewright.doctor.finding import Finding, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.waiting import Waiting, waiting_claims
from nodewright.install.found import Json

PLUGIN: Final = "aws-node"
_SYSTEM: Final = "kube-system"
_SANDBOXES: Final = "/api/v1/events?fieldSelector=reason%3DFailedCreatePodSandBox"
_EVENTS_MAX: Final = 3


class Facts(msgspec.Struct, frozen=True):
    """Claims that wait with a node, the pods of those nodes, and the Events of pods without a sandbox."""

    waiting: tuple[Waiting, ...] = ()
    pods: tuple[Json, ...] = ()
    events: tuple[Json, ...] = ()


async def probe(look: Look) -> Facts:
    """Read pods and Events, where a node waits."""
    waiting = tuple(one for one in await waiting_claims(look) if one.stage == "registered")
    if not waiting:
        return Facts()
    names = {one.node_name for one in waiting}
    pods = [one for one in await look.all(PODS) if one["spec"].get("nodeName") in names]
    return Facts(waiting, tuple(pods), tuple(await look.all(_SANDBOXES)))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each node that waits for the plugin."""
    for one in facts.waiting:
        pods = [pod for pod in facts.pods if pod["spec"]["nodeName"] == one.node_name]
        plugin = [(pod, why) for pod in pods if _is_plugin(pod) and (why := _why_down(pod))]
        uids = {pod["metadata"].get("uid") for pod in pods}
        refused = [
            event
            for event in facts.events
            if (event.get("involvedObject") or {}).get("uid") in uids
        ]
        if plugin or refused:
            yield _finding(one, plugin, refused)


def _is_plugin(pod: Json) -> bool:
    meta = pod["metadata"]
    owners = [one.get("name") for one in meta.get("ownerReferences") or ()]
    return meta.get("namespace") == _SYSTEM and PLUGIN in owners


def _why_down(pod: Json) -> str:
    """Say why a pod that was started does not run; nothing where it runs or has not been started."""
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        waits = (status.get("state") or {}).get("waiting") or {}
        last = (status.get("lastState") or {}).get("terminated") or {}
        if not status.get("ready") and (waits.get("reason") == "CrashLoopBackOff" or last):
            said = waits.get("message") or last.get("message") or last.get("reason") or ""
            return f"{waits.get('reason', 'not ready')} {said}".strip()
    return ""


def _finding(one: Waiting, plugin: list[tuple[Json, str]], refused: list[Json]) -> Finding:
    node = f"Node/{one.node_name}"
    names = [f"Pod/{_SYSTEM}/{pod['metadata']['name']}" for pod, _ in plugin]
    seen = [
        fact(name, "status.containerStatuses", why)
        for name, (_, why) in zip(names, plugin, strict=True)
    ]
    seen += [
        fact("Event", "FailedCreatePodSandBox", str(event.get("message", "")))
        for event in refused[-_EVENTS_MAX:]
    ]
    return Finding(
        objects=(node, one.name, *names),
        message=say(
            "pods of {node} get no address: {plugin} does not do its work there",
            "{node}의 파드가 주소를 받지 못합니다: 그 노드에서 {plugin}이(가) 제대로 동작하지 않습니다",
            node=node,
            plugin=PLUGIN,
        ),
        cause=say(
            "the network plugin on the node does not start, or has no address to give",
            "노드의 네트워크 플러그인이 시작되지 않거나 줄 주소가 없음",
        ),
        facts=tuple(seen),
        advice=(
            f"kubectl logs -n {_SYSTEM} -l k8s-app={PLUGIN} --all-containers --tail=50",
            f"kubectl get pods -n {_SYSTEM} -o wide --field-selector spec.nodeName={one.node_name}",
            f"nodewright doctor node {one.node_name}",
        ),
    )
