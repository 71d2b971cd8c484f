"""A page of gauges is one that Prometheus reads, whatever the labels hold."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from nodewright.observe.page import Page, write_labels

NAME = "karpenter_nodepools_limit"


def read(page):
    return [
        (sample.name, sample.labels, sample.value)
        for family in text_string_to_metric_families(page.write().decode())
        for sample in family.samples
    ]


@given(st.text(min_size=1), st.floats(allow_nan=False))
def test_what_is_written_is_what_is_read(pool, value):
    page = Page()
    page.set(NAME, value, ("cpu", pool))

    assert read(page) == [(NAME, {"resource_type": "cpu", "nodepool": pool}, value)]


def test_labels_without_a_value_are_left_out():
    assert write_labels(("a", "b", "c"), ("1", "", "3")) == 'a="1",c="3"'


def test_a_family_without_rows_is_not_there_and_one_without_labels_has_no_braces():
    page = Page()
    page.set("karpenter_cluster_state_node_count", 3)

    assert page.write().decode().splitlines() == [
        "# HELP karpenter_cluster_state_node_count Nodes that are known.",
        "# TYPE karpenter_cluster_state_node_count gauge",
        "karpenter_cluster_state_node_count 3.0",
    ]
