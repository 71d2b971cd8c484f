"""A pool that may grow without end."""

from collections.abc import Iterator

from nodewright.lint.finding import Finding
from nodewright.lint.stream import Stream


def check(stream: Stream) -> Iterator[Finding]:
    """Yield every pool without limits."""
    for pool in stream.pools:
        if pool.limits or pool.is_static:
            continue
        place = "spec.limits.resources" if pool.era == "v1alpha" else "spec.limits"
        path = ("spec", "limits") if "limits" in pool.spec else ("spec",)
        yield Finding(
            "NW-2117",
            pool.manifest,
            path,
            f"{pool.name or 'this pool'} has no limits: nothing bounds what it can cost",
            f'set {place}, for example cpu: "1000"',
            on="key",
        )
