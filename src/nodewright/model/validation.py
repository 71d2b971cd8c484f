"""Run-time validation: what the API server lets through and the controllers must still refuse.

The answer is a list of problems, all of them, each with its place; an empty list means that the
object can be used. A problem of severity `warning` is worth a word but stops nothing. Nothing here
raises: one bad NodePool must not take the others down.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.model.duration import BadDuration, parse_duration, parse_duration_or_never
from nodewright.model.labels import (
    AWS_GROUP,
    CAPACITY_TYPE,
    NODEPOOL,
    ON_DEMAND,
    RESERVED,
    SPOT,
    is_restricted,
    normalize_key,
)
from nodewright.model.metadata import NodeSelectorRequirement, Taint
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.path import Path
from nodewright.model.quantity import BadQuantity, parse_amount
from nodewright.model.requirements import BadRequirement, read_requirement
from nodewright.model.schema import LABEL_VALUE_LENGTH_MAX
from nodewright.model.schema_requirements import (
    BOUND_OPERATORS,
    EFFECTS,
    MIN_VALUES_MAX,
    OPERATORS,
)

ERROR: Final = "error"
WARNING: Final = "warning"

NAME_LENGTH_MAX: Final = 63
DOMAIN_LENGTH_MAX: Final = 253
KNOWN_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    CAPACITY_TYPE: (ON_DEMAND, SPOT, RESERVED),
    f"{AWS_GROUP}/instance-tenancy": ("default", "dedicated"),
}

_NAME: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_DOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_VALUE: Final = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong: where, what, and under which code it is documented.

    `reason` is the word that a status condition gives for it, where Karpenter has one.
    """

    path: Path
    message: str
    code: str = "NW-2001"
    severity: str = ERROR
    reason: str = ""


BAD_NAME: Final = "NW-2002"
BAD_VALUE: Final = "NW-2003"
RESTRICTED: Final = "NW-2004"
BAD_REQUIREMENT: Final = "NW-2005"
BAD_TAINT: Final = "NW-2006"
UNKNOWN_VALUE: Final = "NW-2007"
BAD_DURATION: Final = "NW-2008"
BAD_QUANTITY: Final = "NW-2009"
MISSING: Final = "NW-2010"


def validate_nodepool(pool: NodePool) -> list[Problem]:
    """Tell everything that makes a NodePool unusable, in the order of its fields."""
    template = pool.spec.template
    labels_at: Path = ("spec", "template", "metadata", "labels")
    at: Path = ("spec", "template", "spec")
    spec = template.spec
    problems = [
        *check_labels(template.metadata.labels, labels_at),
        *check_taints(spec.taints, spec.startup_taints, at),
        *check_requirements(spec.requirements, (*at, "requirements")),
        *check_durations(spec.expire_after, spec.termination_grace_period, at),
        *_check_amounts(pool.spec.limits or {}, ("spec", "limits")),
    ]
    if not all((spec.node_class_ref.group, spec.node_class_ref.kind, spec.node_class_ref.name)):
        sentence = "nodeClassRef needs group, kind and name"
        problems.append(Problem((*at, "nodeClassRef"), sentence, MISSING))
    try:
        parse_duration_or_never(pool.spec.disruption.consolidate_after)
    except BadDuration as error:
        path: Path = ("spec", "disruption", "consolidateAfter")
        problems.append(Problem(path, f"{error} nor Never", BAD_DURATION))
    return problems


def validate_nodeclaim(claim: NodeClaim) -> list[Problem]:
    """Tell everything that makes a NodeClaim unusable; the nodepool key is allowed here."""
    spec, at = claim.spec, ("spec",)
    return [
        *check_taints(spec.taints, spec.startup_taints, at),
        *check_requirements(spec.requirements, (*at, "requirements"), nodepool_ok=True),
        *check_durations(spec.expire_after, spec.termination_grace_period, at),
        *_check_amounts(spec.resources.requests, (*at, "resources", "requests")),
    ]


