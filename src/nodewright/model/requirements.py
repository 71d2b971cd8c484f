"""Label algebra: what a set of labels may be, and whether two such sets can meet.

A requirement on one key is a set of values: listed (`In`), or everything but some (`NotIn`,
`Exists`, and the bounds `Gt`, `Lt`, `Gte`, `Lte`, kept as inclusive whole numbers). The empty listed
set means that the label must not be there (`DoesNotExist`). Several requirements on one key
intersect, in any order. Where two sets do not meet, the answer is a `Clash` that names the key and
both sides, because "incompatible" alone helps nobody.
"""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from functools import lru_cache
from typing import Final, Self, overload

import msgspec

from nodewright.model.labels import normalize_key
from nodewright.model.metadata import NodeSelectorRequirement

NUMBER_MAX: Final = 2**63 - 1
NUMBER_MIN: Final = -(2**63)
_DIGITS_MAX: Final = 19
_SHOWN_MAX: Final = 5
_NOBODY: Final[frozenset[str]] = frozenset()


class Requirement(msgspec.Struct, frozen=True, cache_hash=True):
    """The values that one label may have."""

    key: str
    complement: bool = False
    values: frozenset[str] = _NOBODY
    low: int | None = None
    high: int | None = None
    min_values: int | None = None
    exists: bool = False
    """Beside excluded values only: the label must be there, which `NotIn` alone does not ask."""

    @property
    def operator(self) -> str:
        """The operator that describes the set best (bounds count as `Exists` or `NotIn`)."""
        if self.complement:
            return "NotIn" if self.values else "Exists"
        return "In" if self.values else "DoesNotExist"

    @property
    def is_negative(self) -> bool:
        """Whether a missing label satisfies it: `NotIn` and `DoesNotExist`."""
        if self.complement:
            bounded = self.low is not None or self.high is not None
            return bool(self.values) and not bounded and not self.exists
        return not self.values

    def has(self, value: str) -> bool:
        """Tell whether the label may have this value."""
        if (value in self.values) is self.complement:
            return False
        return self._within(value)

    def _within(self, value: str) -> bool:
        if self.low is None and self.high is None:
            return True
        number = _number(value)
        if number is None:
            return False
        return (self.low is None or number >= self.low) and (
            self.high is None or number <= self.high
        )

    def intersect(self, other: "Requirement") -> "Requirement":
        """Give the values that both allow, keeping the larger `minValues`."""
        min_values = _larger(self.min_values, other.min_values)
        low = _larger(self.low, other.low)
        high = _smaller(self.high, other.high)
        if low is not None and high is not None and low > high:
            return Requirement(self.key, min_values=min_values)
        if self.complement and other.complement:
            values = self.values | other.values
            if low is not None or high is not None:
                values = _bounded(values, low, high)
            exists = bool(values) and not (self.is_negative and other.is_negative)
            return Requirement(self.key, True, values, low, high, min_values, exists)
        if self.complement:
            values = other.values - self.values
        elif other.complement:
            values = self.values - other.values
        else:
            values = self.values & other.values
        if low is not None or high is not None:
            values = _bounded(values, low, high)
        return Requirement(self.key, False, values, None, None, min_values)

    def intersects(self, other: "Requirement") -> bool:
        """Tell whether some value satisfies both; two open sets meet unless their bounds cross."""
        low = _larger(self.low, other.low)
        high = _smaller(self.high, other.high)
        if low is not None and high is not None and low > high:
            return False
        if self.complement and other.complement:
            return True
        listed, judge = (other, self) if self.complement else (self, other)
        if low is None and high is None:
            if judge.complement:
                return not listed.values <= judge.values
            return not listed.values.isdisjoint(judge.values)
        return any(judge.has(value) and listed.has(value) for value in listed.values)

    def is_within(self, other: "Requirement") -> bool:
        """Tell whether whatever satisfies this satisfies the other too."""
        if not self.complement:
            return all(map(other.has, self.values)) if self.values else other.is_negative
        if self.is_negative and not other.is_negative:
            return False
        return (
            other.complement
            and other.values <= self.values
            and (other.low is None or (self.low is not None and self.low >= other.low))
            and (other.high is None or (self.high is not None and self.high <= other.high))
        )

    def expressions(self) -> tuple[NodeSelectorRequirement, ...]:
        """Write the set back as Kubernetes expressions; `minValues` goes on the first."""
        written: list[tuple[str, tuple[str, ...]]] = []
        if self.low is not None:
            written.append(("Gte", (str(self.low),)))
        if self.high is not None:
            written.append(("Lte", (str(self.high),)))
        if self.values or not written:
            written.append((self.operator, tuple(sorted(self.values))))
        if self.exists and self.low is None and self.high is None:
            written.append(("Exists", ()))
        return tuple(
            NodeSelectorRequirement(
                key=self.key,
                operator=operator,
                values=values,
                min_values=self.min_values if position == 0 else None,
            )
            for position, (operator, values) in enumerate(written)
        )

    def without_min_values(self) -> "Requirement":
        """Give the same set with no demand on how many values remain."""
        if self.min_values is None:
            return self
        return Requirement(
            self.key, self.complement, self.values, self.low, self.high, None, self.exists
        )

    def __str__(self) -> str:
        """Show the set for people: at most five values, then how many more."""
        shown = []
        for expression in self.expressions():
            values = list(expression.values[:_SHOWN_MAX])
            if more := len(expression.values) - _SHOWN_MAX:
                values += [f"and {more} more"] if more > 0 else []
            shown.append(f"{expression.operator} {_bracket(expression.operator, values)}".strip())
        return f"{self.key} {' and '.join(shown)}"


