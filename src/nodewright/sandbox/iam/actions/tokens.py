"""STS: the taking on of roles. The role's trust document has its say besides the caller's policies."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nodewright.sandbox.iam.actions.needs import (
    Ask,
    Lookup,
    Need,
    Rule,
    look,
    need,
    read_tags,
    tag_keys,
)
from nodewright.sandbox.iam.context import Values


def assume_role(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    """Yield what it needs to take on a role, and to bring tags into the session."""
    role = look(ask, lookup, "iam:role", str(ask.params.get("RoleArn") or "*"))
    keys = session_keys(ask.params)
    yield need(ask, f"sts:{ask.operation}", thing=role, keys=keys)
    if ask.params.get("Tags") or ask.params.get("TransitiveTagKeys"):
        yield need(ask, "sts:TagSession", thing=role, keys=keys)


def session_keys(params: Mapping[str, Any]) -> dict[str, Values]:
    """Give the condition keys of a wish for a session."""
    keys: dict[str, Values] = dict(tag_keys(read_tags(params.get("Tags"))))
    for name, key in (
        ("ExternalId", "sts:ExternalId"),
        ("RoleSessionName", "sts:RoleSessionName"),
        ("SourceIdentity", "sts:SourceIdentity"),
    ):
        if params.get(name):
            keys[key] = str(params[name])
    if params.get("TransitiveTagKeys"):
        keys["sts:TransitiveTagKeys"] = tuple(params["TransitiveTagKeys"])
    return keys


RULES: Final[dict[str, Rule]] = {"sts.AssumeRole": assume_role}
