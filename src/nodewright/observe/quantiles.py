"""A summary with quantiles over the latest observations, which the client library does not have."""

from collections import deque
from collections.abc import Iterator
from typing import Final

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from nodewright.observe.family import Family

KEPT_MAX: Final = 1_000
QUANTILES: Final = (0.0, 0.5, 0.9, 0.99, 1.0)


class _Series:
    def __init__(self) -> None:
        self.latest: deque[float] = deque(maxlen=KEPT_MAX)
        self.count = 0
        self.total = 0.0


class Summary(Collector):
    """Counts and sums everything, and keeps the latest for quantiles."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._series: dict[tuple[str, ...], _Series] = {}

    def observe(self, value: float, *labels: str) -> None:
        """Take note of one value."""
        series = self._series.setdefault(labels, _Series())
        series.latest.append(value)
        series.count += 1
        series.total += value

    def collect(self) -> Iterator[Metric]:
        """Give the family for a page."""
        name = self._family.name
        metric = Metric(name, self._family.about, "summary")
        for values, series in sorted(self._series.items()):
            labels = dict(zip(self._family.labels, values, strict=True))
            for quantile in QUANTILES:
                metric.add_sample(
                    name, {**labels, "quantile": f"{quantile:g}"}, _quantile(series, quantile)
                )
            metric.add_sample(f"{name}_count", labels, series.count)
            metric.add_sample(f"{name}_sum", labels, series.total)
        yield metric


def _quantile(series: _Series, quantile: float) -> float:
    ordered = sorted(series.latest)
    return ordered[min(len(ordered) - 1, int(quantile * len(ordered)))]
