"""An archive in S3: files under a place of a bucket, each put there whole."""

from nodewright.aws.bucket import Place
from nodewright.aws.calls import PUT_OBJECT
from nodewright.aws.gateway import Fault, Gateway


class S3Archive:
    """Keeps files in S3; putting the same one twice changes nothing."""

    def __init__(self, gateway: Gateway, place: Place) -> None:
        self._gateway = gateway
        self._place = place
        self.name = str(place)

    async def keep(self, name: str, content: bytes) -> str:
        """Put a file there; give why it is not kept, nothing where it is."""
        answer = await self._gateway.ask(
            PUT_OBJECT,
            {"Bucket": self._place.bucket, "Key": self._place.key(name), "Body": content},
        )
        return str(answer) if isinstance(answer, Fault) else ""
