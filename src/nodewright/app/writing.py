"""Files written whole or not at all."""

import gzip
import os
import tempfile
from pathlib import Path

from nodewright.model.errors import UserError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file in one step; a name that ends in .gz is packed. Nobody else may read it."""
    packed = gzip.compress(data, mtime=0) if path.suffix == ".gz" else data
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(packed)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(
            f"the file cannot be written: {error.strerror or error}",
            code="NW-9018",
            where=str(path),
        ) from None
