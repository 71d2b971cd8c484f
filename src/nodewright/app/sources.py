"""Where offline commands get their World: a snapshot file, or standard input."""

import sys
from pathlib import Path

from nodewright.model.errors import UserError
from nodewright.state.snapshot import SIZE_MAX_BYTES, Snapshot, read_snapshot


def open_snapshot(source: str) -> Snapshot:
    """Read a snapshot from a path, or from standard input for `-`."""
    if source == "-":
        data = sys.stdin.buffer.read(SIZE_MAX_BYTES + 1)
        name = "standard input"
    else:
        data, name = _read_file(Path(source)), source
    if len(data) > SIZE_MAX_BYTES:
        raise UserError("the snapshot is larger than 2 GiB", code="NW-9012", where=name)
    return read_snapshot(data, name)


def _read_file(path: Path) -> bytes:
    try:
        if path.is_file() and path.stat().st_size > SIZE_MAX_BYTES:
            raise UserError("the snapshot is larger than 2 GiB", code="NW-9012", where=str(path))
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            f"the snapshot cannot be read: {error.strerror or error}",
            code="NW-9013",
            where=str(path),
            advice="give the path of a snapshot, or - for standard input",
        ) from None
