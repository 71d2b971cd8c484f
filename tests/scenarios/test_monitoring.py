"""Dashboards and alerts of the chart ask for metrics that exist, by labels that those have."""

import subprocess
import sys

import pytest

from builders.monitoring import FILES, alert_rules, dashboard_queries, labels_in, names_in
from nodewright.observe.families import COUNTERS, GAUGES, HISTOGRAMS, SUMMARIES
from nodewright.observe.metrics import FAMILIES
from tidy import tree

QUERIES = {**dashboard_queries(), **{name: rule["expr"] for name, rule in alert_rules().items()}}
OF_PROMETHEUS = {"le", "pod", "job", "instance"}


def series():
    """Give every series that a page can have, with its labels."""
    found = {one.name: one.labels for one in (*COUNTERS, *GAUGES)}
    for one in (*HISTOGRAMS, *SUMMARIES):
        for ending in ("_sum", "_count"):
            found[one.name + ending] = one.labels
    found |= {f"{one.name}_bucket": one.labels for one in HISTOGRAMS}
    return found | {one.name: one.labels for one in SUMMARIES}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_every_metric_that_is_asked_for_exists_with_the_labels_that_are_asked_for(query):
    known = series()
    names = names_in(query)

    assert names
    assert names <= known.keys()
    labels = {label for name in names for label in known[name]} | OF_PROMETHEUS
    assert labels_in(query) <= labels


def test_the_dashboards_are_those_of_the_table(tmp_path):
    """If this fails: .venv/bin/python tools/dashboards/make.py."""
    code = "import make; print(''.join(make.dashboard(one) for one in make.BOARDS), end='')"
    made = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree.ROOT / "tools" / "dashboards", capture_output=True, text=True, check=True,
    )  # fmt: skip
    order = ("overview", "capacity", "disruption", "controller")
    written = "".join((FILES / "dashboards" / f"{one}.json").read_text() for one in order)

    assert made.stdout == written


def test_every_alert_says_what_to_do_and_is_documented():
    page = (tree.ROOT / "docs" / "how-to" / "observe.md").read_text(encoding="utf-8")
    for name, rule in alert_rules().items():
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
        assert f"`{name}`" in page


def test_no_family_of_the_table_is_split_by_what_has_no_bound():
    """Uids, provider ids, messages and decisions would grow without end."""
    endless = {"uid", "provider_id", "message", "decision_id", "note", "id"}

    assert not [one.name for one in FAMILIES if endless & set(one.labels)]
