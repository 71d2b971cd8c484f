import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sim.ownership import Ownership, flatten, unflatten
from nodewright.sim.refusals import Refused

LABELS = st.dictionaries(st.sampled_from("abc"), st.sampled_from("123"))


def meta(**labels):
    return {"metadata": {"labels": labels}}


def test_lists_with_keys_are_merged_by_key():
    owners = Ownership()
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    other = {"status": {"conditions": [{"type": "Other", "status": "False"}]}}
    now = owners.apply({}, ready, "one", force=False)
    now = owners.apply(now, other, "two", force=False)

    assert [one["type"] for one in now["status"]["conditions"]] == ["Ready", "Other"]


def test_a_list_without_keys_is_one_value():
    owners = Ownership()
    now = owners.apply({}, {"spec": {"taints": [{"key": "a"}]}}, "one", force=False)

    with pytest.raises(Refused):
        owners.apply(now, {"spec": {"taints": [{"key": "b"}]}}, "two", force=False)


def test_an_ordinary_write_takes_a_field_over():
    owners = Ownership()
    now = owners.apply({}, meta(a="1"), "one", force=False)
    owners.take(now, meta(a="2"), "editor")

    with pytest.raises(Refused, match="editor"):
        owners.apply(meta(a="2"), meta(a="3"), "one", force=False)


@given(first=LABELS, second=LABELS)
def test_what_one_manager_applies_last_is_what_stands(first, second):
    owners = Ownership()
    now = owners.apply({}, meta(**first), "one", force=False)
    now = owners.apply(now, meta(**second), "one", force=False)

    assert now.get("metadata", {}).get("labels", {}) == second


@given(value=st.dictionaries(st.sampled_from("abc"), LABELS))
def test_leaves_can_be_put_together_again(value):
    assert unflatten(flatten(value)) == value
