"""Pods that wait, judged by the planner that the controllers use: which rule keeps each of them behind.

Nothing is planned where nobody waits. Pods that wait for the same cause are one group, and the smallest
change that would help is looked for once a group.
"""

import shlex
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from nodewright.core.explain.pod import explain_pod
from nodewright.core.scheduling.solve import solve
from nodewright.doctor.cluster import (
    BUDGETS,
    CLAIMS,
    CLASSES,
    DAEMON_SETS,
    NODES,
    PODS,
    POOLS,
    PROVISIONERS,
    STORAGE_CLASSES,
    TEMPLATES,
    VOLUME_CLAIMS,
    VOLUMES,
    condition,
    name_of,
)
from nodewright.doctor.finding import Finding, Text, fact
from nodewright.doctor.look import Look, Unseen
from nodewright.install.found import Json
from nodewright.model.errors import UserError
from nodewright.model.instant import print_instant
from nodewright.model.labels import AWS_GROUP, INSTANCE_TYPE
from nodewright.model.nodepool import NodePool
from nodewright.model.plan import Unplaced, group_causes
from nodewright.model.reason import Reason
from nodewright.model.wording import change
from nodewright.model.wording.verdict import unplaced_summary
from nodewright.model.world import World
from nodewright.state.snapshot import read_snapshot

WRONG_LABELS: Final = frozenset(
    {
        Reason.TAINT_NOT_TOLERATED.code,
        Reason.LABELS_CLASH.code,
        Reason.LABEL_UNDEFINED.code,
        Reason.LABEL_RESTRICTED.code,
        Reason.NO_TYPE_LABELLED.code,
    }
)
TOO_SMALL: Final = frozenset(
    {
        Reason.NO_TYPE_FITS.code,
        Reason.NO_OFFERING.code,
        Reason.VOLUME_ELSEWHERE.code,
        Reason.TOO_FEW_CHOICES.code,
        Reason.RESOURCE_UNKNOWN.code,
        Reason.DAEMONS_TOO_LARGE.code,
    }
)
_FAMILY: Final = f"{AWS_GROUP}/instance-family"
_NAMESPACES: Final = "/api/v1/namespaces"
_OBJECTS: Final = (
    (PODS, "v1", "Pod"),
    (NODES, "v1", "Node"),
    (CLAIMS, "karpenter.sh/v1", "NodeClaim"),
    (POOLS, "karpenter.sh/v1", "NodePool"),
    (CLASSES, "karpenter.k8s.aws/v1", "EC2NodeClass"),
    (PROVISIONERS, "karpenter.sh/v1alpha5", "Provisioner"),
    (TEMPLATES, "karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate"),
    (DAEMON_SETS, "apps/v1", "DaemonSet"),
    (VOLUME_CLAIMS, "v1", "PersistentVolumeClaim"),
    (VOLUMES, "v1", "PersistentVolume"),
    (STORAGE_CLASSES, "storage.k8s.io/v1", "StorageClass"),
    (BUDGETS, "policy/v1", "PodDisruptionBudget"),
    (_NAMESPACES, "v1", "Namespace"),
)


class Group(msgspec.Struct, frozen=True):
    """Pods that wait for one cause, and the commands that would help the first of them."""

    pods: tuple[str, ...]
    verdict: Unplaced
    resources: frozenset[str] = frozenset()
    help: tuple[str, ...] = ()
    families: frozenset[str] = frozenset()
    """The families that the pools allow; `*` where one of them names none."""


async def waiting_groups(look: Look) -> tuple[Group, ...]:
    """Give the groups of pods that wait and that no plan can place."""
    return await look.shared("groups of pods", _waiting_groups)


async def _waiting_groups(look: Look) -> tuple[Group, ...]:
    pods = {name_of(one): one for one in await look.all(PODS)}
    if not any(_waits(one) for one in pods.values()):
        return ()
    world = await live_world(look)
    plan = solve(world)
    families = frozenset(one for pool in world.node_pools for one in _families(pool))
    return tuple(
        Group(
            pods=keys,
            verdict=plan.unschedulable[keys[0]],
            resources=_resources(pods[keys[0]]),
            help=_help(world, keys[0]),
            families=families,
        )
        for keys in group_causes(plan.unschedulable)
        if keys[0] in pods and _waits(pods[keys[0]])
    )


