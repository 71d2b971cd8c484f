"""EFA asked for as a label."""

from collections.abc import Iterator
from typing import Final

from nodewright.lint.finding import Finding
from nodewright.lint.stream import Stream

EFA: Final = "vpc.amazonaws.com/efa"


def check(stream: Stream) -> Iterator[Finding]:
    """Yield requirements on an EFA label, which no node ever has."""
    for pool in stream.pools:
        for wish in pool.wishes:
            name = wish.key.rpartition("/")[2].lower()
            if "efa" in name.replace("-", " ").replace("_", " ").replace(".", " ").split():
                yield Finding(
                    "NW-3017",
                    pool.manifest,
                    (*wish.path, "key"),
                    f"there is no label {wish.key}: EFA is a resource that pods request",
                    f"remove the requirement, let pods request {EFA}, and choose families with "
                    "EFA (karpenter.k8s.aws/instance-family In [p5, …])",
                )
