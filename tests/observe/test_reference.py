"""The documentation's page of metrics is the table."""

from nodewright.observe.families import GAUGES
from nodewright.observe.reference import metrics_document
from tidy import tree


def test_the_documentation_is_up_to_date():
    """If this fails: .venv/bin/python tools/metrics/make.py."""
    page = tree.ROOT / "docs" / "reference" / "metrics.md"

    assert page.read_text(encoding="utf-8") == metrics_document()


def test_every_gauge_has_a_row():
    assert all(f"| `{one.name}` |" in metrics_document() for one in GAUGES)
