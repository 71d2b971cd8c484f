"""What only EC2 is asked for: what it has for a class of machines, and tags on those that became nodes."""

from collections.abc import Mapping
from typing import Protocol

from nodewright.model.classfacts import ClassFacts, Trouble
from nodewright.model.ec2nodeclass import EC2NodeClass


class Classes(Protocol):
    """Somebody who knows what the selectors of classes find."""

    async def find(self, node_class: EC2NodeClass) -> ClassFacts:
        """Give what was found for a class, and make what its machines need."""
        ...

    async def release(self, node_class: EC2NodeClass) -> Trouble | None:
        """Give back what was made for a class; trouble where that must be tried again."""
        ...

    async def tag(self, provider_id: str, tags: Mapping[str, str]) -> Trouble | None:
        """Put tags on a machine; those that it has stay as they are."""
        ...
