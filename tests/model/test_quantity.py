"""Quantities are exact, read every form that Kubernetes writes, and come back as they went."""

from fractions import Fraction
from itertools import product
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.quantity import (
    BadQuantity,
    add,
    guess_quantity,
    largest,
    parse_amount,
    parse_quantity,
    parse_resources,
    print_quantity,
    print_resources,
    subtract,
)

SCALES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}
SIGNS = ("", "+", "-")
AMOUNTS = st.integers(min_value=-(10**24), max_value=10**24)
LISTS = st.lists(AMOUNTS, max_size=3).map(
    lambda amounts: dict(zip(("cpu", "memory", "pods"), amounts, strict=False))
)


def pointed(number: int) -> str:
    """Spell a number with its last digit as the place of the point: 1239 is `.123`, 1230 `123`."""
    digits, place = divmod(number, 10)
    text = str(digits)
    return f"{text[:-place]}.{text[-place:]}" if place else text


NUMBERS = st.integers(0, 10**16).map(pointed)


def exact(sign: str, number: str, scale: Fraction) -> int:
    """The amount in thousandths, away from zero, by another road than the parser's."""
    size = ceil(Fraction(f"0{number}0" if "." in number else number) * scale * 1000)
    return -size if sign == "-" else size


@pytest.mark.parametrize(
    ("text", "milli"),
    [
        ("0", 0),
        ("1", 1000),
        ("100m", 100),
        ("0.5", 500),
        (".5", 500),
        ("5.", 5000),
        ("1.5Gi", 1610612736000),
        ("1e3", 1_000_000),
        ("1E3", 1_000_000),
        ("1e+3", 1_000_000),
        ("12e-1", 1200),
        ("12E", 12 * 10**21),
        ("1Ei", 2**60 * 1000),
        ("0.1E", 10**20),
        ("2Ki", 2_048_000),
        ("3k", 3_000_000),
        ("-1", -1000),
        ("-1.5Gi", -1610612736000),
        ("+4", 4000),
        ("00012", 12000),
    ],
)
def test_every_form_of_kubernetes_is_read_exactly(text, milli):
    assert parse_quantity(text) == milli


@pytest.mark.parametrize(
    ("text", "milli"),
    [
        ("1n", 1),
        ("1u", 1),
        ("0.1m", 1),
        ("1.0000001", 1001),
        ("1e-9", 1),
        ("0.00001Ki", 11),
        ("-0.1m", -1),
        ("-1n", -1),
        ("-1.0000001", -1001),
        ("0n", 0),
        ("-0", 0),
    ],
)
def test_what_is_finer_than_a_thousandth_is_rounded_away_from_zero(text, milli):
    assert parse_quantity(text) == milli


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "1 ", " 1", "1\n", ".", "-", "+", "m", "Gi", "1K", "1ki", "1KI", "1g", "1mi", "1GiB", "1e",
        "1e3Gi", "1e1.5", "--1", "+-1", "1,5", "1_000", "0x10", "1/2", "nan", "inf", "NaN", "٣", "1e999",
        "9" * 65, "one",
    ],
)  # fmt: skip
def test_what_is_no_quantity_is_refused_with_its_text(text):
    with pytest.raises(BadQuantity) as refusal:
        parse_quantity(text)

    assert repr(text)[:40] in str(refusal.value)


def test_a_bare_number_means_the_same_as_its_text():
    assert parse_amount(2) == parse_amount("2") == parse_amount(2.0) == 2000
    assert parse_amount(0.1) == 100
    assert parse_amount(1e22) == 10**25


def test_a_bare_number_that_is_none_is_refused():
    for value in (float("nan"), float("inf")):
        with pytest.raises(BadQuantity):
            parse_amount(value)


def test_a_bad_amount_names_its_resource():
    with pytest.raises(BadQuantity, match=r"memory: '1 Gi' is not a quantity"):
        parse_resources({"cpu": "1", "memory": "1 Gi"})


@pytest.mark.parametrize(
    ("milli", "resource", "text"),
    [
        (3310, "cpu", "3310m"),
        (2000, "cpu", "2"),
        (3344 * 2**20 * 1000, "memory", "3344Mi"),
        (17 * 2**30 * 1000, "ephemeral-storage", "17Gi"),
        (2**20 * 1000, "hugepages-2Mi", "1Mi"),
        (1_500_000, "memory", "1500"),
        (58_000, "pods", "58"),
        (-500, "cpu", "-500m"),
        (-(2**30) * 1000, "memory", "-1Gi"),
        (0, "memory", "0"),
    ],
)
def test_an_amount_is_written_the_way_people_know_it(milli, resource, text):
    assert print_quantity(milli, resource) == text


def test_a_list_is_written_by_name_without_what_is_zero():
    written = print_resources({"pods": 3000, "cpu": 250, "gpu": 0})

    assert list(written.items()) == [("cpu", "250m"), ("pods", "3")]


@pytest.mark.algebra
@given(NUMBERS, st.sampled_from(list(product(SIGNS, SCALES))))
def test_a_quantity_equals_its_fraction(number, form):
    sign, suffix = form

    assert parse_quantity(f"{sign}{number}{suffix}") == exact(sign, number, SCALES[suffix])


@pytest.mark.algebra
@given(NUMBERS, st.sampled_from(list(product(SIGNS, "eE", range(-30, 31)))))
def test_an_exponent_shifts_the_point(number, form):
    sign, mark, exponent = form
    scale = Fraction(10) ** exponent

    assert parse_quantity(f"{sign}{number}{mark}{exponent}") == exact(sign, number, scale)


@pytest.mark.algebra
@given(AMOUNTS, st.sampled_from(["cpu", "memory", "ephemeral-storage", "hugepages-1Gi", "gpu"]))
def test_what_is_written_is_read_back(milli, resource):
    assert parse_quantity(print_quantity(milli, resource)) == milli


@pytest.mark.algebra
@given(st.text(max_size=70))
def test_any_text_is_a_quantity_or_is_refused(text):
    try:
        amount = parse_quantity(text)
    except BadQuantity:
        return
    assert isinstance(amount, int)


@pytest.mark.algebra
@given(LISTS, LISTS)
def test_taking_away_undoes_adding(left, right):
    back = subtract(add(left, right), right)

    assert {name: amount for name, amount in back.items() if amount} == {
        name: amount for name, amount in left.items() if amount
    }


@pytest.mark.algebra
@given(st.lists(LISTS, max_size=4))
def test_the_largest_is_no_less_than_any_and_one_of_them(lists):
    top = largest(lists)

    for amounts in lists:
        assert all(top[name] >= amount for name, amount in amounts.items())
    for name, amount in top.items():
        assert any(amounts.get(name) == amount for amounts in lists)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2GB", "2G"),
        ("2gb", "2G"),
        ("512MiB", "512Mi"),
        ("512 Mi", "512Mi"),
        ("1.5gi", "1.5Gi"),
        ("100 m", "100m"),
        ("10mb", "10M"),
        ("10KB", "10k"),
        ("2Gi", ""),
        ("lots", ""),
        ("", ""),
    ],
)
def test_a_slip_of_the_pen_is_understood(written, meant):
    assert guess_quantity(written) == meant
