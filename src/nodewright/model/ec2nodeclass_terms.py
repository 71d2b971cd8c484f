"""The selectors of an EC2NodeClass: how subnets, groups, images and reservations are found.

Terms of a list are alternatives; the fields inside one term must all hold.
"""

from typing import Annotated, Any, Final

import msgspec

from nodewright.model.metadata import Struct
from nodewright.model.schema import Rule, about

TERMS_MAX: Final = 30
ALIAS_LENGTH_MAX: Final = 30
ALIAS_FAMILIES: Final = {
    "al2": "AL2",
    "al2023": "AL2023",
    "bottlerocket": "Bottlerocket",
    "windows2019": "Windows2019",
    "windows2022": "Windows2022",
    "windows2025": "Windows2025",
}
"""What stands before the `@` of an alias, and the family that it means."""


def has(value: Any, *names: str) -> bool:
    """Tell whether a raw object has one of the fields."""
    return any(value.get(name) is not None for name in names)


def _any_of(*names: str) -> Rule:
    return Rule(
        " || ".join(f"has(self.{name})" for name in names),
        f"a term needs at least one of {', '.join(names)}",
        lambda term: has(term, *names),
    )


def _alone(name: str, *others: str) -> Rule:
    excluded = " || ".join(f"has(self.{other})" for other in others)
    return Rule(
        f"!has(self.{name}) || !({excluded})",
        f"{name} already names one thing, so {', '.join(others)} cannot stand beside it: "
        "remove them or make a second term",
        lambda term: not has(term, name) or not has(term, *others),
    )


_TAGS_RULE: Final = Rule(
    "self.all(k, k != '' && self[k] != '')",
    "tags may have no empty key or value: use '*' for any value",
    lambda tags: all(key != "" and value != "" for key, value in tags.items()),
)
type SelectorTags = Annotated[
    dict[str, str],
    about(
        "Tags that must all be there; '*' stands for any value.",
        _TAGS_RULE,
        maxProperties=20,
    ),
]


class SubnetSelectorTerm(Struct, frozen=True):
    """One way to find subnets."""

    tags: SelectorTags = {}
    id: Annotated[str | None, about("The subnet's id.", pattern=r"^subnet-[0-9a-z]+$")] = None


class SecurityGroupSelectorTerm(Struct, frozen=True):
    """One way to find security groups."""

    tags: SelectorTags = {}
    id: Annotated[str | None, about("The group's id.", pattern=r"^sg-[0-9a-z]+$")] = None
    name: Annotated[str | None, about("The group's name (not its Name tag).")] = None


class CapacityReservationSelectorTerm(Struct, frozen=True):
    """One way to find capacity reservations."""

    tags: SelectorTags = {}
    id: Annotated[str | None, about("The reservation's id.", pattern=r"^cr-[0-9a-z]+$")] = None
    owner_id: Annotated[
        str | None, about("The account that owns the reservation.", pattern=r"^[0-9]{12}$")
    ] = msgspec.field(default=None, name="ownerID")
    instance_match_criteria: Annotated[
        str | None,
        about("Which instances the reservation takes.", enum=["open", "targeted"]),
    ] = None


class PlacementGroupSelector(Struct, frozen=True):
    """The placement group that nodes are started in."""

    id: Annotated[str | None, about("The group's id.", pattern=r"^pg-[0-9a-z]+$")] = None
    name: Annotated[str | None, about("The group's name.", minLength=1)] = None


_ALIAS_RULES: Final = (
    Rule(
        f"self.find('^[^@]+') in [{', '.join(f"'{family}'" for family in ALIAS_FAMILIES)}]",
        f"unknown family before the @: use one of {', '.join(ALIAS_FAMILIES)}",
        lambda alias: alias.partition("@")[0] in ALIAS_FAMILIES,
    ),
    Rule(
        "!self.startsWith('windows') || self.endsWith('@latest')",
        "Windows images cannot be pinned by alias: use @latest, or select them by id",
        lambda alias: not alias.startswith("windows") or alias.endswith("@latest"),
    ),
)


class AMISelectorTerm(Struct, frozen=True):
    """One way to find images."""

    alias: Annotated[
        str | None,
        about(
            "A family of EKS images and its version, such as al2023@latest.",
            *_ALIAS_RULES,
            maxLength=ALIAS_LENGTH_MAX,
            pattern=r"^[a-zA-Z0-9]+@.+$",
        ),
    ] = None
    tags: SelectorTags = {}
    id: Annotated[str | None, about("The image's id.", pattern=r"^ami-[0-9a-z]+$")] = None
    name: Annotated[str | None, about("The image's name; * stands for any text.")] = None
    owner: Annotated[
        str | None,
        about("Who owns the image: an account, self or amazon. Narrows name and tags."),
    ] = None
    ssm_parameter: Annotated[str | None, about("The SSM parameter that holds the image's id.")] = (
        None
    )


def alias_of(terms: tuple[AMISelectorTerm, ...]) -> tuple[str, str] | None:
    """Give the family (as `amiFamily` spells it) and version of an alias among the terms."""
    for term in terms:
        if term.alias is not None:
            family, _, version = term.alias.partition("@")
            return ALIAS_FAMILIES.get(family, family), version
    return None


def _alias_is_alone(terms: Any) -> bool:
    return len(terms) == 1 or not any(has(term, "alias") for term in terms)


type SubnetTerms = Annotated[
    tuple[
        Annotated[
            SubnetSelectorTerm,
            about("One way to find subnets.", _any_of("tags", "id"), _alone("id", "tags")),
        ],
        ...,
    ],
    about("Subnets that nodes may be started in.", required=True, minItems=1, maxItems=TERMS_MAX),
]
type SecurityGroupTerms = Annotated[
    tuple[
        Annotated[
            SecurityGroupSelectorTerm,
            about(
                "One way to find security groups.",
                _any_of("tags", "id", "name"),
                _alone("id", "tags", "name"),
                _alone("name", "tags", "id"),
            ),
        ],
        ...,
    ],
    about(
        "Security groups that nodes get; all that are found are put on each node.",
        required=True,
        minItems=1,
        maxItems=TERMS_MAX,
    ),
]
type CapacityReservationTerms = Annotated[
    tuple[
        Annotated[
            CapacityReservationSelectorTerm,
            about(
                "One way to find capacity reservations.",
                _any_of("tags", "id", "instanceMatchCriteria"),
                _alone("id", "tags", "ownerID", "instanceMatchCriteria"),
            ),
        ],
        ...,
    ],
    about("Capacity reservations that nodes may draw on.", maxItems=TERMS_MAX),
]
type AMITerms = Annotated[
    tuple[
        Annotated[
            AMISelectorTerm,
            about(
                "One way to find images.",
                _any_of("tags", "id", "name", "alias", "ssmParameter"),
                _alone("id", "alias", "tags", "name", "owner"),
                _alone("alias", "id", "tags", "name", "owner"),
            ),
        ],
        ...,
    ],
    about(
        "Images that nodes are started from; of several that fit, the newest is taken.",
        Rule(
            "!self.exists(x, has(x.alias)) || self.size() == 1",
            "a term with alias must be the only term: remove the others",
            _alias_is_alone,
        ),
        required=True,
        minItems=1,
        maxItems=TERMS_MAX,
    ),
]
type OnePlacementGroup = Annotated[
    PlacementGroupSelector,
    about(
        "The placement group that nodes are started in.",
        Rule(
            "has(self.id) != has(self.name)",
            "placementGroupSelector needs exactly one of id and name",
            lambda group: has(group, "id") != has(group, "name"),
        ),
    ),
]
