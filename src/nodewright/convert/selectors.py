"""Selector maps of AWSNodeTemplate as the selector terms of today.

In a map all keys had to match and a comma in a value meant "or"; terms are the other way round, so
each combination of alternatives becomes a term. `aws-ids` (also `aws::ids`) listed ids and had to
stand alone.
"""

from itertools import product
from typing import Final

from nodewright.convert.notes import REFUSED, Notebook
from nodewright.model.ec2nodeclass_terms import (
    TERMS_MAX,
    AMISelectorTerm,
    SecurityGroupSelectorTerm,
    SubnetSelectorTerm,
)
from nodewright.model.path import Path

_ID_KEYS: Final = ("aws-ids", "aws::ids")
_AMI_NAME: Final = "aws::name"
_AMI_OWNERS: Final = "aws::owners"
_DEFAULT_OWNERS: Final = ("self", "amazon")


def subnet_terms(selector: dict[str, str], book: Notebook) -> tuple[SubnetSelectorTerm, ...]:
    """Give the terms of a subnet selector."""
    path: Path = ("spec", "subnetSelector")
    ids, combinations = _taken_apart(selector, path, book)
    return tuple(SubnetSelectorTerm(id=one) for one in ids) + tuple(
        SubnetSelectorTerm(tags=tags) for tags in combinations
    )


def group_terms(selector: dict[str, str], book: Notebook) -> tuple[SecurityGroupSelectorTerm, ...]:
    """Give the terms of a security group selector."""
    path: Path = ("spec", "securityGroupSelector")
    ids, combinations = _taken_apart(selector, path, book)
    return tuple(SecurityGroupSelectorTerm(id=one) for one in ids) + tuple(
        SecurityGroupSelectorTerm(tags=tags) for tags in combinations
    )


def image_terms(selector: dict[str, str], book: Notebook) -> tuple[AMISelectorTerm, ...]:
    """Give the terms of an image selector.

    Without owners the old controller looked among its own and Amazon's images. A term by name does
    the same today; a term by tags alone would look everywhere, so its owners are written out.
    """
    if not selector:
        return ()
    path: Path = ("spec", "amiSelector")
    rest = {key: value for key, value in selector.items() if key not in (_AMI_NAME, _AMI_OWNERS)}
    if set(rest) & set(_ID_KEYS):
        ids, _ = _taken_apart(selector, path, book)
        return tuple(AMISelectorTerm(id=one) for one in ids)
    names: list[str | None] = [*_alternatives(selector.get(_AMI_NAME, ""))] or [None]
    owners: list[str | None] = [*_alternatives(selector.get(_AMI_OWNERS, ""))]
    if not owners:
        owners = [None] if names != [None] else [*_DEFAULT_OWNERS]
    _, combinations = _taken_apart(rest, path, book)
    terms = tuple(
        AMISelectorTerm(name=name, owner=owner, tags=tags)
        for name, owner, tags in product(names, owners, combinations or [{}])
    )
    _check_count(len(terms), path, book)
    return terms


def _taken_apart(
    selector: dict[str, str], path: Path, book: Notebook
) -> tuple[list[str], list[dict[str, str]]]:
    id_keys = [key for key in _ID_KEYS if key in selector]
    if id_keys and len(selector) > 1:
        others = ", ".join(sorted(set(selector) - {id_keys[0]}))
        sentence = f"{id_keys[0]} must be the only key; remove {others}, or remove the ids"
        book.add(REFUSED, sentence, (*path, id_keys[0]))
        return [], []
    if id_keys:
        ids = _alternatives(selector[id_keys[0]])
        _check_count(len(ids), path, book)
        return ids, []
    keys = list(selector)
    choices = [_alternatives(selector[key]) or [selector[key]] for key in keys]
    count = 1
    for alternatives in choices:
        count *= len(alternatives)
    if not keys or not _check_count(count, path, book):
        return [], []
    return [], [dict(zip(keys, values, strict=True)) for values in product(*choices)]


def _alternatives(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _check_count(count: int, path: Path, book: Notebook) -> bool:
    if count > TERMS_MAX:
        sentence = (
            f"the lists of this selector make {count} combinations, and v1 takes {TERMS_MAX} terms: "
            "tag the resources alike and select that tag"
        )
        book.add(REFUSED, sentence, path)
    return count <= TERMS_MAX
