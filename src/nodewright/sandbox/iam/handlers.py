"""Calls that IAM's evaluator answers itself: simulation, decoding, and the taking in of documents.

moto takes documents that AWS refuses, so those that write one are checked here first, for their
grammar and for IAM's limits on size (white space does not count).
"""

from collections.abc import Mapping
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.registry import handles
from nodewright.sandbox.iam.callers import layers_of
from nodewright.sandbox.iam.evaluate import Layers
from nodewright.sandbox.iam.holdings import Holdings
from nodewright.sandbox.iam.parse import MalformedPolicyError, Use, parse_policy
from nodewright.sandbox.iam.principals import Caller, Kind
from nodewright.sandbox.iam.refusals import decode
from nodewright.sandbox.iam.simulate import context_keys, read_question, simulate

MANAGED_SIZE_MAX: Final = 6_144
TRUST_SIZE_MAX: Final = 2_048
# The inline policies of one entity together, by the kind of entity.
INLINE_SIZE_MAX: Final = {"Role": 10_240, "User": 2_048, "Group": 5_120}


@handles("iam", "SimulatePrincipalPolicy")
def simulate_principal(account: Account, call: Call) -> dict[str, Any]:
    """Answer what the policies of a user, group or role would decide."""
    source = str(call.params["PolicySourceArn"])
    layers = layers_of(account, source)
    caller = _caller(account, str(call.params.get("CallerArn") or source))
    return _simulated(call.params, caller, layers)


@handles("iam", "SimulateCustomPolicy")
def simulate_custom(account: Account, call: Call) -> dict[str, Any]:
    """Answer what the policies in the question would decide."""
    caller = _caller(account, str(call.params.get("CallerArn") or ""))
    return _simulated(call.params, caller, Layers())


@handles("iam", "GetContextKeysForPrincipalPolicy", "GetContextKeysForCustomPolicy")
def list_context_keys(account: Account, call: Call) -> dict[str, Any]:
    """Answer which condition keys some policies ask for."""
    source = call.params.get("PolicySourceArn")
    own = layers_of(account, str(source)).identity if source else ()
    try:
        given = [
            parse_policy(text, Use.IDENTITY) for text in call.params.get("PolicyInputList", ())
        ]
    except MalformedPolicyError as error:
        raise AwsError("InvalidInput", str(error)) from error
    return {"ContextKeyNames": context_keys([*own, *given])}


@handles("sts", "DecodeAuthorizationMessage")
def decode_message(account: Account, call: Call) -> dict[str, Any]:
    """Unpack the encoded message of a refusal."""
    del account
    text = decode(str(call.params["EncodedMessage"]))
    if text is None:
        raise AwsError("InvalidAuthorizationMessageException", "Message is not valid")
    return {"DecodedMessage": text}


@handles("iam", "CreatePolicy", "CreatePolicyVersion")
def take_managed(account: Account, call: Call) -> dict[str, Any]:
    """Take in a managed policy."""
    text = str(call.params["PolicyDocument"])
    _check(text, Use.IDENTITY)
    if _size(text) > MANAGED_SIZE_MAX:
        raise AwsError(
            "LimitExceeded", f"Cannot exceed quota for PolicySize: {MANAGED_SIZE_MAX}", 409
        )
    return account.inside.ask(call.region, "iam", call.operation, call.params)


@handles("iam", "PutRolePolicy", "PutUserPolicy", "PutGroupPolicy")
def take_inline(account: Account, call: Call) -> dict[str, Any]:
    """Take in an inline policy."""
    text = str(call.params["PolicyDocument"])
    _check(text, Use.IDENTITY)
    kind = call.operation.removeprefix("Put").removesuffix("Policy")
    owner = str(call.params[f"{kind}Name"])
    others = _inline(account, kind, owner)
    others.pop(str(call.params["PolicyName"]), None)
    limit = INLINE_SIZE_MAX[kind]
    if _size(text) + sum(_size(one) for one in others.values()) > limit:
        raise AwsError(
            "LimitExceeded",
            f"Maximum policy size of {limit} bytes exceeded for {kind.lower()} {owner}",
            409,
        )
    return account.inside.ask(call.region, "iam", call.operation, call.params)


@handles("iam", "CreateRole", "UpdateAssumeRolePolicy")
def take_trust(account: Account, call: Call) -> dict[str, Any]:
    """Take in a trust document, with its role or for one that exists."""
    text = str(call.params.get("AssumeRolePolicyDocument") or call.params.get("PolicyDocument"))
    _check(text, Use.TRUST)
    if _size(text) > TRUST_SIZE_MAX:
        raise AwsError(
            "LimitExceeded", f"Cannot exceed quota for ACLSizePerRole: {TRUST_SIZE_MAX}", 409
        )
    return account.inside.ask(call.region, "iam", call.operation, call.params)


@handles("iam", "PutUserPermissionsBoundary", "DeleteUserPermissionsBoundary")
def limit_user(account: Account, call: Call) -> dict[str, Any]:
    """Set or take away the boundary of a user, which moto does for roles only."""
    backend = account.inside.backend("iam", account.region)
    user = backend.users.get(str(call.params["UserName"]))
    arn = str(call.params.get("PermissionsBoundary") or "")
    if user is None or (arn and arn not in backend.managed_policies):
        missing = arn if user else f"The user with name {call.params['UserName']}"
        raise AwsError("NoSuchEntity", f"{missing} cannot be found.", 404)
    user.permissions_boundary_arn = arn or None
    return {}


def _check(text: str, use: Use) -> None:
    try:
        parse_policy(text, use)
    except MalformedPolicyError as error:
        raise AwsError(error.code, str(error)) from error


def _size(text: str) -> int:
    return sum(not char.isspace() for char in text)


def _inline(account: Account, kind: str, owner: str) -> dict[str, str]:
    backend = account.inside.backend("iam", account.region)
    shelf = {"Role": backend.roles, "User": backend.users, "Group": backend.groups}[kind]
    for one in shelf.values():
        if one.name == owner:
            return dict(one.policies)
    return {}


def _simulated(params: Mapping[str, Any], caller: Caller, layers: Layers) -> dict[str, Any]:
    for action in params.get("ActionNames") or ():
        if ":" not in action:
            raise AwsError("InvalidInput", f"Invalid action name: {action}")
    try:
        return simulate(read_question(params, caller, layers), params)
    except MalformedPolicyError as error:
        raise AwsError("InvalidInput", str(error)) from error


def _caller(account: Account, arn: str) -> Caller:
    """Give the caller that a simulation is about: a user, or a role as if in a session."""
    parts = arn.split(":", 5)
    owner = parts[4] if len(parts) == 6 else account.account_id
    kind, _, path = parts[-1].partition("/")
    name = path.rsplit("/", 1)[-1]
    holdings = Holdings(account, account.region)
    if kind == "role":
        found = holdings.find("iam:role", arn)
        return Caller(
            Kind.ROLE, arn, owner, account.partition, name, role_arn=arn,
            tags=found.tags if found else {},
        )  # fmt: skip
    found = holdings.find("iam:user", arn)
    tags = found.tags if found else {}
    return Caller(Kind.USER, arn, owner, account.partition, name, tags=tags)
