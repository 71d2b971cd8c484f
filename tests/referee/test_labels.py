"""Labels, expression by expression."""

import pytest

from builders import want
from nodewright.model.labels import ZONE
from nodewright.model.requirements import read_requirement
from referee.labels import accepts_missing, can_meet, expression_holds, normalized, values_of


@pytest.mark.parametrize(
    ("expression", "true_of", "false_of"),
    [
        (want("k", "In", "a", "b"), ["a", "b"], ["c", None]),
        (want("k", "NotIn", "a"), ["b", None], ["a"]),
        (want("k", "Exists"), ["a", ""], [None]),
        (want("k", "DoesNotExist"), [None], ["a"]),
        (want("k", "Gt", "5"), ["6", "40"], ["5", "x", None]),
        (want("k", "Gte", "5"), ["5", "6"], ["4", None]),
        (want("k", "Lt", "5"), ["4", "-1"], ["5", "40", None]),
        (want("k", "Lte", "5"), ["5", "4"], ["6", None]),
    ],
)
def test_an_expression_is_true_of_some_values_and_false_of_others(expression, true_of, false_of):
    for value in true_of:
        assert expression_holds(expression, {} if value is None else {"k": value})
    for value in false_of:
        assert not expression_holds(expression, {} if value is None else {"k": value})


def test_old_keys_are_read_as_todays():
    assert normalized({"failure-domain.beta.kubernetes.io/zone": "a"}) == {ZONE: "a"}
    both = {ZONE: "new", "failure-domain.beta.kubernetes.io/zone": "old"}
    assert normalized(both) == {ZONE: "new"}
    assert expression_holds(want("failure-domain.beta.kubernetes.io/zone", "In", "a"), {ZONE: "a"})


@pytest.mark.parametrize(
    ("left", "right", "meet"),
    [
        (want("k", "In", "a"), want("k", "In", "a", "b"), True),
        (want("k", "In", "a"), want("k", "NotIn", "a"), False),
        (want("k", "DoesNotExist"), want("k", "NotIn", "a"), True),
        (want("k", "DoesNotExist"), want("k", "Gt", "1"), False),
        (want("k", "DoesNotExist"), want("k", "Exists"), False),
        (want("k", "Gt", "5"), want("k", "Lt", "6"), False),
        (want("k", "Gt", "5"), want("k", "Lt", "7"), True),
        (want("k", "NotIn", "a"), want("k", "Exists"), True),
        (want("k", "In", "1", "9"), want("k", "Gt", "1"), True),
    ],
)
def test_two_demands_meet_where_one_label_can_satisfy_both(left, right, meet):
    assert can_meet(read_requirement(left), read_requirement(right)) is meet
    assert can_meet(read_requirement(right), read_requirement(left)) is meet


def test_listed_values_are_all_looked_at():
    sides = [
        read_requirement(want("k", "In", "1", "9", "x")),
        read_requirement(want("k", "Gt", "1")),
    ]
    assert values_of(sides) == ["9"]


def test_a_label_that_must_be_there_is_not_missing_whatever_value_is_ruled_out():
    ruled_out = read_requirement(want("k", "NotIn", "a"))
    assert accepts_missing(ruled_out)
    assert not accepts_missing(ruled_out.intersect(read_requirement(want("k", "Exists"))))
