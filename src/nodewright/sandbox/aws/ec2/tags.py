"""Tags of EC2's resources: all of them in moto's one store, whoever owns the resource."""

from collections.abc import Mapping, Sequence
from typing import Any

from nodewright.sandbox.aws.account import Account


def tags_of(account: Account, region: str, resource_id: str) -> dict[str, str]:
    """Give the tags of a resource."""
    store: Mapping[str, dict[str, str]] = account.inside.backend("ec2", region).tags
    return dict(store.get(resource_id, {}))


def tag_set(account: Account, region: str, resource_id: str) -> list[dict[str, str]]:
    """Give the tags of a resource as EC2 lists them."""
    found = tags_of(account, region, resource_id)
    return [{"Key": key, "Value": value} for key, value in sorted(found.items())]


def put_tags(account: Account, region: str, resource_id: str, tags: Mapping[str, str]) -> None:
    """Set tags on a resource."""
    if tags:
        account.inside.backend("ec2", region).tags[resource_id].update(tags)


def drop_tags(account: Account, region: str, resource_id: str) -> None:
    """Forget a resource's tags."""
    account.inside.backend("ec2", region).tags.pop(resource_id, None)


def read_specifications(specs: Sequence[Mapping[str, Any]] | None) -> dict[str, dict[str, str]]:
    """Read TagSpecifications into tags by resource type."""
    found: dict[str, dict[str, str]] = {}
    for spec in specs or ():
        tags = {str(tag["Key"]): str(tag.get("Value", "")) for tag in spec.get("Tags", ())}
        found.setdefault(str(spec["ResourceType"]), {}).update(tags)
    return found
