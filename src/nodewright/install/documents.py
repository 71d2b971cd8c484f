"""Policy documents of IAM as AWS gives them."""

from typing import Any
from urllib.parse import unquote

import msgspec

from nodewright.install.found import Json


def read_document(written: Any) -> Json:
    """Read a policy document, which boto3 gives decoded or as quoted text."""
    if isinstance(written, str):
        decoded: Json = msgspec.json.decode(unquote(written))
        return decoded
    return dict(written)
