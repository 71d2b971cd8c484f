"""The memory that nodes have really shown: what the hypervisor takes is only guessed before.

It differs by type and image, so it is kept by both. The smallest counts, because a pod must fit on every
machine of the type, and it is kept for sixty days after the last node that has shown it.
"""

from collections.abc import Callable, Iterable
from typing import Final

from nodewright.aws.keeping import Kept
from nodewright.model.cloudview import SeenNode
from nodewright.model.ec2nodeclass import AMIStatus
from nodewright.model.quantity import Milli
from nodewright.ports.clock import Clock

KEPT_MS: Final = 60 * 24 * 3_600_000
LOOK_MS: Final = 10_000


class SeenMemory:
    """What is known of the memory of types, from nodes that are asked for now and then."""

    def __init__(self, clock: Clock, nodes: Callable[[], Iterable[SeenNode]]) -> None:
        self._clock = clock
        self._nodes = nodes
        self._kept: Kept[tuple[str, str], Milli] = Kept(clock)
        self._due_ms = 0

    def of(self, images: Iterable[AMIStatus]) -> tuple[tuple[str, Milli], ...]:
        """Give the smallest memory of each type that was seen with one of these images."""
        now_ms = self._clock.now_ms()
        if now_ms >= self._due_ms:
            self._due_ms = now_ms + LOOK_MS
            self._learn(self._nodes())
        ids = {one.id for one in images}
        found: dict[str, Milli] = {}
        for (kind, image), memory in self._kept.younger(KEPT_MS):
            if image in ids:
                found[kind] = min(memory, found.get(kind, memory))
        return tuple(sorted(found.items()))

    def _learn(self, nodes: Iterable[SeenNode]) -> None:
        for one in nodes:
            key = (one.instance_type, one.image_id)
            known = self._kept.get(key, KEPT_MS)
            self._kept.put(key, one.memory if known is None else min(known, one.memory))
