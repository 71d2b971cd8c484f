"""A page of metrics, read as Prometheus reads it."""

from prometheus_client.parser import text_string_to_metric_families

from nodewright.observe.metrics import Metrics

type Row = tuple[tuple[str, str], ...]


def samples(metrics: Metrics, name: str) -> dict[Row, float]:
    """Give the rows of one family by their labels, without those that are empty."""
    page = metrics.page().decode()
    return {
        tuple(sorted((key, value) for key, value in sample.labels.items() if value)): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
        if sample.name == name
    }
