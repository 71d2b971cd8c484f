"""The text of a value as it stands in the file."""

from nodewright.model.path import Path
from nodewright.state.manifests import Manifest


def written(manifest: Manifest, path: Path) -> str:
    """Give a scalar as it was written, or nothing where it fills several lines or is not there."""
    mark = manifest.locate(path).value
    if mark.line != mark.end_line:
        return ""
    lines = manifest.document.text.splitlines()
    row = mark.line - manifest.document.lines_before - 1
    if not 0 <= row < len(lines):
        return ""
    return lines[row][mark.column - 1 : mark.end_column - 1]
