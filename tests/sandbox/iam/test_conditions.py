"""Condition operators, case by case from what AWS documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sandbox.iam.conditions import NEGATED, OPERATORS, Condition, holds, read_operator
from nodewright.sandbox.iam.context import Context, context


def met(operator, wanted, *found, key="k:x"):
    values = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    known = context({key: found}) if found else Context()
    return holds(Condition(read_operator(operator), "k:x", values), known, variables=True)


@pytest.mark.parametrize(
    ("operator", "wanted", "found", "result"),
    [
        ("StringEquals", "a", "a", True),
        ("StringEquals", ["a", "b"], "b", True),
        ("StringEquals", "a*", "ab", False),
        ("StringEquals", "A", "a", False),
        ("StringEqualsIgnoreCase", "A", "a", True),
        ("StringNotEquals", ["a", "b"], "b", False),
        ("StringNotEquals", ["a", "b"], "c", True),
        ("StringNotEqualsIgnoreCase", "A", "a", False),
        ("StringLike", "a*c?", "abbcd", True),
        ("StringLike", "*karpenter*", "my-karpenter-node", True),
        ("StringNotLike", "a*", "ab", False),
        ("NumericEquals", "10", "10.0", True),
        ("NumericNotEquals", "10", "10.0", False),
        ("NumericLessThan", "10", "9", True),
        ("NumericLessThan", "10", "10", False),
        ("NumericLessThanEquals", "10", "10", True),
        ("NumericGreaterThan", "10", "11", True),
        ("NumericGreaterThanEquals", "10", "9", False),
        ("NumericLessThan", "10", "many", False),
        ("DateLessThan", "2030-01-01T00:00:00Z", "2026-01-01T00:00:00Z", True),
        ("DateGreaterThan", "2030-01-01T00:00:00Z", "2026-01-01T00:00:00Z", False),
        ("DateGreaterThanEquals", "1767225600", "2026-01-01T00:00:00Z", True),
        ("DateEquals", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", True),
        ("DateNotEquals", "2026-01-01", "2026-01-01T00:00:00Z", False),
        ("Bool", "true", "TRUE", True),
        ("Bool", "true", "false", False),
        ("BinaryEquals", "QmluYXJ5", "QmluYXJ5", True),
        ("BinaryEquals", "QmluYXJ5", "QmluYXI=", False),
        ("IpAddress", "203.0.113.0/24", "203.0.113.9", True),
        ("IpAddress", "203.0.113.0/24", "198.51.100.1", False),
        ("IpAddress", "2001:db8::/32", "2001:db8::1", True),
        ("NotIpAddress", "203.0.113.0/24", "198.51.100.1", True),
        ("IpAddress", "203.0.113.9", "203.0.113.9", True),
        ("ArnEquals", "arn:aws:sns:*:1:t", "arn:aws:sns:r:1:t", True),
        ("ArnLike", "arn:aws:sns:*:1:t", "arn:aws:sns:r:1:t", True),
        ("ArnNotLike", "arn:aws:sns:*:1:t", "arn:aws:sns:r:2:t", True),
        ("ArnNotEquals", "arn:aws:sns:*:1:t", "arn:aws:sns:r:1:t", False),
    ],
)
def test_an_operator_compares_one_value(operator, wanted, found, result):
    assert met(operator, wanted, found) is result


@pytest.mark.parametrize(
    ("operator", "wanted", "found", "result"),
    [
        ("ForAllValues:StringEquals", ["a", "b"], ["a"], True),
        ("ForAllValues:StringEquals", ["a", "b"], ["a", "c"], False),
        ("ForAllValues:StringEquals", ["a", "b"], [], True),
        ("ForAnyValue:StringEquals", ["a", "b"], ["c", "a"], True),
        ("ForAnyValue:StringEquals", ["a", "b"], ["c"], False),
        ("ForAnyValue:StringEquals", ["a", "b"], [], False),
        ("ForAnyValue:StringNotEquals", ["a", "b"], ["a", "c"], True),
        ("ForAnyValue:StringNotEquals", ["a", "b"], ["a"], False),
        ("ForAnyValue:StringNotEquals", ["a", "b"], [], False),
        ("ForAllValues:StringNotEquals", ["a", "b"], ["c", "d"], True),
        ("ForAllValues:StringNotEquals", ["a", "b"], ["c", "a"], False),
        ("ForAllValues:StringNotEquals", ["a", "b"], [], True),
        ("ForAnyValue:StringEqualsIfExists", "a", [], True),
        ("StringEquals", "a", ["b", "a"], True),
        ("StringNotEquals", "a", ["b", "a"], False),
    ],
)
def test_several_values_are_quantified(operator, wanted, found, result):
    assert met(operator, wanted, *found) is result


@pytest.mark.parametrize(("wanted", "there", "result"), [
    ("true", False, True), ("true", True, False), ("false", True, True), ("false", False, False),
])  # fmt: skip
def test_null_asks_only_whether_the_key_is_there(wanted, there, result):
    assert met("Null", wanted, *(["x"] if there else [])) is result


@pytest.mark.parametrize("base", sorted(OPERATORS - {"Null"}))
def test_a_missing_key_passes_negated_operators_and_whatever_ends_in_if_exists(base):
    value = {"I": "10.0.0.0/8", "N": "1", "B": "true", "D": "1"}.get(base[0], "arn:aws:a:b:c:d")
    value = "10.0.0.0/8" if "Ip" in base else "true" if base == "Bool" else value

    assert met(base, value) is (base in NEGATED)
    assert met(f"{base}IfExists", value) is True


@given(
    st.sampled_from(["String", "Numeric", "Date", "Arn"]),
    st.lists(st.sampled_from(["1", "2", "3"]), min_size=1, max_size=3),
    st.sampled_from(["1", "2", "3", "4"]),
)
def test_a_negated_operator_is_the_opposite_for_a_single_value(family, wanted, found):
    form = "arn:aws:a:b:c:{}" if family == "Arn" else "{}"
    values, value = [form.format(one) for one in wanted], form.format(found)

    assert met(f"{family}Equals", values, value) is not met(f"{family}NotEquals", values, value)


@given(st.lists(st.sampled_from("abc"), max_size=4), st.lists(st.sampled_from("abc"), min_size=1))
def test_for_any_of_the_opposite_is_not_for_all(found, wanted):
    every = met("ForAllValues:StringEquals", wanted, *found)

    assert every is not met("ForAnyValue:StringNotEquals", wanted, *found)


def test_key_names_do_not_depend_on_case():
    assert met("StringEquals", "a", "a", key="K:X")


@pytest.mark.parametrize("text", ["StringEqual", "stringequals", "NullIfExists", "ForAll:Bool", ""])
def test_an_operator_that_does_not_exist_is_not_read(text):
    assert read_operator(text) is None


@given(st.sampled_from(sorted(OPERATORS)), st.sampled_from(["", "ForAllValues", "ForAnyValue"]))
def test_an_operator_is_written_as_it_was_read(base, quantifier):
    text = f"{quantifier}:{base}" if quantifier else base

    assert str(read_operator(text)) == text
