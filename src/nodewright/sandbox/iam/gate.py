"""The gate in front of the stand-in: every call is weighed before it is answered.

`guard` puts it there. Calls of the root and of the stand-in's own parts do not come here. What EC2
looks at only when a fleet starts its machines does not stop the call: the refusal is kept for the
launch, which reports it among the fleet's errors.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call, Principal
from nodewright.sandbox.aws.ec2.checks import refused_launches
from nodewright.sandbox.aws.moment import text
from nodewright.sandbox.iam.actions import needs_of
from nodewright.sandbox.iam.actions.needs import Ask, Need
from nodewright.sandbox.iam.callers import Standing, standing_of, with_resource
from nodewright.sandbox.iam.context import Context, context
from nodewright.sandbox.iam.evaluate import Layers, Request, Verdict, evaluate
from nodewright.sandbox.iam.holdings import Holdings
from nodewright.sandbox.iam.policy import Policy, needed_keys
from nodewright.sandbox.iam.principals import Caller, Kind
from nodewright.sandbox.iam.refusals import refuse

_REFUSED_MAX: Final = 1000


def guard(account: Account) -> None:
    """Put the gate in front of an account."""
    account.authorize = authorize
    account.may = may
    account.trust = trust


def authorize(account: Account, call: Call) -> None:
    """Raise the error with which AWS would refuse a call, if it would."""
    ask = Ask(
        service=call.service,
        operation=call.operation,
        params=call.params,
        region=call.region,
        account=account.account_id,
        partition=account.partition,
    )
    refused = _first_refusal(account, call, needs_of(ask, Holdings(account, call.region)))
    if refused is None:
        return
    need, verdict = refused
    refusal = refuse(call.service, verdict)
    error = AwsError(refusal.code, refusal.message, refusal.status)
    if not need.at_launch:
        raise error
    kept = refused_launches(account)
    if len(kept) >= _REFUSED_MAX:
        kept.pop(next(iter(kept)))
    kept[call.request_id] = error


def may(
    account: Account, principal: Principal, action: str, resource: str, keys: Mapping[str, str]
) -> bool:
    """Tell whether a principal may do an action on a resource, given condition keys."""
    standing = standing_of(account, principal)
    layers = with_resource(account, standing.layers, action, resource)
    known = _surroundings(account, account.clock.now_ms(), resource).joined(context(keys))
    return evaluate(Request(standing.caller, action, resource, known), layers).allowed


def trust(
    account: Account, role: str, principal: str, action: str, keys: Mapping[str, str]
) -> bool:
    """Tell whether a role's trust document lets a service, a web identity or the root become it."""
    parts = principal.split(":", 5)
    owner = parts[4] if len(parts) == 6 else ""
    if principal.endswith((".amazonaws.com", ".amazonaws.com.cn")):
        caller = Caller(Kind.SERVICE, principal, partition=account.partition)
    elif ":oidc-provider/" in principal:
        caller = Caller(Kind.FEDERATED, principal, owner, account.partition)
    elif principal.endswith(":root"):
        caller = Caller(Kind.ROOT, principal, owner, account.partition)
    else:
        # A user's or a session's call was weighed, trust included, before it was answered.
        return True
    layers = with_resource(account, Layers(), action, role)
    known = _surroundings(account, account.clock.now_ms(), role).joined(context(keys))
    return evaluate(Request(caller, action, role, known), layers).allowed


def _first_refusal(
    account: Account, call: Call, needs: tuple[Need, ...]
) -> tuple[Need, Verdict] | None:
    standing = standing_of(account, call.principal)
    asked = _asked_keys(_all_policies(standing.layers))
    known: dict[object, bool] = {}
    for need in needs:
        layers = with_resource(account, standing.layers, need.action, need.resource)
        of_resource = (layers.resource,) if layers.resource is not None else ()
        told = _told(need, asked | _asked_keys(of_resource) if of_resource else asked)
        same = (need.action, need.resource, told)
        if known.get(same):
            continue
        verdict = _weigh(account, call, standing, need, layers)
        known[same] = verdict.allowed or (not need.thing_exists and _is_forgiven(verdict))
        if not known[same]:
            return need, verdict
    return None


def _weigh(account: Account, call: Call, standing: Standing, need: Need, layers: Layers) -> Verdict:
    around = _surroundings(account, call.at_ms, need.resource)
    around = around.joined(context({"aws:SourceIp": call.source_ip})).joined(need.context)
    return evaluate(Request(standing.caller, need.action, need.resource, around), layers)


def _told(need: Need, asked: frozenset[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Give the part of a request that policies look at: two that agree in it fare alike."""
    return tuple((key, values) for key, values in need.keys if key in asked)


def _asked_keys(policies: Iterable[Policy]) -> frozenset[str]:
    return frozenset(
        key.lower()
        for policy in policies
        for statement in policy.statements
        for key in needed_keys(statement, policy)
    )


def _all_policies(layers: Layers) -> Iterator[Policy]:
    yield from layers.identity
    yield from layers.boundary or ()
    yield from layers.session or ()


def _is_forgiven(verdict: Verdict) -> bool:
    """Tell whether a thing that is not there was refused only for the tags that it cannot have."""
    return any(
        not near.resource_differs
        and near.failed
        and all("resourcetag/" in one.key.lower() for one in near.failed)
        for near in verdict.near
    )


def _surroundings(account: Account, now_ms: int, resource: str) -> Context:
    """Give the keys that AWS adds to every request. The stand-in plays an endpoint with TLS."""
    parts = resource.split(":", 5)
    owner = parts[4] if len(parts) > 4 and parts[4].isdecimal() else account.account_id
    return context(
        {
            "aws:CurrentTime": text(now_ms),
            "aws:EpochTime": str(now_ms // 1000),
            "aws:SecureTransport": "true",
            "aws:ViaAWSService": "false",
            "aws:ResourceAccount": owner,
        }
    )