class Clash(msgspec.Struct, frozen=True):
    """Why two sets of requirements cannot meet: the key, and what each side wants of it."""

    key: str
    have: Requirement | None
    want: Requirement
    hint: str = ""

    def __str__(self) -> str:
        """Say the clash in a clause that can stand behind "because"."""
        if self.have is None:
            known = f", {self.hint}" if self.hint else ""
            return f"label {self.key} is not defined ({self.want}){known}"
        return f"{self.want} does not meet {self.have}"


@lru_cache(maxsize=65536)
def _label(key: str, value: str) -> Requirement:
    return Requirement(normalize_key(key), False, frozenset((value,)))


class Requirements(Mapping[str, Requirement]):
    """An immutable set of requirements, one per key."""

    __slots__ = ("_hash", "by_key")

    def __init__(self, requirements: Iterable[Requirement] = ()) -> None:
        by_key: dict[str, Requirement] = {}
        for requirement in requirements:
            known = by_key.get(requirement.key)
            by_key[requirement.key] = known.intersect(requirement) if known else requirement
        self.by_key = by_key
        self._hash: int | None = None

    @classmethod
    def from_labels(cls, labels: Mapping[str, str]) -> Self:
        """Read labels as requirements with one value each."""
        return cls([_label(key, value) for key, value in labels.items()])

    @classmethod
    def from_expressions(cls, expressions: Iterable[NodeSelectorRequirement]) -> Self:
        """Read Kubernetes expressions; several on one key intersect."""
        return cls(read_requirement(expression) for expression in expressions)

    def __getitem__(self, key: str) -> Requirement:
        return self.by_key[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_key)

    def __len__(self) -> int:
        return len(self.by_key)

    # What follows says nothing that `Mapping` does not, only faster: the solver lives on it.

    def __contains__(self, key: object) -> bool:
        return key in self.by_key

    @overload
    def get(self, key: str, /) -> Requirement | None: ...
    @overload
    def get[T](self, key: str, /, default: Requirement | T) -> Requirement | T: ...
    def get(self, key: str, /, default: object = None) -> object:
        """Give the requirement on a key, if there is one."""
        return self.by_key.get(key, default)

    def items(self) -> ItemsView[str, Requirement]:
        """Give keys with their requirements."""
        return self.by_key.items()

    def values(self) -> ValuesView[Requirement]:
        """Give the requirements."""
        return self.by_key.values()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Requirements) and self.by_key == other.by_key

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.by_key.values()))
        return self._hash

    def __repr__(self) -> str:
        return f"Requirements({', '.join(str(self.by_key[key]) for key in sorted(self.by_key))})"

    def with_all(self, more: Iterable[Requirement]) -> "Requirements":
        """Give both together: keys of either, shared keys intersected."""
        return Requirements([*self.by_key.values(), *more])

    def clash(self, wanted: "Requirements", undefined_ok: frozenset[str]) -> Clash | None:
        """Tell the first reason why something described by us cannot satisfy `wanted`.

        A key that we do not define is fine when it is in `undefined_ok`, or when a missing label
        satisfies what is wanted of it.
        """
        for key, want in wanted.by_key.items():
            if key not in self.by_key and key not in undefined_ok and not want.is_negative:
                return Clash(key, None, want, _hint(key, self.by_key, undefined_ok))
        return self.conflict(wanted)

    def conflict(self, wanted: "Requirements") -> Clash | None:
        """Tell the first shared key whose two sets do not meet."""
        small, large = self.by_key, wanted.by_key
        if len(large) < len(small):
            small, large = large, small
        for key in small:
            if key in large:
                have, want = self.by_key[key], wanted.by_key[key]
                if not have.intersects(want) and not (have.is_negative and want.is_negative):
                    return Clash(key, have, want)
        return None

    def labels(self) -> dict[str, str]:
        """Give the labels that are pinned to exactly one value."""
        return {
            key: next(iter(requirement.values))
            for key, requirement in self.by_key.items()
            if not requirement.complement and len(requirement.values) == 1
        }

    def expressions(self) -> tuple[NodeSelectorRequirement, ...]:
        """Write all requirements as Kubernetes expressions, sorted by key."""
        return tuple(
            expression
            for key in sorted(self.by_key)
            for expression in self.by_key[key].expressions()
        )


