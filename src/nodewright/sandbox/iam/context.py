"""What a request tells the policies about itself: condition keys and their values.

Names of keys do not depend on upper and lower case; values do. A key with several values
(`aws:TagKeys`) holds them all, in the order of the request. A key without a value is absent:
that is how AWS sees an empty list.
"""

from collections.abc import Iterable, Mapping

import msgspec

type Values = str | Iterable[str]


class Context(msgspec.Struct, frozen=True):
    """The condition keys of one request, by their lower-case names."""

    keys: dict[str, tuple[str, ...]] = {}

    def get(self, key: str) -> tuple[str, ...]:
        """Give the values of a key; none where the request does not have it."""
        return self.keys.get(key.lower(), ())

    def single(self, key: str) -> str | None:
        """Give the value of a key that has exactly one."""
        values = self.get(key)
        return values[0] if len(values) == 1 else None

    def joined(self, other: "Context") -> "Context":
        """Give both contexts in one; where both know a key the other's word counts."""
        return Context({**self.keys, **other.keys})


def context(keys: Mapping[str, Values]) -> Context:
    """Build a context out of keys with one value or with several."""
    read: dict[str, tuple[str, ...]] = {}
    for key, values in keys.items():
        several = (values,) if isinstance(values, str) else tuple(values)
        if several:
            read[key.lower()] = several
    return Context(read)


def request_tags(tags: Mapping[str, str]) -> dict[str, Values]:
    """Give the keys that describe the tags a request wants to set."""
    keys: dict[str, Values] = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    keys["aws:TagKeys"] = tuple(tags)
    return keys


def resource_tags(tags: Mapping[str, str], service: str) -> dict[str, Values]:
    """Give the keys that describe the tags on what a request is about."""
    return {
        f"{prefix}:ResourceTag/{key}": value
        for prefix in ("aws", service)
        for key, value in tags.items()
    }
