"""Spot capacity without a queue that announces its end."""

from collections.abc import Iterator

from nodewright.lint.finding import Finding
from nodewright.lint.stream import Stream
from nodewright.lint.views import Pool
from nodewright.model.labels import CAPACITY_TYPE, SPOT


def check(stream: Stream) -> Iterator[Finding]:
    """Yield settings without an interruption queue beside pools that buy spot."""
    spot = next((pool for pool in stream.pools if _buys_spot(pool)), None)
    if spot is None or not stream.settings or any(one.queue[1] for one in stream.settings):
        return
    told = stream.settings[0]
    old = "aws" in str(told.manifest.raw.get("settings", "")) or told.manifest.kind == "ConfigMap"
    name = "aws.interruptionQueueName" if old else "interruptionQueue"
    place = "data" if told.manifest.kind == "ConfigMap" else "settings"
    yield Finding(
        "NW-3021",
        told.manifest,
        (place,),
        f"{spot.manifest.kind} {spot.name} buys spot capacity, and no interruption queue is set",
        f"set {place}.{name} to the SQS queue that gets EC2's warnings",
        on="key",
    )


def _buys_spot(pool: Pool) -> bool:
    wishes = [wish for wish in pool.wishes if wish.known_key == CAPACITY_TYPE]
    if not wishes:
        # Provisioners bought on demand unless they said otherwise; v1 buys both.
        return pool.era != "v1alpha" and CAPACITY_TYPE not in pool.labels
    return all(
        requirement is None or requirement.has(SPOT)
        for requirement in (wish.read() for wish in wishes)
    )
