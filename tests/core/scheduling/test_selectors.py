"""Label selectors, as Kubernetes reads them."""

import pytest

from builders import a_selector
from nodewright.core.scheduling.selectors import (
    NOTHING,
    Selector,
    narrow_selector,
    read_selector,
)


@pytest.mark.parametrize(
    ("selector", "labels", "selected"),
    [
        (a_selector(), {}, True),
        (a_selector(app="web"), {"app": "web", "x": "y"}, True),
        (a_selector(app="web"), {"app": "db"}, False),
        (a_selector(app="web"), {}, False),
        (a_selector(("tier", "In", "a", "b")), {"tier": "b"}, True),
        (a_selector(("tier", "In", "a", "b")), {}, False),
        (a_selector(("tier", "NotIn", "a")), {}, True),
        (a_selector(("tier", "NotIn", "a")), {"tier": "a"}, False),
        (a_selector(("tier", "Exists")), {"tier": ""}, True),
        (a_selector(("tier", "Exists")), {}, False),
        (a_selector(("tier", "DoesNotExist")), {}, True),
        (a_selector(("tier", "DoesNotExist")), {"tier": "a"}, False),
        (a_selector(("tier", "Exists"), app="web"), {"app": "web"}, False),
    ],
)
def test_a_selector_selects_what_kubernetes_says(selector, labels, selected):
    assert read_selector(selector).selects(labels) is selected


@pytest.mark.parametrize(
    "selector",
    [
        None,
        a_selector(("tier", "Gt", "1")),
        a_selector(("tier", "In")),
        a_selector(("tier", "Exists", "a")),
    ],
)
def test_no_selector_and_one_that_cannot_be_read_select_nothing(selector):
    assert read_selector(selector) is NOTHING
    assert not NOTHING.selects({})


def test_selectors_that_select_alike_are_equal():
    one = a_selector(("a", "In", "x", "y"), ("b", "Exists"), app="web")
    other = a_selector(("b", "Exists"), ("a", "In", "y", "x"), app="web")
    assert read_selector(one) == read_selector(other)
    assert hash(read_selector(one)) == hash(read_selector(other))


def test_a_pods_own_values_narrow_a_selector():
    narrowed = narrow_selector(Selector(), {"rev": "2"}, ("rev", "absent"))
    assert narrowed.selects({"rev": "2"})
    assert not narrowed.selects({"rev": "1"})
    apart = narrow_selector(Selector(), {"rev": "2"}, ("rev",), "NotIn")
    assert not apart.selects({"rev": "2"})
    assert narrow_selector(NOTHING, {"rev": "2"}, ("rev",)) is NOTHING
