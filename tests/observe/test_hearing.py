"""The latest of what a queue said, or why it says nothing."""

from nodewright.observe.hearing import Heard, Hearing


def test_nobody_who_listens_to_none_has_heard_anything():
    assert Hearing().latest is None


def test_the_slowest_of_the_latest_messages_is_told_until_others_come():
    hearing = Hearing()
    hearing.listened((30, 1_200))
    hearing.listened(())
    assert hearing.latest == Heard(1_200)

    hearing.listened((10,))
    assert hearing.latest == Heard(10)


def test_what_is_wrong_is_told_until_something_is_heard_again():
    hearing = Hearing()
    hearing.listened((10,))
    hearing.failed("missing")
    assert hearing.latest == Heard(10, "missing")

    hearing.listened(())
    assert hearing.latest == Heard(10)
