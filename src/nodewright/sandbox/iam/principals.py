"""Who makes a request, and whether a statement is about them.

A caller is several names at once: the session of a role is also the role and the account. How
directly a statement names the caller decides what else must allow the request, so a match is a
`Reach`: only the account (which then has to allow it by its own policies), the role, or the very
user or session.
"""

from enum import IntEnum, StrEnum

import msgspec

from nodewright.sandbox.iam.context import Context, Values, context
from nodewright.sandbox.iam.policy import Effect, PrincipalSet, Statement


class Kind(StrEnum):
    """What sort of caller it is."""

    ROOT = "Account"
    USER = "User"
    ROLE = "AssumedRole"
    SERVICE = "Service"
    FEDERATED = "FederatedUser"
    ANONYMOUS = "Anonymous"


class Reach(IntEnum):
    """How directly a statement names a caller."""

    NONE = 0
    ACCOUNT = 1
    ROLE = 2
    DIRECT = 3


class Caller(msgspec.Struct, frozen=True):
    """One principal: for a role the ARN is that of the session and `role_arn` that of the role.

    A service is named by `arn` (`events.amazonaws.com`), a web identity by the ARN of its provider.
    """

    kind: Kind
    arn: str
    account: str = ""
    partition: str = "aws"
    name: str = ""
    role_arn: str = ""
    user_id: str = ""
    tags: dict[str, str] = {}

    @property
    def account_arn(self) -> str:
        """The ARN that stands for the whole account."""
        return f"arn:{self.partition}:iam::{self.account}:root"

    @property
    def policy_arn(self) -> str:
        """The ARN that policies see as aws:PrincipalArn: that of the role, not of its session."""
        return self.role_arn or self.arn


def reach(statement: Statement, caller: Caller) -> Reach:
    """Tell how directly a statement of a resource policy names a caller."""
    named = statement.principals
    if named is None:
        return Reach.DIRECT
    if not statement.other_principals:
        return _reach(named, caller)
    if all(_names(named, one) for one in _identities(caller)):
        return Reach.NONE
    # Whoever is not excepted by every one of his names is meant: for a refusal that is plain, an
    # allowance through NotPrincipal reaches anybody, as AWS warns.
    return Reach.DIRECT if statement.effect is Effect.DENY else _anyone(caller)


def principal_context(caller: Caller) -> Context:
    """Give the condition keys that describe a caller."""
    keys: dict[str, Values] = {
        "aws:PrincipalType": caller.kind.value,
        "aws:PrincipalIsAWSService": "true" if caller.kind is Kind.SERVICE else "false",
    }
    if caller.kind is Kind.SERVICE:
        keys["aws:PrincipalServiceName"] = caller.arn
        keys["aws:PrincipalServiceNamesList"] = (caller.arn,)
    elif caller.account:
        keys["aws:PrincipalArn"] = caller.policy_arn
        keys["aws:PrincipalAccount"] = caller.account
    if caller.kind is Kind.USER:
        keys["aws:username"] = caller.name
    if caller.user_id:
        keys["aws:userid"] = caller.user_id
    for key, value in caller.tags.items():
        keys[f"aws:PrincipalTag/{key}"] = value
    return context(keys)


def _reach(named: PrincipalSet, caller: Caller) -> Reach:
    if caller.kind is Kind.SERVICE:
        listed = named.anyone or caller.arn in named.service or "*" in named.service
        return Reach.DIRECT if listed else Reach.NONE
    if caller.kind is Kind.FEDERATED:
        listed = caller.arn in named.federated or "*" in named.federated
        return Reach.DIRECT if listed else Reach.NONE
    if caller.kind is Kind.ANONYMOUS:
        return Reach.DIRECT if named.anyone else Reach.NONE
    if caller.arn in named.aws or (caller.user_id and caller.user_id in named.aws):
        return Reach.DIRECT
    if caller.kind is Kind.ROOT and _names(named, caller.account_arn):
        return Reach.DIRECT
    if _names_role(named, caller):
        return Reach.ROLE
    if named.anyone:
        return _anyone(caller)
    return Reach.ACCOUNT if _names(named, caller.account_arn) else Reach.NONE


def _anyone(caller: Caller) -> Reach:
    """Tell the reach of naming everybody: a session is meant by its role, so its boundary counts."""
    return Reach.ROLE if caller.kind is Kind.ROLE else Reach.DIRECT


def _names_role(named: PrincipalSet, caller: Caller) -> bool:
    if caller.kind is not Kind.ROLE:
        return False
    role_id = caller.user_id.partition(":")[0]
    return caller.role_arn in named.aws or (role_id != "" and role_id in named.aws)


def _identities(caller: Caller) -> list[str]:
    names = [caller.arn]
    if caller.kind is Kind.ROLE:
        names.append(caller.role_arn)
    if caller.account:
        names.append(caller.account_arn)
    return names


def _names(named: PrincipalSet, name: str) -> bool:
    if named.anyone or name in (*named.aws, *named.service, *named.federated):
        return True
    # An account may be written as its twelve digits.
    return name.endswith(":root") and name.split(":")[4] in named.aws
