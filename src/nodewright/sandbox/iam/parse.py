"""Policy documents read strictly, as IAM reads them.

What IAM would refuse with MalformedPolicyDocument is refused here with one sentence; where IAM's own
words are known they are used, since tools look for them. Three uses have different grammars: a
policy of an identity names no principal, a policy of a resource must name one, and a trust
document names one and has no resource (it is attached to it).
"""

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from nodewright.sandbox.iam.conditions import Condition, is_readable_value, read_operator
from nodewright.sandbox.iam.policy import (
    NEW_VERSION,
    OLD_VERSION,
    Effect,
    Policy,
    PrincipalSet,
    Span,
    Statement,
)
from nodewright.sandbox.iam.spans import statement_spans
from nodewright.sandbox.iam.variables import is_well_formed


class Use(StrEnum):
    """What a document is attached to."""

    IDENTITY = "identity"
    RESOURCE = "resource"
    TRUST = "trust"


class MalformedPolicyError(Exception):
    """A document that IAM would not take, with the sentence that says why."""

    code = "MalformedPolicyDocument"


_DOCUMENT_KEYS = {"Version", "Id", "Statement"}
_STATEMENT_KEYS = {
    "Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Principal", "NotPrincipal",
    "Condition",
}  # fmt: skip
_PRINCIPAL_KINDS = {"AWS", "Service", "Federated", "CanonicalUser"}
_SID = re.compile(r"[0-9A-Za-z]*")
_ACTION = re.compile(r"(?P<vendor>[A-Za-z0-9-]+):(?P<name>[A-Za-z0-9*?_-]+)")
_KEY = re.compile(r"[^\s:]+:\S.*")
_PARTITIONS = {"aws", "aws-cn", "aws-us-gov", "aws-iso", "aws-iso-b", "aws-eusc", "*"}
_ACCOUNT = re.compile(r"\d{12}")
_AWS_PRINCIPAL = re.compile(r"arn:aws[a-z-]*:(iam|sts)::\d{12}:\S+")
_UNIQUE_ID = re.compile(r"A(ROA|IDA|GPA|IPA|NPA)[A-Z0-9]{8,}")


def parse_policy(
    source: str | Mapping[str, Any], use: Use, name: str = "", origin: str = "none"
) -> Policy:
    """Read a document, given as text or as decoded JSON; raise MalformedPolicyError with one sentence."""
    document, spans = _decode(source)
    _refuse_unknown(document, _DOCUMENT_KEYS, "the document")
    version = document.get("Version", OLD_VERSION)
    if version not in (OLD_VERSION, NEW_VERSION):
        raise MalformedPolicyError(f"The policy version {version} is not {NEW_VERSION}.")
    written = document.get("Statement")
    if isinstance(written, Mapping):
        written = [written]
    if not isinstance(written, Sequence) or isinstance(written, str) or not written:
        raise MalformedPolicyError("Syntax errors in policy: there must be at least one Statement.")
    statements = []
    for number, one in enumerate(written):
        span = spans[number] if number < len(spans) else Span()
        statements.append(_statement(one, use, version, span))
    sids = [one.sid for one in statements if one.sid]
    if len(sids) != len(set(sids)):
        raise MalformedPolicyError("Statement IDs (SID) in a single policy must be unique.")
    return Policy(tuple(statements), name=name, version=version, origin=origin)