def _waits(pod: Json) -> bool:
    is_daemon = any(
        one["kind"] == "DaemonSet" for one in pod["metadata"].get("ownerReferences") or ()
    )
    return condition(pod, "PodScheduled").get("reason") == "Unschedulable" and not is_daemon


async def live_world(look: Look) -> World:
    """Give the cluster as the planner sees it, with the types of the built-in table."""
    return await look.shared("world", _live_world)


async def _live_world(look: Look) -> World:
    objects: list[Json] = []
    for path, version, kind in _OBJECTS:
        found = await look.all(path)
        objects += [{"apiVersion": version, "kind": kind, **one} for one in found]
    document = {
        "apiVersion": "nodewright.dev/v1",
        "kind": "Snapshot",
        "metadata": {
            "name": "doctor",
            "region": look.subject.region,
            "takenAt": print_instant(look.subject.now_ms),
        },
        "objects": objects,
        "options": {"pendingRule": "live"},
    }
    try:
        return read_snapshot(msgspec.json.encode(document), "the live cluster").world
    except UserError as error:
        raise Unseen(Text(error.message, f"계획할 수 없음: {error.message}")) from error


def _resources(pod: Json) -> frozenset[str]:
    return frozenset(
        str(name)
        for one in pod["spec"].get("containers") or ()
        for field in ("requests", "limits")
        for name in (one.get("resources") or {}).get(field) or {}
    )


def _families(pool: NodePool) -> Iterator[str]:
    named = [
        one.values
        for one in pool.spec.template.spec.requirements
        if one.key in (_FAMILY, INSTANCE_TYPE) and one.operator == "In"
    ]
    yield from (value.partition(".")[0] for values in named for value in values)
    if not named:
        yield "*"


def _help(world: World, key: str) -> tuple[str, ...]:
    story = explain_pod(world, key)
    lines = [f"nodewright explain pod/{key}"]
    if story is not None and story.change is not None:
        said = [change(edit.kind, edit.values) for edit in story.change.edits]
        lines.append(f"# {' and '.join(dict.fromkeys(said))}:")
        for target, ops in story.change.patches().items():
            text = msgspec.json.encode(msgspec.to_builtins(ops)).decode()
            is_pod = target.startswith("pod/")
            lines.append(
                f"# JSON Patch of {target}, or of its pod template: {text}"
                if is_pod
                else f"kubectl patch {target} --type=json -p {shlex.quote(text)}"
            )
    return tuple(lines)


type Belongs = Callable[[Group], bool]


def judge_groups(
    belongs: Belongs, cause: Text, more: tuple[str, ...] = ()
) -> Callable[[tuple[Group, ...]], Iterator[Finding]]:
    """Make a judge of the groups that belong to a check; `more` are commands that always help."""

    def judge(groups: tuple[Group, ...]) -> Iterator[Finding]:
        for group in groups:
            if belongs(group):
                yield _finding(group, cause, more)

    return judge


def _finding(group: Group, cause: Text, more_help: tuple[str, ...]) -> Finding:
    first, more = group.pods[0], len(group.pods) - 1
    tail = Text(f" (and {more} more pods)", f" (외 파드 {more}개)") if more else Text("", "")
    verdict = group.verdict
    return Finding(
        objects=tuple(f"Pod/{one}" for one in group.pods[:10]),
        message=Text(
            f"Pod/{first}{tail.en}: {unplaced_summary(verdict, 'en')}",
            f"Pod/{first}{tail.ko}: {unplaced_summary(verdict, 'ko')}",
        ),
        cause=cause,
        facts=tuple(
            fact(f"NodePool/{one.name}", one.code, one.reason) for one in verdict.node_pools[:5]
        ),
        advice=(*group.help, *more_help),
    )
