"""The decision: allowed, not allowed by anything, or denied outright.

A refusal anywhere decides. Otherwise the caller's own side must allow the request: some identity
policy, and each of boundary, session policy and organization policy where there is one. Inside one
account a resource policy that names the user or session directly is enough by itself, one that names
the role still needs boundary and session; one that names only the account leaves it to the
account's policies. Across accounts both sides must allow. Keys and roles (`resource_decides`) are
opened by nothing but their own policy, which may hand the decision to the account.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from nodewright.sandbox.iam.conditions import Condition
from nodewright.sandbox.iam.context import Context
from nodewright.sandbox.iam.policy import (
    Effect,
    Policy,
    Statement,
    failed_conditions,
    names_action,
    names_resource,
    needed_keys,
)
from nodewright.sandbox.iam.principals import Caller, Kind, Reach, principal_context, reach


class Outcome(StrEnum):
    """What was decided, in the words of the policy simulator."""

    ALLOWED = "allowed"
    IMPLICIT_DENY = "implicitDeny"
    EXPLICIT_DENY = "explicitDeny"


class Layer(StrEnum):
    """The sorts of policy, in the words of AWS's messages."""

    IDENTITY = "identity-based policy"
    RESOURCE = "resource-based policy"
    BOUNDARY = "permissions boundary"
    SESSION = "session policy"
    ORGANIZATION = "service control policy"
    TRUST = "role trust policy"


class Grant(msgspec.Struct, frozen=True):
    """A KMS grant: operations for one principal on one key."""

    grantee: str
    operations: tuple[str, ...]
    name: str = ""


class Layers(msgspec.Struct, frozen=True):
    """Every policy that has a say. None means that there is no such layer, which limits nothing."""

    identity: tuple[Policy, ...] = ()
    boundary: tuple[Policy, ...] | None = None
    session: tuple[Policy, ...] | None = None
    organization: tuple[tuple[Policy, ...], ...] = ()
    resource: Policy | None = None
    resource_account: str = ""
    resource_decides: bool = False
    is_trust: bool = False
    grants: tuple[Grant, ...] = ()


class Request(msgspec.Struct, frozen=True):
    """One action on one resource by one caller."""

    caller: Caller
    action: str
    resource: str
    context: Context = Context()


class Match(msgspec.Struct, frozen=True):
    """A statement that applied to the request."""

    layer: Layer
    policy: Policy
    statement: Statement
    reach: Reach = Reach.DIRECT


class NearMiss(msgspec.Struct, frozen=True):
    """A statement that allows the action but not this request: the resource or conditions differ."""

    layer: Layer
    policy: Policy
    statement: Statement
    resource_differs: bool
    failed: tuple[Condition, ...]


class Verdict(msgspec.Struct, frozen=True):
    """What was decided, by which statements, and what was lacking.

    `lacking` is the layer that has no allowance. `missing_keys` are the condition keys on which a
    statement about this action and resource depends and which the request did not have.
    """

    outcome: Outcome
    request: Request
    by: tuple[Match, ...] = ()
    lacking: Layer | None = None
    near: tuple[NearMiss, ...] = ()
    missing_keys: tuple[str, ...] = ()
    boundary_allows: bool | None = None
    organization_allows: bool | None = None

    @property
    def allowed(self) -> bool:
        """Tell whether the request may go on."""
        return self.outcome is Outcome.ALLOWED


def evaluate(request: Request, layers: Layers) -> Verdict:
    """Decide one request."""
    known = principal_context(request.caller).joined(request.context)
    request = Request(request.caller, request.action, request.resource, known)
    matches = list(_matches(request, layers))
    granted = _reach_of_grants(request, layers)
    verdict = Verdict(
        outcome=Outcome.IMPLICIT_DENY,
        request=request,
        boundary_allows=_limit_allows(matches, Layer.BOUNDARY, layers.boundary),
        organization_allows=_organization_allows(request, layers),
    )
    denials = tuple(one for one in matches if one.statement.effect is Effect.DENY)
    if denials:
        return msgspec.structs.replace(verdict, outcome=Outcome.EXPLICIT_DENY, by=denials)
    allowances = [one for one in matches if one.statement.effect is Effect.ALLOW]
    lacking = _lacking(verdict, layers, allowances, granted)
    if lacking is not None:
        return msgspec.structs.replace(
            verdict,
            lacking=lacking,
            near=tuple(_near_misses(request, layers)),
            missing_keys=missing_keys(request, layers),
        )
    return msgspec.structs.replace(verdict, outcome=Outcome.ALLOWED, by=tuple(allowances))


