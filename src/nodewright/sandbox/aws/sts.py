"""STS: who one is, and becoming a role by trust, by a service account's token or as a pod.

Whether a role trusts the caller is asked of the account's `trust` hook. A web-identity token is read,
not verified: its issuer must be an OIDC provider of the account and it must not have expired.
"""

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call, Principal
from nodewright.sandbox.aws.credentials import Session, open_session
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.registry import handles

_HOUR_S: Final = 3_600


@handles("sts", "GetCallerIdentity")
def get_identity(account: Account, call: Call) -> dict[str, Any]:
    """Tell the caller who it is."""
    del account
    who = call.principal
    return {"UserId": who.user_id, "Account": who.account_id, "Arn": who.arn}


@handles("sts", "AssumeRole")
def assume_role(account: Account, call: Call) -> dict[str, Any]:
    """Become a role that trusts the caller."""
    params = call.params
    tags = {str(one["Key"]): str(one["Value"]) for one in params.get("Tags") or ()}
    role = find_role(account, str(params["RoleArn"]))
    if role is None or not _trusts(account, role, call.principal.arn, "sts:AssumeRole", {}):
        raise AwsError(
            "AccessDenied",
            f"User: {call.principal.arn} is not authorized to perform: sts:AssumeRole on resource: "
            f"{params['RoleArn']}",
            403,
        )
    session = _open(account, role, str(params["RoleSessionName"]), params, tags)
    return {"Credentials": _credentials(session), "AssumedRoleUser": _assumed(session)}


@handles("sts", "AssumeRoleWithWebIdentity")
def assume_with_token(account: Account, call: Call) -> dict[str, Any]:
    """Become a role that trusts an OIDC provider's token, as a pod with IRSA does."""
    params = call.params
    claims = read_token(str(params["WebIdentityToken"]))
    if int(claims.get("exp", 2**53)) * 1000 < account.clock.now_ms():
        raise AwsError(
            "ExpiredTokenException", "Token expired: current date/time is past the expiration date"
        )
    issuer = str(claims.get("iss", "")).removeprefix("https://")
    providers = account.inside.backend("iam", account.region).open_id_providers
    arn = f"arn:{account.partition}:iam::{account.account_id}:oidc-provider/{issuer}"
    if arn not in providers:
        raise AwsError(
            "InvalidIdentityToken",
            f"No OpenIDConnect provider found in your account for https://{issuer}",
        )
    audience = claims.get("aud", "")
    audiences = audience if isinstance(audience, list) else [audience]
    context = {f"{issuer}:aud": str(audiences[0]), f"{issuer}:sub": str(claims.get("sub", ""))}
    role = find_role(account, str(params["RoleArn"]))
    if role is None or not _trusts(account, role, arn, "sts:AssumeRoleWithWebIdentity", context):
        raise AwsError(
            "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity", 403
        )
    session = _open(account, role, str(params["RoleSessionName"]), params, {})
    return {
        "Credentials": _credentials(session),
        "SubjectFromWebIdentityToken": str(claims.get("sub", "")),
        "AssumedRoleUser": _assumed(session),
        "Provider": arn,
        "Audience": str(audiences[0]),
    }


def become(account: Account, role_arn: str, session_name: str, tags: dict[str, str]) -> Session:
    """Open a session of a role for one of AWS's services that has already checked the trust."""
    role = find_role(account, role_arn)
    if role is None:
        raise AwsError("ResourceNotFoundException", f"Role {role_arn} was not found.", 404)
    return _open(account, role, session_name, {}, tags)


def service_trusts(
    account: Account, role_arn: str, service: str, action: str, tags: dict[str, str]
) -> bool:
    """Tell whether a role lets a service become it in a session with these tags."""
    role = find_role(account, role_arn)
    keys = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    keys["aws:SourceAccount"] = account.account_id
    return role is not None and _trusts(account, role, service, action, keys)


def find_role(account: Account, arn: str) -> Any:
    """Find a role by its ARN."""
    roles = account.inside.backend("iam", account.region).roles.values()
    return next((one for one in roles if one.arn == arn), None)


def read_token(token: str) -> dict[str, Any]:
    """Read the claims of a JSON web token."""
    try:
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError, binascii.Error) as error:
        raise AwsError(
            "InvalidIdentityToken", "The web identity token that was passed is not valid"
        ) from error
    return dict(claims)


def _trusts(
    account: Account, role: Any, principal: str, action: str, context: dict[str, str]
) -> bool:
    if account.trust is None:
        return True
    return account.trust(account, str(role.arn), principal, action, context)


def _open(
    account: Account, role: Any, name: str, params: dict[str, Any], tags: dict[str, str]
) -> Session:
    arn = f"arn:{account.partition}:sts::{account.account_id}:assumed-role/{role.name}/{name}"
    who = Principal(
        kind="role",
        arn=arn,
        account_id=account.account_id,
        name=str(role.name),
        session=name,
        user_id=f"{role.id}:{name}",
        tags=tags,
        policies=tuple(_limits(account, params)),
    )
    return open_session(account, who, int(params.get("DurationSeconds") or _HOUR_S))


def _limits(account: Account, params: dict[str, Any]) -> Iterator[str]:
    """Yield the documents that a session is limited by."""
    if params.get("Policy"):
        yield str(params["Policy"])
    known = account.inside.backend("iam", account.region).managed_policies
    for one in params.get("PolicyArns") or ():
        managed = known.get(str(one["arn"]))
        if managed is None:
            raise AwsError("MalformedPolicyDocument", f"The policy {one['arn']} does not exist.")
        yield next(
            str(version.document)
            for version in managed.versions
            if version.version_id == managed.default_version_id
        )


def _credentials(session: Session) -> dict[str, Any]:
    return {
        "AccessKeyId": session.access_key,
        "SecretAccessKey": session.secret,
        "SessionToken": session.token,
        "Expiration": moment(session.expires_ms),
    }


def _assumed(session: Session) -> dict[str, str]:
    return {"AssumedRoleId": session.principal.user_id, "Arn": session.principal.arn}