def contradiction(requirements: Iterable[Requirement]) -> Clash | None:
    """Tell the first key whose requirements, taken together, no label value can meet.

    An empty intersection must not be mistaken for "the label must not be there": that is what
    `DoesNotExist` says, and only demands that a missing label satisfies come to it.
    """
    by_key: dict[str, Requirement] = {}
    for one in requirements:
        known = by_key.get(one.key)
        if known is None:
            by_key[one.key] = one
        elif known.intersects(one) or (known.is_negative and one.is_negative):
            by_key[one.key] = known.intersect(one)
        else:
            return Clash(one.key, known, one)
    return None


class BadRequirement(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """An expression that no label can ever be checked against: which, and what is wrong with it."""

    def __init__(self, message: str, kind: str, expression: NodeSelectorRequirement) -> None:
        super().__init__(message)
        self.kind = kind
        self.expression = expression


def read_requirement(expression: NodeSelectorRequirement) -> Requirement:
    """Read one Kubernetes expression, with deprecated keys replaced by today's."""
    key, operator, values = normalize_key(expression.key), expression.operator, expression.values
    least = expression.min_values
    match operator:
        case "In":
            return Requirement(key, False, frozenset(values), None, None, least)
        case "NotIn":
            return Requirement(key, True, frozenset(values), None, None, least)
        case "Exists":
            return Requirement(key, True, _NOBODY, None, None, least)
        case "DoesNotExist":
            return Requirement(key, False, _NOBODY, None, None, least)
        case "Gt" | "Gte" | "Lt" | "Lte":
            return _read_bound(key, expression)
        case _:
            raise BadRequirement(
                f"operator {operator!r} of {expression.key} is unknown (use In, NotIn, Exists, "
                "DoesNotExist, Gt, Lt, Gte or Lte)",
                "operator",
                expression,
            )


def _read_bound(key: str, expression: NodeSelectorRequirement) -> Requirement:
    operator, values, least = expression.operator, expression.values, expression.min_values
    number = _number(values[0]) if len(values) == 1 else None
    if number is None:
        raise BadRequirement(
            f"{operator} on {key} takes exactly one whole number, not {list(values)!r}",
            "number",
            expression,
        )
    match operator:
        case "Gt" if number == NUMBER_MAX:
            return Requirement(key, min_values=least)
        case "Lt" if number == NUMBER_MIN:
            return Requirement(key, min_values=least)
        case "Gt" | "Gte":
            low = number + 1 if operator == "Gt" else number
            return Requirement(key, True, _NOBODY, low, None, least)
        case _:
            high = number - 1 if operator == "Lt" else number
            return Requirement(key, True, _NOBODY, None, high, least)


def _number(value: str) -> int | None:
    digits = value[1:] if value[:1] in ("-", "+") else value
    if not digits.isdecimal() or not digits.isascii():
        return None
    if len(digits) > _DIGITS_MAX:
        # Python refuses to read very long numbers; past their leading zeros they are out of range.
        digits = digits.lstrip("0") or "0"
        if len(digits) > _DIGITS_MAX:
            return None
    number = -int(digits) if value[0] == "-" else int(digits)
    return number if NUMBER_MIN <= number <= NUMBER_MAX else None


def _bounded(values: frozenset[str], low: int | None, high: int | None) -> frozenset[str]:
    def inside(value: str) -> bool:
        number = _number(value)
        return (
            number is not None
            and (low is None or number >= low)
            and (high is None or number <= high)
        )

    return frozenset(value for value in values if inside(value))


def _larger(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return right if left is None else left
    return max(left, right)


def _smaller(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return right if left is None else left
    return min(left, right)


def _bracket(operator: str, values: list[str]) -> str:
    if operator in ("Exists", "DoesNotExist"):
        return ""
    return values[0] if operator in ("Gte", "Lte") else f"[{', '.join(values)}]"


def _hint(key: str, defined: Mapping[str, Requirement], well_known: frozenset[str]) -> str:
    suffix = key.rsplit("/", 1)[-1]
    known = sorted({*defined, *well_known})
    same_name = (one for one in known if one.rsplit("/", 1)[-1] == suffix)
    longer = (one for one in known if key in one)
    nearest = next(same_name, None) or next(longer, None)
    return f"did you mean {nearest}?" if nearest else ""
