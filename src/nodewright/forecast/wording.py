"""The numbers of a forecast in words: their titles, how they are written, and the model behind them."""

from collections.abc import Callable
from typing import Final, NamedTuple

from nodewright.forecast.report import Forecast


class Line(NamedTuple):
    """A number of the report: its key, its title, and how it is written."""

    key: str
    title: str
    shown: Callable[[float], str]


def _money(value: float) -> str:
    return f"${value:,.2f}"


def _share(value: float) -> str:
    return f"{value:.1%}"


def _seconds(value: float) -> str:
    return f"{value:.1f} s"


def _number(value: float) -> str:
    return f"{value:,.1f}"


LINES: Final = (
    Line("cost", "cost", _money),
    Line("waste", "of it idle", _money),
    Line("nodeHours", "node-hours", _number),
    Line("nodesMean", "nodes, mean", _number),
    Line("nodesMost", "nodes, most", _number),
    Line("nodesLaunched", "nodes launched", _number),
    Line("cpuRequestedShare", "cpu requested", _share),
    Line("memoryRequestedShare", "memory requested", _share),
    Line("waitP50Seconds", "pods wait, p50", _seconds),
    Line("waitP95Seconds", "pods wait, p95", _seconds),
    Line("waitP99Seconds", "pods wait, p99", _seconds),
    Line("pods", "pods", _number),
    Line("unstarted", "pods left waiting", _number),
    Line("moves", "moves", _number),
    Line("movesPerPod", "moves per pod", lambda value: f"{value:.3f}"),
    Line("interruptions", "spot interruptions", _number),
    Line("capacityErrors", "capacity errors", _number),
)


def state_model(found: Forecast) -> list[str]:
    """Say what was run and what was assumed."""
    ground = found.ground
    cloud = ground.cloud
    seeds = len(ground.seeds)
    runs = f"seed {ground.seeds[0]}" if seeds == 1 else f"{seeds} seeds from {ground.seeds[0]}"
    asked = (
        f"{ground.workload} for {found.days:.2f} days of virtual time in {ground.region}, {runs}"
    )
    taken = f"a spot machine is taken back {cloud.interruptions_per_hour:g} times an hour"
    short = f"{cloud.sold_out_share:.1%} of offerings are sold out at any time"
    spot = f"spot at {cloud.spot_price_share:.0%} of on-demand unless known"
    return [
        f"{asked}; ± is half of a 95 % interval over seeds",
        f"model: {taken}, {short}; prices of the catalog, {spot}",
    ]
