"""Windows images run only on the build of Windows that they were made for: pods that got a node of another.

Which builds an image has only its registry knows, so the words of the container runtime are the evidence.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.catalog.settings import WINDOWS_BUILDS
from nodewright.doctor.cluster import NODES, PODS, labels_of, name_of
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.model.labels import OS, WINDOWS_BUILD

_MISMATCHES: Final = (
    "no match for platform in manifest",
    "does not match the host operating system",
)
_PULLS: Final = ("ErrImagePull", "ImagePullBackOff")
_FAILED: Final = "/api/v1/events?fieldSelector=reason%3DFailed"
_TEMPLATED: Final = ("Deployment", "StatefulSet", "DaemonSet")


class Misfit(msgspec.Struct, frozen=True):
    """A pod whose image does not run on the build of its node, and what the runtime says."""

    pod: Json
    build: str
    image: str
    said: str


class Facts(msgspec.Struct, frozen=True):
    """The pods that do not run, and the builds that classes make nodes of."""

    misfits: tuple[Misfit, ...] = ()
    builds: tuple[str, ...] = ()


async def probe(look: Look, families: tuple[str, ...]) -> Facts:
    """Read the pods of Windows nodes, and the Events of those whose images are not pulled."""
    builds = {
        str(one["metadata"]["name"]): labels_of(one).get(WINDOWS_BUILD, "")
        for one in await look.all(NODES)
        if labels_of(one).get(OS) == "windows"
    }
    if not builds:
        return Facts()
    found: list[Misfit] = []
    for pod in await look.all(PODS):
        build = builds.get(str(pod["spec"].get("nodeName", "")), "")
        for status in _statuses(pod) if build else ():
            said = await _words(look, pod, status)
            if any(words in said for words in _MISMATCHES):
                found.append(Misfit(pod, build, str(status.get("image", "")), said))
                break
    return Facts(tuple(found), tuple(sorted({WINDOWS_BUILDS[one] for one in families})))


def _statuses(pod: Json) -> list[Json]:
    status = pod.get("status") or {}
    fields = ("initContainerStatuses", "containerStatuses")
    return [one for field in fields for one in status.get(field) or ()]


async def _words(look: Look, pod: Json, status: Json) -> str:
    state = status.get("state") or {}
    told: Json = state.get("waiting") or state.get("terminated") or {}
    said = str(told.get("message", ""))
    if told.get("reason") not in _PULLS or any(words in said for words in _MISMATCHES):
        return said
    # Kubelets of older releases say only that they wait, and the reason stands in an Event.
    events = [
        str(one.get("message", ""))
        for one in await look.all(_FAILED)
        if (one.get("involvedObject") or {}).get("uid") == pod["metadata"].get("uid")
    ]
    return "; ".join([said, *events])


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each workload whose image is not for the build of its nodes."""
    groups: dict[tuple[str, str, str], list[Misfit]] = {}
    for one in facts.misfits:
        groups.setdefault((_owner(one.pod), one.image, one.build), []).append(one)
    for (owner, image, build), misfits in sorted(groups.items()):
        pods = tuple(f"Pod/{name_of(one.pod)}" for one in misfits)
        yield Finding(
            objects=(owner, *(one for one in pods if one != owner)),
            message=say(
                "image {image} of {owner} does not run on Windows build {build}",
                "{owner}의 이미지 {image}은(는) Windows 빌드 {build}에서 실행되지 않습니다",
                image=image,
                owner=owner,
                build=build,
            ),
            cause=Text(
                "a Windows image runs only on the build that it was made for, and the pod asks for none",
                "Windows 이미지는 만들어진 빌드에서만 실행되는데 파드가 빌드를 지정하지 않음",
            ),
            facts=(
                fact(f"Node/{misfits[0].pod['spec']['nodeName']}", WINDOWS_BUILD, build),
                fact(pods[0], "status.containerStatuses", misfits[0].said),
            ),
            advice=tuple(_advice(owner, build, facts.builds)),
        )


def _owner(pod: Json) -> str:
    meta = pod["metadata"]
    [one, *_] = meta.get("ownerReferences") or [{"kind": "Pod", "name": meta["name"]}]
    kind, name = str(one["kind"]), str(one["name"])
    digest = labels_of(pod).get("pod-template-hash", "")
    if kind == "ReplicaSet" and digest and name.endswith(f"-{digest}"):
        kind, name = "Deployment", name.removesuffix(f"-{digest}")
    return f"{kind}/{meta['namespace']}/{name}"


def _advice(owner: str, build: str, builds: tuple[str, ...]) -> Iterator[str]:
    kind, space, name = owner.split("/")
    others = [one for one in builds if one != build] or [
        one for one in WINDOWS_BUILDS.values() if one != build
    ]
    yield f"kubectl get nodepools,ec2nodeclasses && kubectl get nodes -L {WINDOWS_BUILD}"
    for one in others:
        if kind in _TEMPLATED:
            patch = f'{{"spec":{{"template":{{"spec":{{"nodeSelector":{{"{WINDOWS_BUILD}":"{one}"}}}}}}}}}}'
            yield f"kubectl patch {kind.lower()} -n {space} {name} --type=merge -p '{patch}'"
        else:
            made = f"then make it again with the nodeSelector {WINDOWS_BUILD}: {one}"
            yield f"kubectl delete {kind.lower()} -n {space} {name}   # {made}"
