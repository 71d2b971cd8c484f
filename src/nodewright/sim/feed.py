"""The feed: lists and watches of the model written into a mirror, as reflectors do it for real."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from nodewright.model.resource import WATCHED, Resource
from nodewright.sim.apiserver import DELETED
from nodewright.sim.objects import SERVED
from nodewright.sim.refusals import Refused
from nodewright.sim.session import Session
from nodewright.sim.watches import BOOKMARK, Watches, WatchEvent
from nodewright.state.mirror import Change, Mirror

RELIST_MS: Final = 600_000
_RETRY_MS: Final = 500

type Hear = Callable[[tuple[Change, ...]], None]


class Feed:
    """Keeps one mirror true for one process."""

    def __init__(
        self,
        watches: Watches,
        session: Session,
        hear: Hear = lambda _: None,
        resources: Iterable[Resource[Any]] = WATCHED,
    ) -> None:
        self.mirror = Mirror(resources)
        self._watches = watches
        self._session = session
        self._hear = hear

    async def run(self, resource: Resource[Any]) -> None:
        """List and watch one kind until the process ends; lists anew now and then."""
        if resource not in SERVED:
            self.mirror.replace(resource, (), "", absent=True)
            return
        while True:
            try:
                listed = await self._watches.list(resource)
                version = listed.version
                self._tell(self.mirror.replace(resource, listed.items, str(version)))
                end_ms = self._session.now_ms() + RELIST_MS
                while self._session.now_ms() < end_ms:
                    async for event in self._watches.watch(resource, version):
                        version = event.version
                        self._take(resource, event)
                        if self._session.now_ms() >= end_ms:
                            break
            except Refused:
                # A version that is too old, or a list that failed: begin again.
                await self._session.wait_ms(_RETRY_MS)

    def _take(self, resource: Resource[Any], event: WatchEvent) -> None:
        version = str(event.version)
        if event.verb == BOOKMARK:
            self.mirror.reach(resource, version)
            return
        held = self.mirror.get(resource, event.key)
        if held is not None and int(held.metadata.resource_version) >= event.version:
            # It came twice.
            return
        if event.verb == DELETED:
            change = self.mirror.remove(resource, event.key, version)
        else:
            change = self.mirror.put(resource, event.thing, version)
        if change is not None:
            self._tell((change,))

    def _tell(self, changes: tuple[Change, ...]) -> None:
        if changes:
            self._hear(changes)
