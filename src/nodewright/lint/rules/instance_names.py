"""Names of types, families, categories and zones that nothing has."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from nodewright.catalog.resolve import regions
from nodewright.lint.finding import Edit, Finding, Replace
from nodewright.lint.guess import did_you_mean, listed
from nodewright.lint.instances import Instances
from nodewright.lint.stream import Stream
from nodewright.lint.views import CATEGORY, FAMILY, Pool, Wish
from nodewright.model.labels import INSTANCE_TYPE, ZONE

_REFUSED_BY_KUBELET: Final = ("c1.medium", "m1.small")
_VALUED: Final = ("In", "NotIn")
_LOCAL_ZONE_PARTS: Final = 4


def check(stream: Stream) -> Iterator[Finding]:
    """Yield values of requirements that can never match."""
    for pool in stream.pools:
        if not pool.is_of_ec2:
            continue
        for wish in pool.wishes:
            rule = _RULES.get(wish.known_key)
            if rule is not None and wish.operator in _VALUED and wish.values:
                yield from rule(pool, wish, stream.instances)


def _check_types(pool: Pool, wish: Wish, instances: Instances) -> Iterator[Finding]:
    values = [value for value in wish.values if not _is_placeholder(value)]
    unknown = [value for value in values if value not in instances.all_names]
    if unknown and len(unknown) == len(wish.values):
        other = _other_key(unknown, instances)
        if other:
            yield _misplaced(pool, wish, other)
            return
    for index, value in enumerate(wish.values):
        path = (*wish.path, "values", index)
        if value in unknown:
            yield Finding(
                "NW-2103",
                pool.manifest,
                path,
                f"there is no instance type {value}",
                _type_advice(value, instances),
            )
        elif value in _REFUSED_BY_KUBELET and wish.operator == "In":
            yield Finding(
                "NW-3041",
                pool.manifest,
                path,
                f"{value} comes with swap, and the kubelet does not start on it",
                "remove it, or require karpenter.k8s.aws/instance-generation Gt 2",
            )
        elif instances.region and value not in instances.values_of(INSTANCE_TYPE):
            yield Finding(
                "NW-2103",
                pool.manifest,
                path,
                f"{value} is not sold in {instances.region}",
                f"see what is: nodewright catalog --region {instances.region}",
                lowered_to="warning",
            )


def _misplaced(pool: Pool, wish: Wish, key: str) -> Finding:
    what = "categories" if key == CATEGORY else "families"
    one = "category" if key == CATEGORY else "family"
    if len(wish.values) == 1:
        what = f"an instance {one}"
    edits: tuple[Edit, ...] = (Replace((*wish.path, "key"), key),)
    return Finding(
        "NW-3026",
        pool.manifest,
        (*wish.path, "key"),
        f"{', '.join(wish.values)} {'is' if len(wish.values) == 1 else 'are'} {what}, and "
        f"{wish.key} takes types such as m5.large: no node is ever made",
        f"use the key {key}",
        edits,
    )


def _other_key(values: Iterable[str], instances: Instances) -> str:
    every = set(values)
    if every <= instances.values_of(CATEGORY):
        return CATEGORY
    return FAMILY if every <= instances.all_families else ""


def _type_advice(value: str, instances: Instances) -> str:
    family, dot, _ = value.partition(".")
    if dot and family in instances.all_families:
        sizes = sorted(
            (name for name in instances.all_names if name.startswith(f"{family}.")), key=len
        )
        return did_you_mean(value, sizes) or f"{family} has {listed(sizes)}"
    return did_you_mean(value, instances.all_names)


def _check_families(pool: Pool, wish: Wish, instances: Instances) -> Iterator[Finding]:
    yield from _check_known(pool, wish, "NW-2104", "family", instances.all_families)


def _check_categories(pool: Pool, wish: Wish, instances: Instances) -> Iterator[Finding]:
    yield from _check_known(pool, wish, "NW-2105", "category", instances.values_of(CATEGORY))


def _check_known(
    pool: Pool, wish: Wish, code: str, what: str, known: frozenset[str]
) -> Iterator[Finding]:
    for index, value in enumerate(wish.values):
        if value in known or _is_placeholder(value):
            continue
        few = f"known are {', '.join(sorted(known))}" if len(known) < 40 else ""
        yield Finding(
            code,
            pool.manifest,
            (*wish.path, "values", index),
            f"there is no instance {what} {value}",
            did_you_mean(value, known) or few,
        )


def _check_zones(pool: Pool, wish: Wish, instances: Instances) -> Iterator[Finding]:
    sheet = instances.sheet
    for index, value in enumerate(wish.values):
        if _is_placeholder(value):
            continue
        path = (*wish.path, "values", index)
        if value in regions():
            yield Finding(
                "NW-2106",
                pool.manifest,
                path,
                f"{value} is a region, not a zone",
                f"write a zone of it, such as {value}a, or use the key topology.kubernetes.io/region",
            )
        elif sheet is not None and value not in sheet.zones and not _is_local(value, sheet.region):
            yield Finding(
                "NW-2106",
                pool.manifest,
                path,
                f"{sheet.region} has no zone {value}",
                f"its zones are {', '.join(sheet.zones)}",
            )


def _is_local(zone: str, region: str) -> bool:
    """Tell whether a zone is a local or wavelength zone of the region, which no table lists."""
    return zone.startswith(f"{region}-") and len(zone.split("-")) > _LOCAL_ZONE_PARTS


def _is_placeholder(value: str) -> bool:
    return "${" in value


_RULES: Final[dict[str, Callable[[Pool, Wish, Instances], Iterator[Finding]]]] = {
    INSTANCE_TYPE: _check_types,
    FAMILY: _check_families,
    CATEGORY: _check_categories,
    ZONE: _check_zones,
}