def _lacking(
    verdict: Verdict, layers: Layers, allowances: Sequence[Match], granted: Reach
) -> Layer | None:
    """Give the first layer that lets nothing through, or None where the way is free."""
    caller = verdict.request.caller
    own = Layer.TRUST if layers.is_trust else Layer.RESOURCE
    reaches = [one.reach for one in allowances if one.layer is own]
    reached = max(granted, *reaches, Reach.NONE)
    if caller.kind in (Kind.SERVICE, Kind.FEDERATED, Kind.ANONYMOUS):
        return None if reached else own
    if verdict.organization_allows is False:
        return Layer.ORGANIZATION
    if layers.resource_decides and not reached:
        return own
    is_foreign = layers.resource_account not in ("", caller.account)
    if is_foreign and not reached:
        return own
    if reached is Reach.DIRECT and not is_foreign:
        return None
    if caller.kind is Kind.ROOT:
        return None
    own_side_needed = reached is not Reach.ROLE or is_foreign
    if own_side_needed and not any(one.layer is Layer.IDENTITY for one in allowances):
        return Layer.IDENTITY
    return _limit_lacking(layers, allowances)


def _limit_lacking(layers: Layers, allowances: Sequence[Match]) -> Layer | None:
    for layer, policies in ((Layer.BOUNDARY, layers.boundary), (Layer.SESSION, layers.session)):
        if policies is not None and not any(one.layer is layer for one in allowances):
            return layer
    return None


def _reach_of_grants(request: Request, layers: Layers) -> Reach:
    caller = request.caller
    operation = request.action.partition(":")[2]
    for grant in layers.grants:
        if operation in grant.operations:
            if grant.grantee == caller.arn:
                return Reach.DIRECT
            if grant.grantee == caller.role_arn and caller.role_arn:
                return Reach.ROLE
    return Reach.NONE


def _layered(layers: Layers) -> Iterator[tuple[Layer, Policy]]:
    for policy in layers.identity:
        yield Layer.IDENTITY, policy
    for policy in layers.boundary or ():
        yield Layer.BOUNDARY, policy
    for policy in layers.session or ():
        yield Layer.SESSION, policy
    for level in layers.organization:
        for policy in level:
            yield Layer.ORGANIZATION, policy
    if layers.resource is not None:
        yield (Layer.TRUST if layers.is_trust else Layer.RESOURCE), layers.resource


def _speaks_to(request: Request, layers: Layers) -> Iterator[tuple[Layer, Policy, Statement]]:
    """Yield the statements that have a say about this caller and this action."""
    caller = request.caller
    for layer, policy in _layered(layers):
        of_resource = layer in (Layer.RESOURCE, Layer.TRUST)
        if caller.kind is Kind.ROOT and not of_resource and layer is not Layer.ORGANIZATION:
            continue
        if caller.kind in (Kind.SERVICE, Kind.FEDERATED, Kind.ANONYMOUS) and not of_resource:
            continue
        for statement in policy.statements:
            if reach(statement, caller) and names_action(statement, request.action):
                yield layer, policy, statement


def _matches(request: Request, layers: Layers) -> Iterator[Match]:
    for layer, policy, statement in _speaks_to(request, layers):
        if not names_resource(statement, request.resource, request.context, policy):
            continue
        if not failed_conditions(statement, request.context, policy):
            yield Match(layer, policy, statement, reach(statement, request.caller))


def _near_misses(request: Request, layers: Layers) -> Iterator[NearMiss]:
    for layer, policy, statement in _speaks_to(request, layers):
        if statement.effect is Effect.DENY:
            continue
        differs = not names_resource(statement, request.resource, request.context, policy)
        failed = failed_conditions(statement, request.context, policy)
        if differs or failed:
            yield NearMiss(layer, policy, statement, differs, failed)


def missing_keys(request: Request, layers: Layers) -> tuple[str, ...]:
    """Give the keys that statements about this action and resource ask for and the request lacks."""
    missing: dict[str, str] = {}
    for _, policy, statement in _speaks_to(request, layers):
        if names_resource(statement, request.resource, request.context, policy) or any(
            "${" in text for text in statement.resources
        ):
            for key in needed_keys(statement, policy):
                if not request.context.get(key):
                    missing.setdefault(key.lower(), key)
    return tuple(missing[key] for key in sorted(missing))


def _limit_allows(
    matches: Sequence[Match], layer: Layer, policies: tuple[Policy, ...] | None
) -> bool | None:
    if policies is None:
        return None
    effects = {one.statement.effect for one in matches if one.layer is layer}
    return effects == {Effect.ALLOW}


def _organization_allows(request: Request, layers: Layers) -> bool | None:
    """Tell whether every level of the organization lets the request through."""
    if not layers.organization:
        return None
    for level in layers.organization:
        effects = {one.statement.effect for one in _matches(request, Layers(organization=(level,)))}
        if effects != {Effect.ALLOW}:
            return False
    return True
