"""Arithmetic over an instance type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.expression import DEPTH_MAX, LENGTH_MAX, read_expression, work_out
from nodewright.model.expression_term import INTEGER_MAX, BadExpression

M5_LARGE = {
    "vcpus": 2,
    "memory_mib": 8192,
    "default_enis": 3,
    "ips_per_eni": 10,
    "max_pods": 29,
    "instance_type": "m5.large",
}
C6A_4XLARGE = {**M5_LARGE, "vcpus": 16, "memory_mib": 30720, "instance_type": "c6a.4xlarge"}
EKS_CPU = (
    "min(vcpus, 1) * 60 + min(max(vcpus - 1, 0), 1) * 10 "
    "+ min(max(vcpus - 2, 0), 2) * 5 + max(vcpus - 4, 0) * 2.5"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("110", 110),
        ("0x10 + 1", 17),
        ("((default_enis - 1) * (ips_per_eni - 1)) + 2", 20),
        ("min(250, ((default_enis - 1) * (ips_per_eni - 1)) * 16 + 2)", 250),
        ("min(110, max_pods)", 29),
        ("11 * max_pods + 255", 574),
        ("max(100, memory_mib / 64)", 128),
        (EKS_CPU, 70),
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("2 + 3 * 4 - 5", 9),
        ("- - 5", 5),
        ("7.0 / 2", 3),
        ("double(7) / 2.0 * 2.0", 7),
        ("int(2.9) + 1", 3),
        ("1e3", 1000),
        ("min(1.5, 2)", 1),
        ("vcpus <= 2 ? 110 : 250", 110),
        ("vcpus > 2 && memory_mib > 1 || !(vcpus == 2) ? 1 : 2", 2),
        ("instance_type == 'm5.large' ? 10 : 20", 10),
        ('instance_type != "m5.large" ? 10 : 20', 20),
        ("instance_type.startsWith('m5.') ? 10 : 20", 10),
        ("instance_type.endsWith('metal') || instance_type.contains('flex') ? 10 : 20", 20),
        ("instance_type in ['m5.large', 'm5.xlarge'] ? 1 : 2", 1),
        ("vcpus in [4, 8] ? 1 : 2", 2),
        ("true ? 1 : 2.5", 1),
    ],
)
def test_what_an_expression_comes_to(text, expected):
    assert work_out(text, M5_LARGE) == expected


def test_it_is_worked_out_anew_for_every_machine():
    assert [work_out(EKS_CPU, one) for one in (M5_LARGE, C6A_4XLARGE)] == [70, 110]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "ends where more is expected"),
        ("min(110,", "ends where more is expected"),
        ("vcpus *", "ends where more is expected"),
        ("(vcpus", "ends where more is expected"),
        ("undefined_var + 1", "undefined_var is not known here; there are vcpus"),
        ("vcpus vcpus", "'vcpus' is not expected here"),
        ("vcpus ; 1", "'; 1' cannot be read"),
        ("* 2", r"'\*' is not expected here"),
        ("max(1, 2, 3)", "max takes two numbers"),
        ("min(vcpus, 'a')", "min takes two numbers"),
        ("int()", r"'\)' is not expected here"),
        ("instance_type", "the result must be a number, not text"),
        ("vcpus > 2", "the result must be a number, not true or false"),
        ("vcpus + instance_type", "[+] needs numbers, not a whole number and text"),
        ("2.5 % 2", "% needs whole numbers"),
        ("vcpus ? 1 : 2", "before [?] stands a condition"),
        ("true ? 1 : 'a'", "both sides of : must be of one kind"),
        ("vcpus == 'm5' ? 1 : 2", "a whole number cannot be compared with text"),
        ("vcpus && true ? 1 : 2", "&& needs conditions on both sides"),
        ("!vcpus ? 1 : 2", "! needs true or false"),
        ("instance_type.matches('m') ? 1 : 2", "text has no function matches"),
        ("instance_type.'a'", "a name is expected"),
        ("vcpus in 2 ? 1 : 2", r"'\[' is expected, not '2'"),
        (f"{INTEGER_MAX + 1}", "does not fit into 64 bits"),
        ("1 + " * LENGTH_MAX + "1", f"at most {LENGTH_MAX} characters"),
        ("(" * DEPTH_MAX + "1" + ")" * DEPTH_MAX, f"at most {DEPTH_MAX} deep"),
    ],
)
def test_what_is_no_expression_is_said_in_a_sentence(text, said):
    with pytest.raises(BadExpression, match=said):
        read_expression(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / (vcpus - vcpus)", "divided by zero"),
        ("1 % (vcpus - vcpus)", "divided by zero"),
        ("1.0 / (vcpus - vcpus)", "the result is inf"),
        ("0.0 / 0.0", "the result is nan"),
        ("int(1.0 / 0)", "inf has no whole part"),
        (f"{INTEGER_MAX} + vcpus", "does not fit into 64 bits"),
    ],
)
def test_what_has_no_result_for_a_machine_is_an_error(text, said):
    read_expression(text)
    with pytest.raises(BadExpression, match=said):
        work_out(text, M5_LARGE)


@given(st.text(alphabet="0123456789.+-*/%()<>=!&|?:, []'\"abcvpusmin_", max_size=60))
def test_any_text_has_a_number_or_a_sentence(text):
    try:
        found = work_out(text, M5_LARGE)
    except BadExpression as error:
        found = str(error)

    assert isinstance(found, int) or found


@given(st.integers(-1000, 1000), st.integers(-1000, 1000).filter(bool))
def test_quotient_and_rest_make_the_whole(left, right):
    quotient = work_out(f"({left}) / ({right})", M5_LARGE)
    rest = work_out(f"({left}) % ({right})", M5_LARGE)

    assert quotient * right + rest == left
    assert abs(rest) < abs(right)
