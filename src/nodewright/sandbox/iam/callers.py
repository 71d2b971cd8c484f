"""Whose policies count: a principal of the stand-in with everything that hangs on it in moto.

A user has its own policies and those of its groups, a role those of the role; a session may carry
policies of its own that limit it. Documents are read once for each text.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import msgspec

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Principal
from nodewright.sandbox.iam.evaluate import Grant, Layers
from nodewright.sandbox.iam.holdings import Holdings
from nodewright.sandbox.iam.parse import MalformedPolicyError, Use, parse_policy
from nodewright.sandbox.iam.policy import Policy
from nodewright.sandbox.iam.principals import Caller, Kind

_TEXTS_MAX: Final = 4096
_KINDS: Final = {"user": Kind.USER, "role": Kind.ROLE, "service": Kind.SERVICE}


class Standing(msgspec.Struct, frozen=True):
    """Who calls, and the policies on their side."""

    caller: Caller
    layers: Layers


def standing_of(account: Account, principal: Principal) -> Standing:
    """Give the caller behind a principal and the policies on its side."""
    kind = _KINDS.get(principal.kind, Kind.ROOT)
    caller = Caller(
        kind=kind,
        arn=principal.arn,
        account=principal.account_id,
        partition=account.partition,
        name=principal.name,
        user_id=principal.user_id,
        tags=dict(principal.tags),
    )
    if kind in (Kind.ROOT, Kind.SERVICE):
        return Standing(caller, Layers())
    sort = "iam:user" if kind is Kind.USER else "iam:role"
    entity = Holdings(account, account.region).find(sort, principal.name)
    if entity is None:
        return Standing(caller, Layers())
    layers = layers_of(account, entity.arn)
    session = tuple(read(text, Use.IDENTITY, "session") for text in principal.policies)
    return Standing(
        msgspec.structs.replace(
            caller,
            role_arn=entity.arn if kind is Kind.ROLE else "",
            tags={**entity.tags, **principal.tags},
        ),
        msgspec.structs.replace(layers, session=session or None),
    )


def layers_of(account: Account, arn: str) -> Layers:
    """Give the policies of a user, group or role by its ARN; raise NoSuchEntity if there is none."""
    backend = account.inside.backend("iam", account.region)
    for shelf, origin in (
        (backend.users, "user"),
        (backend.roles, "role"),
        (backend.groups, "group"),
    ):
        for one in shelf.values():
            if one.arn == arn:
                return Layers(
                    identity=tuple(_policies(backend, one, origin)),
                    boundary=_boundary(backend, one),
                )
    raise AwsError("NoSuchEntity", f"The user or role with ARN {arn} cannot be found.", 404)


def with_resource(account: Account, layers: Layers, action: str, resource: str) -> Layers:
    """Add the policy of the resource that an action is about, where it has one."""
    parts = resource.split(":", 5)
    if len(parts) < 6:
        return layers
    service, region, owner, name = parts[2], parts[3] or account.region, parts[4], parts[5]
    found = msgspec.structs.replace(layers, resource_account=owner if owner.isdecimal() else "")
    if service == "sqs":
        queue = account.inside.backend("sqs", region).queues.get(name)
        return _add(found, queue.policy if queue else None, Use.RESOURCE, resource)
    if service == "kms":
        key = account.inside.backend("kms", region).keys.get(name.rpartition("/")[2])
        if key is None:
            return found
        grants = tuple(
            Grant(one.grantee_principal, tuple(one.operations), one.name or one.id)
            for one in key.grants.values()
        )
        opened = msgspec.structs.replace(found, grants=grants, resource_decides=True)
        return _add(opened, key.policy, Use.RESOURCE, resource)
    if service == "iam" and action.startswith("sts:"):
        role = trust_of(account, resource)
        decided = msgspec.structs.replace(found, resource_decides=True, is_trust=True)
        return msgspec.structs.replace(decided, resource=role)
    return found


def trust_of(account: Account, role_arn: str) -> Policy | None:
    """Give the trust document of a role, or None if there is no such role."""
    for role in account.inside.backend("iam", account.region).roles.values():
        if role.arn == role_arn:
            return read(str(role.assume_role_policy_document), Use.TRUST, role_arn, "role")
    return None


@lru_cache(maxsize=_TEXTS_MAX)
def read(text: str, use: Use, name: str, origin: str = "none") -> Policy:
    """Read a document that is in force; one that AWS would never have taken is an error of its own."""
    try:
        return parse_policy(text, use, name, origin)
    except MalformedPolicyError as error:
        raise AwsError(error.code, f"{name}: {error}") from error


def _add(layers: Layers, text: Any, use: Use, name: str) -> Layers:
    if not text:
        return layers
    return msgspec.structs.replace(layers, resource=read(str(text), use, name, "resource"))


def _policies(backend: Any, entity: Any, origin: str) -> Iterator[Policy]:
    for name, text in entity.policies.items():
        yield read(str(text), Use.IDENTITY, f"{origin}_{entity.name}_{name}", origin)
    for managed in entity.managed_policies.values():
        yield _managed(managed)
    if origin == "user":
        for group in backend.groups.values():
            if entity in group.users:
                yield from _policies(backend, group, "group")


def _managed(managed: Any) -> Policy:
    text = next(
        one.document for one in managed.versions if one.version_id == managed.default_version_id
    )
    origin = "aws-managed" if ":iam::aws:" in managed.arn else "user-managed"
    return read(str(text), Use.IDENTITY, str(managed.arn), origin)


def _boundary(backend: Any, entity: Any) -> tuple[Policy, ...] | None:
    arn = getattr(entity, "permissions_boundary_arn", None)
    if not arn:
        return None
    managed = backend.managed_policies.get(arn)
    # A boundary that was deleted lets nothing through.
    return (_managed(managed),) if managed else ()
