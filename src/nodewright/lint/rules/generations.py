"""A pool that takes machines of any age."""

from collections.abc import Iterator
from typing import Final

from nodewright.lint.finding import Finding
from nodewright.lint.instances import Instances
from nodewright.lint.stream import Stream
from nodewright.lint.views import CATEGORY, FAMILY, GENERATION, Pool
from nodewright.model.labels import AWS_GROUP, INSTANCE_TYPE

_OLDEST_WELCOME: Final = 3
_NARROWING: Final = ("gpu", "accelerator", "local-nvme", "cpu-manufacturer")


def check(stream: Stream) -> Iterator[Finding]:
    """Yield every pool that says nothing of generations, families or types."""
    for pool in stream.pools:
        if not pool.is_of_ec2 or _is_bounded(pool, stream.instances):
            continue
        old = _old_types(pool, stream.instances)
        if not old:
            continue
        names = {wish.known_key for wish in pool.wishes}
        missing = "generation" if CATEGORY in names else "category and no generation"
        yield Finding(
            "NW-3028",
            pool.manifest,
            (*pool.at, "requirements"),
            f"no {missing} is required, so {len(old)} types of the first generations may be "
            f"launched ({', '.join(old[:3])})",
            f'add {GENERATION} Gt ["2"]',
            on="key",
        )


def _is_bounded(pool: Pool, instances: Instances) -> bool:
    keys = {wish.known_key: wish for wish in pool.wishes}
    if GENERATION in keys or FAMILY in keys or {GENERATION, FAMILY} & set(pool.labels):
        return True
    if any(key.startswith(f"{AWS_GROUP}/instance-{word}") for key in keys for word in _NARROWING):
        return True
    types = keys.get(INSTANCE_TYPE)
    if types is not None:
        return types.operator == "In" and any(one in instances.all_names for one in types.values)
    # The webhooks of that time added generation and category where nothing was said.
    return pool.era == "v1alpha" and CATEGORY not in keys


def _old_types(pool: Pool, instances: Instances) -> list[str]:
    wishes = [wish for wish in pool.wishes if wish.known_key != INSTANCE_TYPE]
    old = 0
    for generation in range(1, _OLDEST_WELCOME):
        old |= instances.having(GENERATION, str(generation))
    return instances.named(instances.left(wishes) & old)