def name_problem(name: str) -> str:
    """Tell why a text is no qualified name (`domain/name`), or nothing."""
    domain, slash, rest = name.rpartition("/")
    if slash and (len(domain) > DOMAIN_LENGTH_MAX or not _DOMAIN.fullmatch(domain)):
        return f"{domain!r} before the slash is no DNS name in lower case (like example.com)"
    if not rest:
        return "the name is empty"
    if len(rest) > NAME_LENGTH_MAX:
        return f"the name is longer than {NAME_LENGTH_MAX} characters"
    if not _NAME.fullmatch(rest):
        return (
            f"{rest!r} may only have letters, digits, '-', '_' and '.', and must begin and end "
            "with a letter or digit"
        )
    return ""


def value_problem(value: str) -> str:
    """Tell why a text is no label value, or nothing."""
    if len(value) > LABEL_VALUE_LENGTH_MAX:
        return f"{value[:20]!r}… is longer than {LABEL_VALUE_LENGTH_MAX} characters"
    if not _LABEL_VALUE.fullmatch(value):
        return (
            f"{value!r} may only have letters, digits, '-', '_' and '.', and must begin and end "
            "with a letter or digit"
        )
    return ""


def check_labels(labels: Mapping[str, str], at: Path) -> Iterator[Problem]:
    """Tell what is wrong with the labels of a template."""
    for key, value in labels.items():
        here = (*at, key)
        if key == NODEPOOL:
            sentence = f"{NODEPOOL} is set by the autoscaler: remove it"
            yield Problem(here, sentence, RESTRICTED)
        elif problem := name_problem(key):
            yield Problem(here, f"label key {key!r} is not valid: {problem}", BAD_NAME)
        elif is_restricted(normalize_key(key)):
            yield Problem(here, restricted_sentence(key), RESTRICTED)
        if problem := value_problem(value):
            yield Problem(here, f"value of label {key} is not valid: {problem}", BAD_VALUE)


def restricted_sentence(key: str) -> str:
    """Say that a key belongs to the autoscaler, and what may be used instead."""
    return (
        f"label {key} belongs to the autoscaler or the kubelet: use a well-known label "
        "(such as topology.kubernetes.io/zone or karpenter.sh/capacity-type) or a domain of your own"
    )


def check_taints(
    taints: Sequence[Taint], startup_taints: Sequence[Taint], at: Path
) -> Iterator[Problem]:
    """Tell what is wrong with taints; a key and effect may occur once in both lists together."""
    seen: set[tuple[str, str]] = set()
    for field, listed in (("taints", taints), ("startupTaints", startup_taints)):
        for position, taint in enumerate(listed):
            here = (*at, field, position)
            if problem := name_problem(taint.key):
                sentence = f"taint key {taint.key!r} is not valid: {problem}"
                yield Problem((*here, "key"), sentence, BAD_TAINT)
            if problem := value_problem(taint.value):
                yield Problem((*here, "value"), f"taint value is not valid: {problem}", BAD_TAINT)
            if taint.effect not in EFFECTS:
                sentence = f"taint effect {taint.effect!r} is none of {', '.join(EFFECTS)}"
                yield Problem((*here, "effect"), sentence, BAD_TAINT)
            if (taint.key, taint.effect) in seen:
                sentence = (
                    f"taint {taint.key}:{taint.effect} occurs twice in taints and startupTaints: "
                    "keep one"
                )
                yield Problem(here, sentence, BAD_TAINT)
            seen.add((taint.key, taint.effect))


def check_requirements(
    requirements: Iterable[NodeSelectorRequirement], at: Path, *, nodepool_ok: bool = False
) -> Iterator[Problem]:
    """Tell what is wrong with requirements, one by one."""
    for position, requirement in enumerate(requirements):
        here = (*at, position)
        yield from _check_key(requirement.key, (*here, "key"), nodepool_ok=nodepool_ok)
        yield from _check_operator(requirement, here)
        listed = () if requirement.operator in BOUND_OPERATORS else requirement.values
        for index, value in enumerate(listed):
            if problem := value_problem(value):
                sentence = f"value of {requirement.key} is not valid: {problem}"
                yield Problem((*here, "values", index), sentence, BAD_VALUE)
        yield from _check_known_values(requirement, here)


