"""Parameters, keys, zonal shifts and objects of S3: small services of which a few calls are made."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.sandbox.iam.actions.needs import (
    Ask,
    Lookup,
    Need,
    Rule,
    arn_of,
    look,
    need,
    new,
    read_tags,
    tag_keys,
    values,
)
from nodewright.sandbox.iam.context import Values


def _parameter(ask: Ask, _: Lookup) -> Iterator[Need]:
    for name in values(ask.params, "Name", "Names", "Path"):
        yield need(ask, f"ssm:{ask.operation}", _parameter_arn(ask, name))


def _parameter_arn(ask: Ask, name: str) -> str:
    if name.startswith("arn:"):
        return name
    arn = arn_of(ask, "ssm:parameter", name.lstrip("/"))
    # AWS's public parameters belong to no account.
    return arn.replace(f":{ask.account}:", "::") if name.startswith("/aws/service/") else arn


def _key(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    for name in values(ask.params, "KeyId", "TargetKeyId"):
        key = look(ask, lookup, "kms:key", name)
        yield need(ask, f"kms:{ask.operation}", thing=key, keys=_grant_keys(ask.params))


def _grant_keys(params: Any) -> dict[str, Values]:
    keys: dict[str, Values] = {}
    if params.get("GranteePrincipal"):
        keys["kms:GranteePrincipal"] = str(params["GranteePrincipal"])
    if params.get("Operations"):
        keys["kms:GrantOperations"] = tuple(params["Operations"])
    for name, value in (params.get("EncryptionContext") or {}).items():
        keys[f"kms:EncryptionContext:{name}"] = str(value)
    return keys


def _new_key(ask: Ask, _: Lookup) -> Iterator[Need]:
    tags = read_tags(ask.params.get("Tags"))
    yield need(ask, "kms:CreateKey", new(ask, "kms:key").arn, tag_keys(tags))


def _managed_resource(ask: Ask, _: Lookup) -> Iterator[Need]:
    name = str(ask.params.get("resourceIdentifier") or "*")
    keys = {"arc-zonal-shift:ResourceIdentifier": name}
    yield need(ask, f"arc-zonal-shift:{ask.operation}", name, keys)


def _object(ask: Ask, _: Lookup) -> Iterator[Need]:
    bucket, key = ask.params.get("Bucket"), ask.params.get("Key")
    yield need(ask, f"s3:{ask.operation}", f"arn:{ask.partition}:s3:::{bucket}/{key}")


RULES: Final[dict[str, Rule]] = {
    "ssm.GetParameter": _parameter,
    "ssm.GetParameters": _parameter,
    "ssm.GetParametersByPath": _parameter,
    "ssm.PutParameter": _parameter,
    "ssm.DeleteParameter": _parameter,
    "kms.CreateKey": _new_key,
    **{
        f"kms.{operation}": _key
        for operation in (
            "DescribeKey", "GetKeyPolicy", "PutKeyPolicy", "CreateGrant", "ListGrants",
            "RevokeGrant", "RetireGrant", "Encrypt", "Decrypt", "GenerateDataKey",
            "GenerateDataKeyWithoutPlaintext", "EnableKey", "DisableKey", "ScheduleKeyDeletion",
            "TagResource", "ListResourceTags",
        )
    },
    "arc-zonal-shift.GetManagedResource": _managed_resource,
    **{f"s3.{operation}": _object for operation in ("PutObject", "GetObject", "DeleteObject")},
}  # fmt: skip
