"""Policies by their words: whose rules, under which settings, with which file.

`KIND[:FILE][+path=value]…`, and `LABEL=` in front to call it otherwise. A file is manifests of pools for
`nodewright` and `karpenter`, and node groups for `cluster-autoscaler` and `fixed`.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from nodewright.app.manifests import open_sources
from nodewright.app.run import CONTROLLERS
from nodewright.app.run import autoscale as autoscale_ourselves
from nodewright.app.workloads import Source, open_workload
from nodewright.forecast.edits import edit
from nodewright.forecast.measured import Measured
from nodewright.forecast.policies import cluster_autoscaler, fixed, karpenter
from nodewright.forecast.policies.bound import bound_cost
from nodewright.forecast.policies.node_groups import Autoscaling, draw_groups, read_groups
from nodewright.forecast.policies.sizing import size_fleet
from nodewright.forecast.run import Progress, run_policy
from nodewright.forecast.setup import CODE, Setup, read_pools, types_on_sale
from nodewright.model.errors import UserError
from nodewright.sim.process import Autoscaler

KINDS: Final = ("nodewright", "karpenter", "cluster-autoscaler", "fixed", "bound")
_WITH_GROUPS: Final = ("cluster-autoscaler", "fixed")
_SNAPSHOT: Final = "Snapshot"
_OF_SNAPSHOTS: Final = (
    "NodePool", "EC2NodeClass", "NodePolicy", "NodeOverlay", "CapacityBuffer", "DaemonSet",
    "StorageClass", "PriorityClass", "PodDisruptionBudget",
)  # fmt: skip


class Policy(msgspec.Struct, frozen=True):
    """A policy as it was asked for."""

    name: str
    kind: str
    file: str = ""
    changes: tuple[str, ...] = ()


class Job(msgspec.Struct, frozen=True):
    """One run: everything that it depends on, so that it can be done anywhere."""

    policy: Policy
    workload: Source
    setup: Setup


def parse_policy(text: str) -> Policy:
    """Read the words of a policy."""
    head, *changes = text.split("+")
    label, equals, rest = head.partition("=")
    kind, _, file = (rest if equals else head).partition(":")
    if kind not in KINDS:
        advice = f"known are {', '.join(KINDS)}"
        raise UserError(f"{kind!r} is no policy", code=CODE, advice=advice)
    return Policy(label if equals else text, kind, file, tuple(changes))


def read_objects(files: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    """Read pools, classes and whatever else is there from the start: manifests, or a snapshot's.

    Of a snapshot pods and nodes are left out, since the workload and the policy bring their own.
    """
    found: list[dict[str, Any]] = []
    for source in open_sources(files):
        for one in source.manifests:
            if one.raw.get("kind") == _SNAPSHOT:
                objects = one.raw.get("objects") or []
                found += [dict(each) for each in objects if each.get("kind") in _OF_SNAPSHOTS]
            else:
                found.append(dict(one.raw))
    check_classes(found)
    return tuple(found)


def check_classes(objects: Sequence[Mapping[str, Any]]) -> None:
    """Refuse pools whose class is not there: no node would ever be made for them."""
    known = {(one.get("kind"), one.get("metadata", {}).get("name")) for one in objects}
    for pool in objects:
        if pool.get("kind") == "NodePool":
            spec = pool.get("spec", {}).get("template", {}).get("spec", {})
            wanted = spec.get("nodeClassRef", {})
            if (wanted.get("kind"), wanted.get("name")) not in known:
                name = pool.get("metadata", {}).get("name", "?")
                raise UserError(
                    f"NodePool {name} is made with {wanted.get('kind')}/{wanted.get('name')}, "
                    "which is in none of the files",
                    code=CODE,
                    advice="give the file of the node class too",
                )


def run_job(job: Job, progress: Progress = lambda _: None) -> Measured:
    """Do one run."""
    policy, seed = job.policy, job.workload.seed
    setup = _setup_of(policy, job.setup)
    if policy.kind == "bound":
        measured = bound_cost(setup, open_workload(job.workload), seed)
        return msgspec.structs.replace(measured, policy=policy.name)
    autoscaler = _autoscaler(job, setup)
    trace = open_workload(job.workload)
    return run_policy((policy.name, autoscaler), setup, trace, seed, progress)


def _setup_of(policy: Policy, setup: Setup) -> Setup:
    objects = setup.objects
    if policy.file and policy.kind not in _WITH_GROUPS:
        objects = read_objects((policy.file,))
    return msgspec.structs.replace(setup, objects=edit(objects, policy.changes))


def _autoscaler(job: Job, setup: Setup) -> Autoscaler:
    match job.policy.kind:
        case "nodewright":
            return autoscale_ourselves
        case "karpenter":
            return partial(karpenter.autoscale, controllers=CONTROLLERS)
        case "cluster-autoscaler":
            return partial(cluster_autoscaler.autoscale, settings=_groups(job.policy, setup))
        case _:
            return partial(fixed.keep, groups=_fixed_groups(job, setup))


def _groups(policy: Policy, setup: Setup) -> Autoscaling:
    types = types_on_sale(setup)
    if not policy.file:
        return draw_groups(read_pools(setup), types)
    try:
        document = yaml.safe_load(Path(policy.file).read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        sentence = f"the node groups cannot be read: {error}"
        raise UserError(sentence, code=CODE, where=policy.file) from None
    return read_groups(document, policy.file, types)


def _fixed_groups(job: Job, setup: Setup) -> tuple[Any, ...]:
    """Give groups with the sizes of the file, or with those that the busiest moment needs."""
    groups = _groups(job.policy, setup).groups
    if any(one.min for one in groups):
        return groups
    types = {one.name: one for one in types_on_sale(setup)}
    return size_fleet(open_workload(job.workload), groups, types)