def _check_key(key: str, here: Path, *, nodepool_ok: bool) -> Iterator[Problem]:
    if key == NODEPOOL:
        if not nodepool_ok:
            sentence = f"{NODEPOOL} cannot be a requirement: each node gets it from its pool"
            yield Problem(here, sentence, RESTRICTED)
    elif problem := name_problem(key):
        yield Problem(here, f"key {key!r} is not valid: {problem}", BAD_NAME)
    elif is_restricted(normalize_key(key)):
        yield Problem(here, restricted_sentence(key), RESTRICTED)


def _check_operator(requirement: NodeSelectorRequirement, here: Path) -> Iterator[Problem]:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    least = requirement.min_values
    if operator not in OPERATORS:
        sentence = f"operator {operator!r} of {key} is none of {', '.join(OPERATORS)}"
        yield Problem((*here, "operator"), sentence, BAD_REQUIREMENT)
        return
    if operator == "In" and not values:
        sentence = f"In on {key} needs at least one value"
        yield Problem((*here, "values"), sentence, BAD_REQUIREMENT)
    try:
        read_requirement(requirement)
    except BadRequirement as error:
        yield Problem((*here, "values"), str(error), BAD_REQUIREMENT)
    else:
        if operator in BOUND_OPERATORS and values[0].startswith("-"):
            sentence = f"{operator} on {key} takes no negative number"
            yield Problem((*here, "values"), sentence, BAD_REQUIREMENT)
    if least is not None and not 1 <= least <= MIN_VALUES_MAX:
        sentence = f"minValues of {key} must be between 1 and {MIN_VALUES_MAX}"
        yield Problem((*here, "minValues"), sentence, BAD_REQUIREMENT)
    elif least is not None and operator == "In" and len(values) < least:
        sentence = f"minValues of {key} asks for {least} values, but In lists {len(values)}"
        yield Problem((*here, "minValues"), sentence, BAD_REQUIREMENT)


def _check_known_values(requirement: NodeSelectorRequirement, here: Path) -> Iterator[Problem]:
    known = KNOWN_VALUES.get(requirement.key)
    if known is None or requirement.operator != "In" or not requirement.values:
        return
    good = [value for value in requirement.values if value in known]
    bad = [value for value in requirement.values if value not in known]
    least = requirement.min_values or 1
    if len(set(good)) < least:
        sentence = (
            f"{requirement.key} In [{', '.join(requirement.values)}] leaves {len(set(good))} known "
            f"values where {least} are needed: known are {', '.join(known)}"
        )
        yield Problem((*here, "values"), sentence, UNKNOWN_VALUE)
    elif bad:
        sentence = f"{requirement.key} is never {' nor '.join(bad)}: known are {', '.join(known)}"
        yield Problem((*here, "values"), sentence, UNKNOWN_VALUE, WARNING)


def check_durations(
    expire_after: str, termination_grace_period: str | None, at: Path
) -> Iterator[Problem]:
    """Tell what is wrong with the two durations of a template or claim."""
    try:
        parse_duration_or_never(expire_after)
    except BadDuration as error:
        yield Problem((*at, "expireAfter"), f"{error} nor Never", BAD_DURATION)
    if termination_grace_period is not None:
        try:
            parse_duration(termination_grace_period)
        except BadDuration as error:
            yield Problem((*at, "terminationGracePeriod"), str(error), BAD_DURATION)


def _check_amounts(amounts: Mapping[str, str | int | float], at: Path) -> Iterator[Problem]:
    for name, amount in amounts.items():
        try:
            parse_amount(amount)
        except BadQuantity as error:
            yield Problem((*at, name), str(error), BAD_QUANTITY)
