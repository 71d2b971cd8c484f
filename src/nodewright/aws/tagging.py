"""Tags on machines that run already: only those that are missing, and not more than one call a second."""

import asyncio
from collections.abc import Mapping
from typing import Final

from nodewright.aws.calls import CREATE_TAGS
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.machines import Machines
from nodewright.aws.tags import print_tags
from nodewright.ports.clock import Clock

BETWEEN_MS: Final = 1_000


class Tagger:
    """Puts tags on the instances of a cluster."""

    def __init__(self, gateway: Gateway, clock: Clock, cluster: str) -> None:
        self._gateway = gateway
        self._clock = clock
        self._machines = Machines(gateway, clock, cluster)
        self._lock = asyncio.Lock()
        self._free_ms = 0

    async def tag(self, instance_id: str, tags: Mapping[str, str]) -> Fault | None:
        """Put tags on an instance; one that is gone needs none."""
        found = await self._machines.find(instance_id)
        if found is None or isinstance(found, Fault):
            return found
        missing = {key: value for key, value in tags.items() if key not in found.tags}
        if not missing:
            return None
        async with self._lock:
            wait_ms = self._free_ms - self._clock.now_ms()
            if wait_ms > 0:
                await self._clock.sleep_ms(wait_ms)
            self._free_ms = self._clock.now_ms() + BETWEEN_MS
            params = {"Resources": [instance_id], "Tags": print_tags(missing)}
            answer = await self._gateway.ask(CREATE_TAGS, params)
        return answer if isinstance(answer, Fault) and not answer.is_gone else None
