"""The policy simulator: what would be decided, without doing it.

Answers have the shape of SimulatePrincipalPolicy and SimulateCustomPolicy. Each action is tried on
each resource with the context that the question brings, and nothing else: a key that a policy asks
for and the question lacks is told as missing, as AWS does, because it may turn the answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from nodewright.sandbox.iam.context import Context, context
from nodewright.sandbox.iam.evaluate import (
    Layers,
    Match,
    Request,
    Verdict,
    evaluate,
    missing_keys,
)
from nodewright.sandbox.iam.parse import Use, parse_policy
from nodewright.sandbox.iam.policy import Effect, Policy, Statement, needed_keys
from nodewright.sandbox.iam.principals import Caller

PAGE_MAX = 1000
_PAGE = 100
_EVERYTHING = Policy((Statement(Effect.ALLOW, ("*",)),))


class Question(msgspec.Struct, frozen=True):
    """What is to be simulated: actions times resources for a caller."""

    caller: Caller
    layers: Layers
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    context: Context


def read_question(params: Mapping[str, Any], caller: Caller, layers: Layers) -> Question:
    """Read a question; policies that it brings are added to those of the caller."""
    given = tuple(_policies(params.get("PolicyInputList"), "PolicyInputList"))
    limit = tuple(
        _policies(
            params.get("PermissionsBoundaryPolicyInputList"), "PermissionsBoundaryPolicyInputList"
        )
    )
    resource = params.get("ResourcePolicy")
    owner = str(params.get("ResourceOwner") or "")
    added = msgspec.structs.replace(
        layers,
        identity=(*layers.identity, *given),
        boundary=limit or layers.boundary,
        resource=parse_policy(resource, Use.RESOURCE, "ResourcePolicy", "resource")
        if resource
        else None,
        resource_account=owner.split(":")[4] if owner.startswith("arn:") else owner,
    )
    entries = {
        str(one["ContextKeyName"]): [str(value) for value in one.get("ContextKeyValues") or ()]
        for one in params.get("ContextEntries") or ()
    }
    return Question(
        caller,
        added,
        tuple(params.get("ActionNames") or ()),
        tuple(params.get("ResourceArns") or ("*",)),
        context(entries),
    )


def simulate(question: Question, params: Mapping[str, Any]) -> dict[str, Any]:
    """Answer one page of a question."""
    pairs = [(action, arn) for action in question.actions for arn in question.resources]
    size = min(int(params.get("MaxItems") or _PAGE), PAGE_MAX)
    start = int(params.get("Marker") or 0)
    results = [_result(question, action, arn) for action, arn in pairs[start : start + size]]
    answer: dict[str, Any] = {"EvaluationResults": results, "IsTruncated": False}
    if start + size < len(pairs):
        answer.update(IsTruncated=True, Marker=str(start + size))
    return answer


def context_keys(policies: Sequence[Policy]) -> list[str]:
    """Give every condition key that some policies ask for, in alphabetical order."""
    found: dict[str, str] = {}
    for policy in policies:
        for statement in policy.statements:
            for key in needed_keys(statement, policy):
                found.setdefault(key.lower(), key)
    return [found[key] for key in sorted(found)]


def _policies(texts: Sequence[str] | None, name: str) -> Iterator[Policy]:
    for number, text in enumerate(texts or (), 1):
        yield parse_policy(text, Use.IDENTITY, f"{name}.{number}")


def _result(question: Question, action: str, resource: str) -> dict[str, Any]:
    request = Request(question.caller, action, resource, question.context)
    verdict = evaluate(request, question.layers)
    missing = list(missing_keys(verdict.request, question.layers))
    specific = {
        "EvalResourceName": resource,
        "EvalResourceDecision": verdict.outcome.value,
        "MatchedStatements": [_matched(one) for one in verdict.by],
        "MissingContextValues": missing,
        **_limits(verdict),
    }
    return {
        "EvalActionName": action,
        "EvalResourceName": resource,
        "EvalDecision": verdict.outcome.value,
        "MatchedStatements": specific["MatchedStatements"],
        "MissingContextValues": missing,
        "EvalDecisionDetails": _details(question, verdict),
        "ResourceSpecificResults": [specific],
        **_limits(verdict),
        **_organization(verdict),
    }


def _matched(match: Match) -> dict[str, Any]:
    span = match.statement.span
    return {
        "SourcePolicyId": match.policy.name,
        "SourcePolicyType": match.policy.origin,
        "StartPosition": {"Line": span.start_line, "Column": span.start_column},
        "EndPosition": {"Line": span.end_line, "Column": span.end_column},
    }


def _limits(verdict: Verdict) -> dict[str, Any]:
    if verdict.boundary_allows is None:
        return {}
    allows = {"AllowedByPermissionsBoundary": verdict.boundary_allows}
    return {"PermissionsBoundaryDecisionDetail": allows}


def _organization(verdict: Verdict) -> dict[str, Any]:
    if verdict.organization_allows is None:
        return {}
    allows = {"AllowedByOrganizations": verdict.organization_allows}
    return {"OrganizationsDecisionDetail": allows}


def _details(question: Question, verdict: Verdict) -> dict[str, str]:
    """Tell the two sides apart where the caller is of another account than the resource."""
    layers = question.layers
    if layers.resource is None or layers.resource_account in ("", question.caller.account):
        return {}
    own_side = msgspec.structs.replace(layers, resource=None, resource_account="")
    other_side = msgspec.structs.replace(
        layers, identity=(_EVERYTHING,), boundary=None, session=None
    )
    return {
        "IAM Policy": evaluate(verdict.request, own_side).outcome.value,
        "Resource Policy": evaluate(verdict.request, other_side).outcome.value,
    }
