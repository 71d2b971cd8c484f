"""What the API server writes is read fast, and read right."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube.said import a_page, a_pod, a_status
from nodewright.kube.wire import Reader, read_page, read_status
from nodewright.model.node import Node
from nodewright.model.pod import Pod
from nodewright.model.resource import CSI_NODES, NODES, PODS
from nodewright.state.mirror import Unreadable


def raw(thing):
    return msgspec.Raw(msgspec.json.encode(thing))


def test_a_page_is_cut_into_objects():
    page = read_page(msgspec.json.encode(a_page(a_pod("a", 1), token="next")))

    assert page.metadata.continue_token == "next"
    assert [Reader(PODS).read(item).metadata.name for item in page.items] == ["a"]


def test_a_list_of_nothing_may_be_null():
    assert read_page(b'{"metadata":{"resourceVersion":"1"},"items":null}').items is None


def test_a_node_of_a_driver_that_lists_none_can_be_read():
    node = {"metadata": {"name": "n"}, "spec": {"drivers": None}}

    assert Reader(CSI_NODES).read(raw(node)).spec.drivers == ()


def test_what_does_not_fit_says_where():
    found = Reader(PODS).read(raw(a_pod("a", 3, priority="high")))

    assert found == Unreadable(
        "default/a", "3", "Expected `int | null`, got `str` - at `$.spec.priority`"
    )


@pytest.mark.parametrize("body", [b"", b"<html>gateway", b"[]", b"\xff\xfe"])
def test_what_is_no_status_is_its_own_message(body):
    assert isinstance(read_status(body).message, str)


def test_a_status_is_read_whole():
    body = msgspec.json.encode(a_status(429, "TooManyRequests", "later", retry_after_s=7))
    status = read_status(body)

    assert (status.code, status.message, status.details.retry_after_seconds) == (429, "later", 7)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(["nodeName", "tolerations", "containers", "volumes", "affinity"]), JSON)
def test_any_field_of_any_form_is_read_or_set_aside(field, value):
    found = Reader(PODS).read(raw(a_pod("a", 1, **{field: value})))

    assert isinstance(found, Pod | Unreadable)


def test_equal_parts_of_objects_are_one():
    reader = Reader(PODS)
    toleration = {"key": "a", "operator": "Exists"}
    container = {"resources": {"requests": {"cpu": "1"}}}
    first, second = (
        reader.read(raw(a_pod(name, 1, tolerations=[toleration], containers=[container])))
        for name in ("a", "b")
    )

    assert first.spec.tolerations is second.spec.tolerations
    assert first.metadata.namespace is second.metadata.namespace
    requests = [pod.spec.containers[0].resources.requests for pod in (first, second)]
    assert requests[0] is requests[1]
    assert requests[0] == {"cpu": "1"}


@given(st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=4))
def test_sharing_changes_nothing_that_can_be_read(labels):
    body = msgspec.json.encode({"metadata": {"name": "n", "labels": labels, "annotations": labels}})
    reader = Reader(NODES)
    for _ in range(2):
        assert reader.read(msgspec.Raw(body)) == msgspec.json.decode(body, type=Node)


def test_amounts_that_are_equal_and_not_the_same_stay_apart():
    reader = Reader(PODS)
    amounts = [
        reader.read(raw(a_pod(name, 1, containers=[{"resources": {"requests": {"cpu": cpu}}}])))
        .spec.containers[0]
        .resources.requests["cpu"]
        for name, cpu in (("a", 1), ("b", 1.5), ("c", "1"), ("d", 1.0))
    ]

    assert [type(amount) for amount in amounts] == [int, float, str, float]
