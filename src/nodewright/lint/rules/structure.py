"""Fields, types and values: what the API server and the controllers would refuse.

Run-time validation speaks first, since it words its problems better; the schema adds what it alone
sees. One place gets one finding. Where the schema leaves one right answer, the finding can mend it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.catalog.formulas import check_formulas
from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.table import bundled_table
from nodewright.lint.finding import Edit, Finding, Replace
from nodewright.lint.guess import is_sure, nearest
from nodewright.lint.raw import dig, mapping, read_as, word
from nodewright.lint.stream import Stream
from nodewright.lint.written import written
from nodewright.model.admission import REFUSED_BY_SERVER, admit
from nodewright.model.duration import DURATION_OR_NEVER_PATTERN, DURATION_PATTERN
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.kinds import BY_NAME
from nodewright.model.legacy import Provisioner, ProvisionerSpec
from nodewright.model.legacy_beta import BetaNodeClaimSpec, BetaNodePool
from nodewright.model.metadata import Struct
from nodewright.model.nodepool import NodePool
from nodewright.model.path import Path, show_path
from nodewright.model.schema_openapi import Schema, schema_of
from nodewright.model.validation import (
    BAD_DURATION,
    Problem,
    check_labels,
    check_requirements,
    check_taints,
    validate_nodepool,
)
from nodewright.model.validation_ec2nodeclass import validate_ec2nodeclass
from nodewright.model.validation_kubelet import EXPRESSIONS_DISABLED
from nodewright.state.manifests import Manifest

_DAYS: Final = re.compile(r"([0-9]{1,5})d")
_OLD_VALUES: Final = {"WhenUnderutilized": "WhenEmptyOrUnderutilized"}
_VALIDATED: Final = (NodePool, EC2NodeClass, Provisioner, BetaNodePool)
_DURATIONS: Final = (DURATION_PATTERN, DURATION_OR_NEVER_PATTERN)

type _Mending = tuple[str, tuple[Edit, ...]]


def check(stream: Stream) -> Iterator[Finding]:
    """Yield what is wrong with the form of every resource of ours."""
    for manifest in stream.manifests:
        kind = BY_NAME.get((manifest.api_version, manifest.kind))
        if kind is not None:
            yield from _check_object(manifest, kind.struct)
        else:
            yield from _check_kind(manifest)


def _check_kind(manifest: Manifest) -> Iterator[Finding]:
    groups = {version.partition("/")[0] for version, _ in BY_NAME if "karpenter" in version}
    group = manifest.api_version.partition("/")[0]
    if group not in groups:
        return
    versions = sorted({version for version, kind in BY_NAME if kind == manifest.kind})
    kinds = sorted({kind for _, kind in BY_NAME})
    message = f"{manifest.api_version} has no kind {manifest.kind or '(none)'}"
    guess = nearest(manifest.kind, kinds)
    advice = f"did you mean {guess}?" if guess else f"known are {', '.join(kinds)}"
    if versions:
        advice = f"{manifest.kind} is in {' and '.join(versions)}"
    yield Finding("NW-2001", manifest, ("kind",), message, advice)


def _check_object(manifest: Manifest, struct: type[Struct]) -> Iterator[Finding]:
    yield from _check_metadata(manifest)
    seen: list[Path] = []
    for problem in _run_time_problems(manifest, struct):
        seen.append(problem.path)
        yield _from_validation(manifest, problem)
    for problem in admit(manifest.raw, struct):
        if problem.path[0] != "status" and not _is_said(problem.path, seen):
            yield _from_admission(manifest, struct, problem)


def _check_metadata(manifest: Manifest) -> Iterator[Finding]:
    metadata = mapping(manifest.raw.get("metadata"))
    if not metadata.get("name") and not metadata.get("generateName"):
        yield Finding("NW-2010", manifest, ("metadata",), "the object has no name", on="key")
    paths: list[Path] = [("metadata", "name")]
    for field in ("labels", "annotations"):
        paths += [("metadata", field, key) for key in mapping(metadata.get(field))]
    for path in paths:
        value = dig(manifest.raw, path)
        if value is not None and not isinstance(value, str):
            advice, edits = _mend_type(manifest, path, {"type": "string"})
            message = f"{_name(path)} must be text, not {_described(value)}"
            yield Finding("NW-2102", manifest, path, message, advice, edits)


def _run_time_problems(manifest: Manifest, struct: type[Struct]) -> list[Problem]:
    if struct not in _VALIDATED:
        return []
    try:
        read = read_as(manifest.raw, struct)
    except msgspec.ValidationError:
        return []  # The schema says what has the wrong type, and where.
    match read:
        case NodePool():
            return validate_nodepool(read)
        case EC2NodeClass():
            return _class_problems(read)
        case Provisioner(spec=spec):
            return _legacy_problems(spec.labels, spec, ("spec",), ("spec", "labels"))
        case BetaNodePool(spec=beta):
            template, at = beta.template, ("spec", "template", "spec")
            labels_at = ("spec", "template", "metadata", "labels")
            return _legacy_problems(template.metadata.labels, template.spec, at, labels_at)
        case _:
            return []


def _class_problems(node_class: EC2NodeClass) -> list[Problem]:
    """Judge a class with expressions and without: no manifest says whether they are enabled."""
    gated = [one for one in validate_ec2nodeclass(node_class) if one.reason == EXPRESSIONS_DISABLED]
    problems = validate_ec2nodeclass(node_class, expressions=True)
    if gated and not problems:
        problems = _formula_problems(node_class)
    return [*gated, *problems]


def _formula_problems(node_class: EC2NodeClass) -> list[Problem]:
    try:
        settings = settings_of(node_class)
    except UserError:
        return []  # The schema says what cannot be read, and where.
    error = check_formulas(settings, bundled_table().shapes)
    return [] if error is None else [Problem(("spec", "kubelet"), error.message, error.code)]


def _legacy_problems(
    labels: Mapping[str, str], spec: ProvisionerSpec | BetaNodeClaimSpec, at: Path, labels_at: Path
) -> list[Problem]:
    """Judge the parts that have always had the same rules."""
    return [
        *check_labels(labels, labels_at),
        *check_taints(spec.taints, spec.startup_taints, at),
        *check_requirements(spec.requirements, (*at, "requirements")),
    ]


def _is_said(path: Path, seen: list[Path]) -> bool:
    """Tell whether validation has spoken of this place, something around it or inside of it."""
    return any(one[: len(path)] == path or path[: len(one)] == one for one in seen)


def _from_validation(manifest: Manifest, problem: Problem) -> Finding:
    message, _, advice = problem.message.partition(": ")
    edits: tuple[Edit, ...] = ()
    if problem.code == BAD_DURATION:
        message = problem.message
        advice, edits = _mend_duration(manifest, problem.path)
    return Finding(
        problem.code,
        manifest,
        problem.path,
        message,
        advice,
        edits,
        lowered_to="warning" if problem.severity == "warning" else None,
    )


def _from_admission(manifest: Manifest, struct: type[Struct], problem: Problem) -> Finding:
    path, value = problem.path, dig(manifest.raw, problem.path)
    schema = _schema_at(schema_of(struct), path)
    if value is None and problem.message.endswith(" is required"):
        parent = show_path(path[:-1])
        where = f" in {parent}" if parent else ""
        message = f"{show_path(path[-1:])} is missing{where}"
        return Finding("NW-2010", manifest, path[:-1], message, on="key")
    if problem.message.startswith("must be ") and value is not None:
        message = f"{_name(path)} {problem.message.partition(', not')[0]}, not {_described(value)}"
        advice, edits = _mend_type(manifest, path, schema)
        return Finding("NW-2102", manifest, path, message, advice, edits)
    if isinstance(value, str) and "enum" in schema:
        return _not_allowed(manifest, path, value, schema["enum"])
    if isinstance(value, str) and schema.get("pattern") in _DURATIONS:
        advice, edits = _mend_duration(manifest, path)
        message = f"{_name(path)} {value[:40]!r} is no duration"
        return Finding(BAD_DURATION, manifest, path, message, advice, edits)
    message, _, advice = problem.message.partition(": ")
    if not isinstance(value, dict | list):
        message = f"{_name(path)}: {message}"
    return Finding(REFUSED_BY_SERVER, manifest, path, message, advice)


def _schema_at(schema: Schema, path: Path) -> Schema:
    for part in path:
        if isinstance(part, int):
            schema = schema.get("items", {})
        else:
            inner = schema.get("properties", {}).get(part)
            schema = inner if inner is not None else mapping(schema.get("additionalProperties"))
    return schema


def _name(path: Path) -> str:
    """Name a place by its last field, with the index where it is an item of a list."""
    length = 2 if isinstance(path[-1], int) and len(path) > 1 else 1
    return show_path(path[-length:])


def _mend_duration(manifest: Manifest, path: Path) -> _Mending:
    days = _DAYS.fullmatch(word(dig(manifest.raw, path)))
    if days is None:
        return "write hours, minutes and seconds, such as 720h or 1h30m", ()
    hours = f"{int(days[1]) * 24}h"
    return f"days are not known here: write {hours}", (Replace(path, hours),)


def _mend_type(manifest: Manifest, path: Path, schema: Schema) -> _Mending:
    value, wanted = dig(manifest.raw, path), schema.get("type")
    if wanted == "string" and isinstance(value, int | float | bool):
        plain = written(manifest, path) or word(value)
        return f'put it in quotes: "{plain}"', (Replace(path, plain),)
    if wanted == "integer" and isinstance(value, str) and value.isascii() and value.isdecimal():
        return f"remove the quotes: {value}", (Replace(path, int(value)),)
    if wanted == "boolean" and value in ("true", "false"):
        return f"remove the quotes: {value}", (Replace(path, value == "true"),)
    if wanted == "array" and isinstance(value, str):
        return f'write a list: ["{value}"]', ()
    if path[-2:] == ("limits", "resources"):
        return "in a NodePool the amounts stand right under limits", ()
    return "", ()


def _described(value: Any) -> str:
    match value:
        case bool():
            return f"the truth value {word(value)}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {value[:30]!r}"
        case list():
            return "a list"
        case _:
            return "a mapping"


def _not_allowed(manifest: Manifest, path: Path, value: str, allowed: list[str]) -> Finding:
    today = _OLD_VALUES.get(value)
    if today in allowed:
        message = f"{value} is the {_name(path)} of an earlier version"
        return Finding(
            "NW-2128", manifest, path, message, f"write {today}", (Replace(path, today),)
        )
    guess = nearest(value, allowed)
    edits: tuple[Edit, ...] = (Replace(path, guess),) if is_sure(value, guess) else ()
    message = f"{_name(path)} {value[:40]!r} is none of {', '.join(allowed)}"
    advice = f"did you mean {guess}?" if guess else ""
    return Finding(REFUSED_BY_SERVER, manifest, path, message, advice, edits)
