"""Times that cannot be meant: nodes that expire while they boot, consolidation that never comes."""

from collections.abc import Iterator
from typing import Final

from nodewright.lint.finding import Finding, Replace
from nodewright.lint.raw import dig, mapping, text
from nodewright.lint.stream import Stream
from nodewright.lint.views import Pool
from nodewright.model.duration import (
    MINUTE_MS,
    NEVER,
    SECOND_MS,
    BadDuration,
    parse_duration,
    print_duration,
)
from nodewright.model.path import Path

BOOT_MS: Final = 10 * MINUTE_MS
"""Shorter than this, and a node may go before its pods have started."""

_AFTER: Final[Path] = ("spec", "disruption", "consolidateAfter")
_POLICY: Final[Path] = ("spec", "disruption", "consolidationPolicy")


def check(stream: Stream) -> Iterator[Finding]:
    """Yield lifetimes and consolidation settings that do not do what they say."""
    for pool in stream.pools:
        yield from _check_expiry(pool)
        if pool.era == "v1alpha":
            yield from _check_ttl(pool)
        else:
            yield from _check_policy(pool)


def _check_expiry(pool: Pool) -> Iterator[Finding]:
    paths: dict[str, Path] = {
        "v1": ("spec", "template", "spec", "expireAfter"),
        "v1beta1": ("spec", "disruption", "expireAfter"),
        "v1alpha": ("spec", "ttlSecondsUntilExpired"),
    }
    path = paths[pool.era]
    value = dig(pool.manifest.raw, path)
    if isinstance(value, int) and not isinstance(value, bool):
        lifetime_ms = value * SECOND_MS
    else:
        try:
            lifetime_ms = parse_duration(text(value))
        except BadDuration:
            return
    if lifetime_ms < BOOT_MS:
        yield Finding(
            "NW-2115",
            pool.manifest,
            path,
            f"nodes live {print_duration(lifetime_ms)}, which is less than a node needs to boot "
            "and start its pods",
            f"write days, not minutes: 720h is 30 days; {NEVER} switches expiry off",
        )


def _check_ttl(pool: Pool) -> Iterator[Finding]:
    enabled = mapping(pool.spec.get("consolidation")).get("enabled") is True
    if pool.spec.get("ttlSecondsAfterEmpty") is not None and enabled:
        yield Finding(
            "NW-3029",
            pool.manifest,
            ("spec", "ttlSecondsAfterEmpty"),
            "ttlSecondsAfterEmpty and consolidation.enabled exclude each other",
            "keep consolidation, which removes empty nodes too, or keep ttlSecondsAfterEmpty",
            on="key",
        )


def _check_policy(pool: Pool) -> Iterator[Finding]:
    disruption = mapping(pool.spec.get("disruption"))
    after, policy = disruption.get("consolidateAfter"), disruption.get("consolidationPolicy")
    if pool.era == "v1beta1":
        yield from _check_beta_policy(pool, after, text(policy) or "WhenUnderutilized")
    elif after == NEVER and policy not in (None, "WhenEmptyOrUnderutilized"):
        yield Finding(
            "NW-2120",
            pool.manifest,
            _POLICY,
            f"consolidateAfter Never switches consolidation off, so {policy} has no effect",
            "remove the policy, or give consolidateAfter a time such as 1m",
            lowered_to="info",
        )


def _check_beta_policy(pool: Pool, after: object, policy: str) -> Iterator[Finding]:
    if policy == "WhenUnderutilized" and after is not None and after != NEVER:
        yield Finding(
            "NW-2120",
            pool.manifest,
            _AFTER,
            "v1beta1 refuses consolidateAfter together with WhenUnderutilized",
            "use WhenEmpty, or remove consolidateAfter; v1 takes both (nodewright convert)",
            lowered_to=None,
        )
    elif policy == "WhenEmpty" and after is None:
        yield Finding(
            "NW-2120",
            pool.manifest,
            _POLICY,
            "v1beta1 refuses WhenEmpty without consolidateAfter",
            "say after how long an empty node goes: consolidateAfter: 30s",
        )
    elif policy == "WhenEmptyOrUnderutilized":
        yield Finding(
            "NW-2120",
            pool.manifest,
            _POLICY,
            "v1beta1 calls this policy WhenUnderutilized",
            "write WhenUnderutilized, or convert the pool to v1",
            (Replace(_POLICY, "WhenUnderutilized"),),
        )