def _decode(source: str | Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[Span, ...]]:
    if not isinstance(source, str):
        return source, ()
    try:
        document = json.loads(source, object_pairs_hook=_unique_pairs)
    except json.JSONDecodeError as error:
        raise MalformedPolicyError(
            f"Syntax errors in policy: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error
    if not isinstance(document, Mapping):
        raise MalformedPolicyError("Syntax errors in policy: the document must be a JSON object.")
    return document, statement_spans(source)


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise MalformedPolicyError(f"Syntax errors in policy: {key} is written twice.")
        read[key] = value
    return read


def _refuse_unknown(found: Mapping[str, Any], known: set[str], place: str) -> None:
    for key in found:
        if key not in known:
            raise MalformedPolicyError(
                f"Syntax errors in policy: {key} is not an element of {place}."
            )


def _statement(written: Any, use: Use, version: str, span: Span) -> Statement:
    if not isinstance(written, Mapping):
        raise MalformedPolicyError("Syntax errors in policy: a statement must be a JSON object.")
    _refuse_unknown(written, _STATEMENT_KEYS, "a statement")
    if written.get("Effect") not in ("Allow", "Deny"):
        raise MalformedPolicyError("Syntax errors in policy: Effect must be Allow or Deny.")
    actions, other_actions = _either(written, "Action", "actions")
    for action in actions:
        _check_action(action)
    resources, other_resources = _resources(written, use)
    principals, other_principals = _principals(written, use)
    conditions = _conditions(written.get("Condition", {}))
    _check_variables(version, resources, conditions)
    return Statement(
        effect=Effect(written["Effect"]),
        actions=actions,
        resources=resources,
        conditions=conditions,
        principals=principals,
        sid=_sid(written.get("Sid", ""), use),
        other_actions=other_actions,
        other_resources=other_resources,
        other_principals=other_principals,
        span=span,
    )


def _sid(written: Any, use: Use) -> str:
    if not isinstance(written, str):
        raise MalformedPolicyError("Syntax errors in policy: Sid must be a string.")
    if use is Use.IDENTITY and _SID.fullmatch(written) is None:
        raise MalformedPolicyError(
            f"Statement IDs (SID) must be alpha-numeric, and {written} is not."
        )
    return written


def _either(written: Mapping[str, Any], element: str, noun: str) -> tuple[tuple[str, ...], bool]:
    """Read an element that may be written with `Not` in front, but not both ways."""
    opposite = f"Not{element}"
    if element in written and opposite in written:
        raise MalformedPolicyError(
            f"Syntax errors in policy: a statement has both {element} and {opposite}."
        )
    values = _strings(written.get(element, written.get(opposite, [])), element)
    if not values:
        raise MalformedPolicyError(f"Policy statement must contain {noun}.")
    return values, opposite in written


def _strings(written: Any, place: str) -> tuple[str, ...]:
    several = [written] if isinstance(written, str) else written
    if not isinstance(several, list) or not all(isinstance(one, str) for one in several):
        raise MalformedPolicyError(
            f"Syntax errors in policy: {place} must be a string or a list of strings."
        )
    return tuple(several)


def _check_action(action: str) -> None:
    if action == "*":
        return
    if ":" not in action:
        raise MalformedPolicyError(
            "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."
        )
    if _ACTION.fullmatch(action) is None:
        vendor = action.partition(":")[0]
        bad_vendor = re.fullmatch(r"[A-Za-z0-9-]+", vendor) is None
        raise MalformedPolicyError(
            f"Vendor {vendor} is not valid." if bad_vendor else f"The action {action} is not valid."
        )


def _resources(written: Mapping[str, Any], use: Use) -> tuple[tuple[str, ...], bool]:
    if use is Use.TRUST:
        if "Resource" in written or "NotResource" in written:
            raise MalformedPolicyError("Has prohibited field Resource.")
        return ("*",), False
    resources, other = _either(written, "Resource", "resources")
    if use is Use.IDENTITY:
        for resource in resources:
            _check_resource(resource)
    return resources, other


def _check_resource(resource: str) -> None:
    if resource == "*":
        return
    parts = resource.split(":", 5)
    if parts[0] != "arn" or len(parts) < 3:
        raise MalformedPolicyError(f'Resource {resource} must be in ARN format or "*".')
    partition, vendor = parts[1], parts[2]
    if partition not in _PARTITIONS and not partition.startswith("${"):
        raise MalformedPolicyError(
            f'Partition "{partition}" is not valid for resource "{resource}".'
        )
    if re.fullmatch(r"[A-Za-z0-9-]+", vendor) is None and vendor != "*":
        raise MalformedPolicyError(f"Resource vendor must be fully qualified in {resource}.")
    if len(parts) < 6 and not resource.endswith("*"):
        raise MalformedPolicyError(f'Resource {resource} must be in ARN format or "*".')


def _principals(written: Mapping[str, Any], use: Use) -> tuple[PrincipalSet | None, bool]:
    has, opposite = "Principal" in written, "NotPrincipal" in written
    if use is Use.IDENTITY:
        if has or opposite:
            raise MalformedPolicyError("Policy document should not specify a principal.")
        return None, False
    if has and opposite:
        raise MalformedPolicyError(
            "Syntax errors in policy: a statement has both Principal and NotPrincipal."
        )
    if not has and not opposite:
        raise MalformedPolicyError("Missing required field Principal.")
    return _principal_set(written["Principal" if has else "NotPrincipal"]), opposite


def _principal_set(written: Any) -> PrincipalSet:
    if written == "*":
        return PrincipalSet(anyone=True)
    if not isinstance(written, Mapping) or not written:
        raise MalformedPolicyError(
            'Syntax errors in policy: Principal must be "*" or an object of AWS, Service or Federated.'
        )
    _refuse_unknown(written, _PRINCIPAL_KINDS, "Principal")
    kinds = {kind: _strings(values, f"Principal {kind}") for kind, values in written.items()}
    for name in kinds.get("AWS", ()):
        if not _is_aws_principal(name):
            raise MalformedPolicyError(f'Invalid principal in policy: "AWS":"{name}".')
    for name in kinds.get("Service", ()):
        if name != "*" and re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", name) is None:
            raise MalformedPolicyError(f'Invalid principal in policy: "SERVICE":"{name}".')
    aws = kinds.get("AWS", ())
    return PrincipalSet(
        anyone="*" in aws,
        aws=tuple(name for name in aws if name != "*"),
        service=kinds.get("Service", ()),
        federated=kinds.get("Federated", ()),
        canonical=kinds.get("CanonicalUser", ()),
    )


def _is_aws_principal(name: str) -> bool:
    if name == "*" or _ACCOUNT.fullmatch(name) or _UNIQUE_ID.fullmatch(name):
        return True
    return _AWS_PRINCIPAL.fullmatch(name) is not None and "*" not in name and "?" not in name


def _conditions(written: Any) -> tuple[Condition, ...]:
    if not isinstance(written, Mapping):
        raise MalformedPolicyError("Syntax errors in policy: Condition must be a JSON object.")
    read = []
    for text, keys in written.items():
        how = read_operator(text)
        if how is None:
            raise MalformedPolicyError(f"Invalid Condition type : {text}.")
        if not isinstance(keys, Mapping) or not keys:
            raise MalformedPolicyError(
                f"Syntax errors in policy: {text} must be an object of condition keys."
            )
        for key, values in keys.items():
            if _KEY.fullmatch(key) is None:
                raise MalformedPolicyError(
                    "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."
                )
            read.append(Condition(how, key, _condition_values(text, key, values)))
            for value in read[-1].values:
                if not is_readable_value(how.base, value):
                    raise MalformedPolicyError(
                        f"The value {value} of {key} is not one that {text} can compare."
                    )
    return tuple(read)


def _condition_values(operator: str, key: str, written: Any) -> tuple[str, ...]:
    several = written if isinstance(written, list) else [written]
    values = []
    for one in several:
        if isinstance(one, bool):
            values.append("true" if one else "false")
        elif isinstance(one, str | int | float):
            values.append(str(one))
        else:
            raise MalformedPolicyError(
                f"Syntax errors in policy: {operator} {key} must have strings as values."
            )
    if not values:
        raise MalformedPolicyError(f"Syntax errors in policy: {operator} {key} has no value.")
    return tuple(values)


def _check_variables(
    version: str, resources: Sequence[str], conditions: Sequence[Condition]
) -> None:
    if version != NEW_VERSION:
        return
    texts = [*resources, *(value for one in conditions for value in one.values)]
    for text in texts:
        if not is_well_formed(text):
            raise MalformedPolicyError(f"The policy variable in {text} cannot be read.")
