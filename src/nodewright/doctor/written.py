"""Rules about manifests, asked of the objects that are on the cluster.

`lint` knows what is wrong with a manifest and which edits mend it; a live object is a manifest too. Its
edits become a merge patch, so that what is shown is what is sent. A finding keeps lint's sentence in
English; the Korean one is the check's own, with the object and the field.
"""

import copy
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from nodewright.doctor.check import Check, Section
from nodewright.doctor.cluster import (
    BALANCERS,
    CLASSES,
    DAEMON_SETS,
    DEPLOYMENTS,
    POOLS,
    PROVISIONERS,
    TEMPLATES,
    describe_cluster,
    find_controller,
)
from nodewright.doctor.finding import Finding, Text, fact
from nodewright.doctor.look import Look, Unseen
from nodewright.doctor.patches import change
from nodewright.install.found import Json
from nodewright.install.resources.objects import path_of
from nodewright.lint.codes import CODES
from nodewright.lint.edits import apply_all
from nodewright.lint.finding import Finding as Remark
from nodewright.lint.finding import subject_of
from nodewright.lint.raw import dig
from nodewright.lint.stream import Stream, Told
from nodewright.model.path import show_path
from nodewright.state.manifests import Document, Manifest

type Rule = Callable[[Stream], Iterator[Remark]]
type After = Callable[[Remark], Json | None]
"""What an object should read once it is mended; nothing where a person must choose."""

_KINDS: Final = (
    (POOLS, "karpenter.sh/v1", "NodePool"),
    (CLASSES, "karpenter.k8s.aws/v1", "EC2NodeClass"),
    (PROVISIONERS, "karpenter.sh/v1alpha5", "Provisioner"),
    (TEMPLATES, "karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate"),
    (DAEMON_SETS, "apps/v1", "DaemonSet"),
)
_DROPPED: Final = ("status",)
_META: Final = ("managedFields", "resourceVersion", "uid", "generation", "creationTimestamp")
_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_TEXT_MAX: Final = 160


class Written(msgspec.Struct, frozen=True):
    """The objects of the cluster as manifests, and what is known of it."""

    documents: tuple[Json, ...]
    region: str = ""
    kubernetes_minor: int | None = None


async def probe_written(look: Look) -> Written:
    """Read everything that people write for an autoscaler."""
    return await look.shared("written", _probe)


async def _probe(look: Look) -> Written:
    documents: list[Json] = []
    for path, version, kind in _KINDS:
        found = await look.all(path)
        documents += [as_manifest(one, version, kind) for one in found]
    controller = await find_controller(look)
    chosen = [controller.document] if controller is not None else []
    chosen += [one for one in await look.all(DEPLOYMENTS) if one["metadata"]["name"] == BALANCERS]
    documents += [as_manifest(one, "apps/v1", "Deployment") for one in chosen]
    return Written(tuple(documents), look.subject.region, await _minor(look))


async def _minor(look: Look) -> int | None:
    try:
        version = str((await describe_cluster(look)).get("version", ""))
    except Unseen:
        # Rules that need the version say nothing without it.
        return None
    return int(version.partition(".")[2]) if version.partition(".")[2].isdecimal() else None


def as_manifest(live: Json, version: str, kind: str) -> Json:
    """Give an object as its owner wrote it; lists leave out what kind their items are."""
    document = {"apiVersion": version, "kind": kind, **copy.deepcopy(live)}
    for key in _DROPPED:
        document.pop(key, None)
    for key in _META:
        document["metadata"].pop(key, None)
    # kubectl's copy of the manifest would have everything found twice.
    (document["metadata"].get("annotations") or {}).pop(_APPLIED, None)
    return document


def manifest_of(document: Json) -> Manifest:
    """Give a live object as rules about manifests take it; its text is that of its JSON."""
    return Manifest(document, Document("the cluster", msgspec.json.encode(document).decode(), 0))


class Wording(msgspec.Struct, frozen=True):
    """What a check about manifests says beside lint's own sentence."""

    title: Text
    why: Text
    cause: Text
    answer: Text
    korean: str


def by_edits(remark: Remark) -> Json | None:
    """Give what lint's own edits make of an object."""
    found: Json | None = apply_all(remark.manifest.raw, remark.edits) if remark.edits else None
    return found


def written_check(
    code: str, section: Section, rule: Rule, wording: Wording, after: After | None = None
) -> Check[Written]:
    """Make a check of a rule about manifests; `after` mends what has one right answer."""

    def judge(facts: Written) -> Iterator[Finding]:
        told = Told(region=facts.region, kubernetes_minor=facts.kubernetes_minor)
        stream = Stream(tuple(map(manifest_of, facts.documents)), told)
        found = [
            _finding(remark, wording, after(remark) if after else None)
            for remark in rule(stream)
            if remark.code == code
        ]
        yield from _together(found)

    return Check(
        code=code,
        section=section,
        severity=CODES[code].severity,
        title=wording.title,
        why=wording.why,
        answer=wording.answer,
        probe=probe_written,
        judge=judge,
        is_fixable=after is not None,
    )


def _together(found: list[Finding]) -> Iterator[Finding]:
    """Tell what is wrong in several fields of an object once, with a fact for each; patches stay apart."""
    told: dict[tuple[tuple[str, ...], str], Finding] = {}
    for one in found:
        if one.mends:
            yield one
            continue
        key = (one.objects, one.message.en)
        first = told.get(key)
        told[key] = (
            one
            if first is None
            else msgspec.structs.replace(first, facts=(*first.facts, *one.facts))
        )
    yield from told.values()


def _finding(remark: Remark, wording: Wording, after: Json | None) -> Finding:
    raw, subject, path = remark.manifest.raw, subject_of(remark.manifest), show_path(remark.path)
    value = _short(dig(raw, remark.path))
    kind, _, name = subject.partition("/")
    mend = () if after is None else (change(path_of(raw), (kind.lower(), name), path, raw, after),)
    return Finding(
        objects=(subject,),
        message=Text(
            f"{subject}: {remark.message}",
            wording.korean.format(object=subject, path=path, value=value),
        ),
        cause=wording.cause,
        facts=(fact(subject, path, value),),
        mends=mend,
        advice=(f"# {remark.help}", _edit_command(remark.manifest)),
        lowered_to=remark.lowered_to,
    )


def _edit_command(manifest: Manifest) -> str:
    space = f" -n {manifest.namespace}" if manifest.namespace else ""
    return f"kubectl edit{space} {manifest.kind.lower()} {manifest.name}"


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _TEXT_MAX else f"{text[:_TEXT_MAX]}…"
