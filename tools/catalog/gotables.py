"""Facts from tables that another project keeps as generated Go source.

Only names and numbers are taken: prices by region and type, branch interfaces by type, bandwidth
by type, and the day on which each file was made.
"""

import re
from typing import Final

from nodewright.catalog.pricelist import nano_price

_DATE: Final = re.compile(r"generated at (\d{4}-\d{2}-\d{2})T")
_REGION: Final = re.compile(r'^\t"([a-z]{2}(?:-[a-z]+)+-\d)": \{$', re.MULTILINE)
_PAIR: Final = re.compile(r'"([a-z][a-z0-9-]*\.[a-z0-9-]+)":\s*([0-9.]+),')
_LIMIT: Final = re.compile(
    r'^\t"([a-z][a-z0-9-]*\.[a-z0-9-]+)": \{\n(.*?)^\t\},', re.MULTILINE | re.DOTALL
)
_TRUNKING: Final = re.compile(r"IsTrunkingCompatible:\s*true")
_BRANCHES: Final = re.compile(r"BranchInterface:\s*(\d+)")


def read_date(source: str) -> str:
    """Give the day on which the file says it was made, or nothing."""
    found = _DATE.search(source)
    return found[1] if found else ""


def read_prices(source: str) -> dict[str, dict[str, int]]:
    """Read region to type to nano-units an hour."""
    starts = [(match[1], match.end()) for match in _REGION.finditer(source)]
    ends = [start for _, start in starts[1:]] + [len(source)]
    return {
        region: {name: nano_price(price) for name, price in _PAIR.findall(source[start:end])}
        for (region, start), end in zip(starts, ends, strict=True)
    }


def read_bandwidth(source: str) -> dict[str, int]:
    """Read type to baseline megabits a second."""
    return {name: int(megabits) for name, megabits in _PAIR.findall(source)}


def read_branches(source: str) -> dict[str, int]:
    """Read type to branch interfaces; a type that takes no trunk has none."""
    branches: dict[str, int] = {}
    for name, body in _LIMIT.findall(source):
        count = _BRANCHES.search(body)
        branches[name] = int(count[1]) if count and _TRUNKING.search(body) else 0
    return branches
