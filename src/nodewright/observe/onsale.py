"""Metrics of what is on sale: what types have, and what each way to buy them costs and whether it can be had.

There are thousands of rows, which change only when the cloud gives another answer; they are written then. A
price or a place that one class can have counts as there.
"""

from typing import Final

from nodewright.model.instance import NANO, InstanceType
from nodewright.model.labels import ZONE_ID
from nodewright.model.quantity import MILLI
from nodewright.observe.page import Page

_PREFIX: Final = "karpenter_cloudprovider_instance_type_"
CPU: Final = f"{_PREFIX}cpu_cores"
MEMORY: Final = f"{_PREFIX}memory_bytes"
PRICE: Final = f"{_PREFIX}offering_price_estimate"
AVAILABLE: Final = f"{_PREFIX}offering_available"


class OnSale:
    """What the cloud last said to be on sale, class by class."""

    def __init__(self) -> None:
        self._types: dict[str, tuple[InstanceType, ...]] = {}
        self._page: bytes | None = None

    def learn(self, node_class: str, types: tuple[InstanceType, ...]) -> None:
        """Take note of an answer of the cloud."""
        if self._types.get(node_class) is not types:
            self._types[node_class] = types
            self._page = None

    def zone_id(self, zone: str) -> str:
        """Give the id that a zone has in every account; nothing where no offering tells."""
        for many in self._types.values():
            for one in many:
                for each in one.offerings:
                    if each.zone == zone:
                        return each.requirements.labels().get(ZONE_ID, "")
        return ""

    def write(self) -> bytes:
        """Write the rows of everything that is on sale."""
        if self._page is None:
            self._page = self._fill()
        return self._page

    def _fill(self) -> bytes:
        page = Page()
        kinds = {one.name: one for many in self._types.values() for one in many}
        for name, one in sorted(kinds.items()):
            page.set(CPU, one.capacity.get("cpu", 0) / MILLI, (name,))
            page.set(MEMORY, one.capacity.get("memory", 0) / MILLI, (name,))
        offered: dict[tuple[str, str, str], tuple[bool, int]] = {}
        for many in self._types.values():
            for one in many:
                for each in one.offerings:
                    key = (one.name, each.capacity_type, each.zone)
                    known = offered.get(key, (False, 0))
                    offered[key] = max(known, (each.available, each.price))
        for (name, kind, zone), (available, price) in sorted(offered.items()):
            # These come from the cloud and hold nothing that must be escaped.
            labels = f'instance_type="{name}",capacity_type="{kind}",zone="{zone}"'
            page.add(PRICE, price / NANO, labels)
            page.add(AVAILABLE, int(available), labels)
        return page.write()
