import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sim.patches import apply_steps, merge
from nodewright.sim.refusals import Refused

PLAIN = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


# The examples of RFC 7386, appendix A.
@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_merge_patch_is_that_of_the_standard(target, patch, result):
    assert merge(target, patch) == result


@given(target=PLAIN, patch=PLAIN)
def test_merging_twice_is_merging_once(target, patch):
    once = merge(target, patch)

    assert merge(once, patch) == once


@given(value=st.dictionaries(st.text(max_size=3), PLAIN))
def test_an_empty_patch_changes_nothing(value):
    assert merge(value, {}) == value
    assert apply_steps(value, []) == value


def test_steps_add_replace_remove_move_and_copy():
    steps = [
        {"op": "add", "path": "/list/-", "value": 3},
        {"op": "add", "path": "/list/0", "value": 0},
        {"op": "replace", "path": "/list/1", "value": 9},
        {"op": "copy", "from": "/list/0", "path": "/first"},
        {"op": "move", "from": "/gone", "path": "/kept"},
        {"op": "remove", "path": "/list/2"},
    ]

    done = apply_steps({"list": [1, 2], "gone": "x"}, steps)
    assert done == {"list": [0, 9, 3], "first": 0, "kept": "x"}


@pytest.mark.parametrize(
    "step",
    [
        {"op": "replace", "path": "/a", "value": 1},
        {"op": "remove", "path": "/list/7"},
        {"op": "add", "path": "/list/9", "value": 1},
        {"op": "add", "path": "/a/b", "value": 1},
        {"op": "test", "path": "/list/0", "value": 2},
        {"op": "copy", "from": "/a", "path": "/b"},
    ],
)
def test_a_step_that_cannot_be_taken_refuses_all(step):
    before = {"list": [1]}
    with pytest.raises(Refused):
        apply_steps(before, [{"op": "add", "path": "/x", "value": 1}, step])

    assert before == {"list": [1]}
