"""Archive: where files are kept for longer than we keep them ourselves."""

from typing import Protocol


class Archive(Protocol):
    """Somewhere else, slow and not always there."""

    @property
    def name(self) -> str:
        """How people call it."""
        ...

    async def keep(self, name: str, content: bytes) -> str:
        """Keep a file; give why it is not kept, nothing where it is. Keeping it again changes nothing."""
        ...
