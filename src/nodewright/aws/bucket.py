"""A place in S3: a bucket, and how the keys in it begin.

What could mean more than one key in a policy is refused, so that a place stands for itself alone.
"""

import re
from typing import Final

import msgspec

_WRITTEN: Final = re.compile(
    r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?P<prefix>(/[\w!.'()=-]+)*)/?", re.ASCII
)
EXAMPLE: Final = "s3://my-bucket/journal/my-cluster"


class Place(msgspec.Struct, frozen=True):
    """A bucket, and a folder in it; no folder is the whole bucket."""

    bucket: str
    folder: str = ""

    def key(self, name: str) -> str:
        """Give the key of something that is kept here."""
        return f"{self.folder}/{name}" if self.folder else name

    def __str__(self) -> str:
        """Write it as people do."""
        return f"s3://{self.bucket}/{self.folder}".rstrip("/")


def read_place(written: str) -> Place | None:
    """Read a place such as `s3://bucket/folder`; nothing where it is none."""
    found = _WRITTEN.fullmatch(written)
    return Place(found["bucket"], found["prefix"].strip("/")) if found else None
