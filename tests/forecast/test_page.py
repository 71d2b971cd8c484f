from nodewright.forecast.measured import Measured, Point
from nodewright.forecast.page import write_page
from nodewright.forecast.report import Ground, summarize
from nodewright.forecast.setup import CloudModel


def a_run(policy, seed, cost):
    series = (Point(0, 0, 3, 0.0, 0.0, 0.0), Point(3_600_000, 2, 0, 1.5, 4.0, 8.0))
    return Measured(
        policy, seed, 3_600_000, cost, node_hours=2.0, waits={300: 9, 900: 1}, series=series
    )


def a_forecast():
    runs = [
        a_run("ours", 1, 10.0),
        a_run("ours", 2, 12.0),
        a_run("a<b", 1, 11.0),
        a_run("a<b", 2, 13.5),
    ]
    return summarize(Ground("shop", "us-east-1", (1, 2), CloudModel()), ["ours", "a<b"], runs)


def test_a_report_compares_seed_by_seed():
    ours, other = a_forecast().policies

    assert ours.values["cost"].mean == 11.0
    assert ours.values["waitP50Seconds"].mean == 30.0
    assert ours.values["waitP95Seconds"].mean == 90.0
    assert other.against_first["cost"].mean == 1.25
    assert ours.against_first == {}


def test_a_page_needs_nothing_from_elsewhere_and_escapes_names():
    page = write_page(a_forecast())

    assert "http" not in page
    assert "<script" not in page
    assert "a&lt;b" in page
    assert "a<b" not in page
    assert page.count("<svg") == 5
