"""The table of words: the same kinds and slots in every language, and nothing that overflows."""

from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.disruption import Kept
from nodewright.model.keeping import Keeping
from nodewright.model.quantity import MILLI, parse_quantity
from nodewright.model.wording import (
    EVENT_LENGTH_MAX,
    Count,
    english,
    event_message,
    keeping,
    korean,
    pages_english,
    pages_korean,
)
from nodewright.model.wording.amounts import round_down, round_up, show_amount

TABLES = {
    "causes": (english.CAUSES, korean.CAUSES),
    "changes": (english.CHANGES, korean.CHANGES),
    "words": (english.WORDS, korean.WORDS),
}


def slots(template):
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@pytest.mark.parametrize("table", TABLES)
def test_both_languages_say_the_same_kinds_with_the_same_values(table):
    first, second = TABLES[table]

    assert first.keys() == second.keys()
    assert {kind: slots(text) for kind, text in first.items()} == {
        kind: slots(text) for kind, text in second.items()
    }


def test_both_languages_have_the_same_pages():
    assert pages_english.PAGES.keys() == pages_korean.PAGES.keys()


@pytest.mark.parametrize(("number", "said"), [(0, "0 pods"), (1, "1 pod"), (2, "2 pods")])
def test_a_number_brings_its_noun(number, said):
    assert f"{Count(number):pod}" == said


@given(st.text(max_size=1500), st.lists(st.text(max_size=300), max_size=12))
def test_an_event_always_fits(summary, others):
    message = event_message(summary, "NW-1204", others)

    assert len(message.encode()) <= EVENT_LENGTH_MAX
    assert message[:50] == summary[:50] or len(summary) < 50
    assert "(NW-1204)" in message


@pytest.mark.parametrize(
    ("amount", "resource", "shown"),
    [
        ("7910m", "cpu", "7910m"),
        ("38", "vpc.amazonaws.com/pod-eni", "38"),
        ("3344Mi", "memory", "3344Mi"),
        ("239306Mi", "memory", "233.6Gi"),
        ("64Gi", "memory", "64Gi"),
        ("1000000000", "memory", "953.6Mi"),
    ],
)
def test_amounts_are_short(amount, resource, shown):
    assert show_amount(parse_quantity(amount), resource) == shown


@given(st.integers(min_value=1, max_value=10**18), st.sampled_from(["cpu", "memory", "x/gpu"]))
def test_rounding_never_promises_what_is_not_there(amount, resource):
    assert round_down(amount, resource) <= amount <= round_up(amount, resource)
    assert round_up(amount, resource) % MILLI == 0


def test_every_reason_why_a_node_stays_is_said_in_both_languages_with_the_same_values():
    assert keeping.ENGLISH.keys() == keeping.KOREAN.keys() == set(Keeping)
    assert {why: slots(text) for why, text in keeping.ENGLISH.items()} == {
        why: slots(text) for why, text in keeping.KOREAN.items()
    }


def test_others_are_counted_after_the_first():
    kept = Kept("n", Keeping.NO_ROOM, {"pod": "shop/web", "others": 2})

    assert keeping.kept_sentence(kept) == "pod shop/web and 2 more would find no place"
    assert keeping.kept_sentence(kept, "ko") == "파드 shop/web 외 2개가 갈 곳이 없습니다"
