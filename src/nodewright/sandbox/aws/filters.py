"""EC2's filters: names with lists of patterns, where values are ORed and filters ANDed.

A pattern may hold `*` and `?`; a backslash takes their meaning away. What a filter looks at is given
by a table from its name to a function of the described thing; tags are known to all.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from nodewright.sandbox.aws.call import AwsError

FILTER_VALUES_MAX: Final = 200

type Described = Mapping[str, Any]
type Look = Callable[[Described], Iterable[str]]


def select[T: Described](
    things: Iterable[T], filters: Sequence[Described] | None, looks: Mapping[str, Look]
) -> list[T]:
    """Give the things that pass all filters, in their order."""
    asked = filters or ()
    if sum(len(one.get("Values") or ()) for one in asked) > FILTER_VALUES_MAX:
        raise AwsError(
            "FilterLimitExceeded",
            f"The maximum number of filter values specified on a single call is {FILTER_VALUES_MAX}",
        )
    tests = [(_look(str(one["Name"]), looks), one.get("Values") or ()) for one in asked]
    return [
        thing
        for thing in things
        if all(any(_fits(v, patterns) for v in look(thing)) for look, patterns in tests)
    ]


def path(*names: str) -> Look:
    """Look at one value at the end of a path of names, if it is there."""

    def look(thing: Described) -> Iterable[str]:
        found: Any = thing
        for name in names:
            found = found.get(name) if isinstance(found, Mapping) else None
        return () if found is None else (_word(found),)

    return look


def each(name: str, key: str) -> Look:
    """Look at one value of each entry of a list."""
    return lambda thing: [_word(one[key]) for one in thing.get(name, ()) if key in one]


def _look(name: str, looks: Mapping[str, Look]) -> Look:
    if name.startswith("tag:"):
        key = name.removeprefix("tag:")
        return lambda thing: [t["Value"] for t in thing.get("Tags", ()) if t["Key"] == key]
    if name == "tag-key":
        return lambda thing: [tag["Key"] for tag in thing.get("Tags", ())]
    if name not in looks:
        raise AwsError("InvalidParameterValue", f"The filter '{name}' is invalid")
    return looks[name]


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fits(value: str, patterns: Sequence[str]) -> bool:
    return any(value == one or _pattern(one).fullmatch(value) for one in patterns)


@lru_cache(maxsize=1024)
def _pattern(text: str) -> re.Pattern[str]:
    parts = re.split(r"(\\.|[*?])", text)
    wild = {"*": ".*", "?": "."}
    return re.compile(
        "".join(wild.get(one, re.escape(one.removeprefix("\\"))) for one in parts),
        re.DOTALL,
    )
