"""Answers that are kept for a while."""

from builders.awsclients import Hurried
from nodewright.aws.keeping import ENTRIES_MAX, Kept


def test_a_value_is_kept_until_it_is_old():
    clock = Hurried()
    kept = Kept(clock)
    kept.put("a", 1)
    clock.now += 99

    assert kept.get("a", 100) == 1
    assert kept.get("a", 99) is None
    assert kept.get("b", 100) is None


def test_a_value_can_be_dropped():
    kept = Kept(Hurried())
    kept.put("a", 1)
    kept.drop("a")
    kept.drop("a")

    assert kept.get("a", 100) is None


def test_the_oldest_goes_when_there_are_too_many():
    kept = Kept(Hurried())
    for number in range(ENTRIES_MAX + 1):
        kept.put(number, number)

    assert kept.get(0, 100) is None
    assert kept.get(1, 100) == 1


def test_a_value_that_is_changed_stays_as_old_as_it_was():
    clock = Hurried()
    kept = Kept(clock)
    kept.put("a", 1)
    clock.now += 99
    kept.change("a", 2)

    assert kept.younger(100) == [("a", 2)]
    assert kept.younger(99) == []
    assert kept.get("a", 100) == 2
    assert kept.get("a", 99) is None
