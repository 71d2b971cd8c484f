"""Selector terms as questions to EC2: each gives the parameters of one Describe call.

Terms are alternatives, so their answers are put together, each thing once. A tag with `*` asks for its
key alone; any other value is asked for as it stands, which lets EC2's own wildcards work. Ids are asked
for by filter, all at once, so that one that is gone does not spoil the others.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from nodewright.model.ec2nodeclass_terms import SecurityGroupSelectorTerm, SubnetSelectorTerm

type Json = dict[str, Any]


def a_filter(name: str, *values: str) -> Json:
    """Give one filter of a Describe call."""
    return {"Name": name, "Values": list(values)}


def tag_filters(tags: Mapping[str, str]) -> list[Json]:
    """Give the filters of a term's tags."""
    return [
        a_filter("tag-key", key) if value == "*" else a_filter(f"tag:{key}", value)
        for key, value in sorted(tags.items())
    ]


def subnet_questions(terms: Iterable[SubnetSelectorTerm]) -> list[Json]:
    """Give the questions that find the subnets of a class."""
    found = tuple(terms)
    ids = sorted({one.id for one in found if one.id is not None})
    return [
        *([{"Filters": [a_filter("subnet-id", *ids)]}] if ids else []),
        *({"Filters": tag_filters(one.tags)} for one in found if one.id is None),
    ]


def group_questions(terms: Iterable[SecurityGroupSelectorTerm]) -> list[Json]:
    """Give the questions that find the security groups of a class."""
    found = tuple(terms)
    ids = sorted({one.id for one in found if one.id is not None})
    names = sorted({one.name for one in found if one.name is not None})
    return [
        *([{"Filters": [a_filter("group-id", *ids)]}] if ids else []),
        *([{"Filters": [a_filter("group-name", *names)]}] if names else []),
        *(
            {"Filters": tag_filters(one.tags)}
            for one in found
            if one.id is None and one.name is None
        ),
    ]
