"""Values of the chart: its own defaults, with what somebody wants laid over them.

The chart's files are the one source: its `values.yaml` and its roles are read from the chart itself, which lies
beside this room when installed and in `charts/` in a checkout. Values are merged as Helm merges
them: maps by key, everything else is replaced, and a null takes a default away.
"""

import difflib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import yaml

from nodewright.model.errors import UserError

type Values = dict[str, Any]

BAD_VALUES: Final = "NW-9709"
CHART: Final = "nodewright"
_NAME_MAX: Final = 63


def chart_folder() -> Path:
    """Give the folder of the controller's chart: beside this room when installed, else the checkout's."""
    here = Path(__file__).resolve()
    installed = here.parents[1] / "charts"
    return (installed if installed.is_dir() else here.parents[4] / "charts") / CHART


@cache
def _read(name: str) -> bytes:
    return (chart_folder() / name).read_bytes()


def read_chart_file(name: str) -> Values:
    """Read one YAML document of the chart, fresh for every caller."""
    document: Values = yaml.load(_read(name), Loader=yaml.CSafeLoader)
    return document


def read_dashboards() -> dict[str, str]:
    """Give the Grafana dashboards of the chart by their file names."""
    found = sorted((chart_folder() / "files" / "dashboards").glob("*.json"))
    return {one.name: one.read_text(encoding="utf-8") for one in found}


def merge_values(wanted: Mapping[str, Any]) -> Values:
    """Lay values over the chart's defaults; a name that the chart does not have is refused."""
    defaults = read_chart_file("values.yaml")
    _refuse_unknown(wanted, msgspec.json.decode(_read("values.schema.json")), "")
    return _merge(defaults, wanted)


class Release(NamedTuple):
    """Under which name the chart is installed, and where."""

    name: str = CHART
    namespace: str = CHART


class Names(NamedTuple):
    """What the objects of a release are called, and the labels by which its pods are found."""

    full_name: str
    account: str
    own: Mapping[str, str]
    version: str


def name_release(values: Values, release: Release) -> Names:
    """Give the names as Helm's templates make them."""
    name = values["nameOverride"] or CHART
    long = release.name if name in release.name else f"{release.name}-{name}"
    full_name = _shorten(values["fullnameOverride"] or long)
    account = values["serviceAccount"]
    unnamed = full_name if account["create"] else "default"
    own = {"app.kubernetes.io/name": _shorten(name), "app.kubernetes.io/instance": release.name}
    version = str(read_chart_file("Chart.yaml")["appVersion"])
    return Names(full_name, account["name"] or unnamed, own, version)


def without_empty(block: Values) -> Values:
    """Leave out what is empty or off, as the templates do; an empty text is something said."""
    return {name: value for name, value in block.items() if value or value == ""}


def _shorten(name: str) -> str:
    return name[:_NAME_MAX].removesuffix("-")


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> Values:
    merged = dict(below)
    for name, value in above.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(merged.get(name), Mapping):
            merged[name] = _merge(merged[name], value)
        else:
            merged[name] = value
    return merged


def _refuse_unknown(wanted: Mapping[str, Any], schema: Mapping[str, Any], above: str) -> None:
    known = schema.get("properties")
    if known is None:
        return
    for name, value in wanted.items():
        path = f"{above}{name}"
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise UserError(
                f"the chart has no value {path}",
                code=BAD_VALUES,
                advice=f"did you mean {above}{near[0]}?"
                if near
                else "see charts/nodewright/values.yaml",
            )
        if isinstance(value, Mapping):
            _refuse_unknown(value, known[name], f"{path}.")
