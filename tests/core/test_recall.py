"""What was made of the same objects is not made again, and what nobody asks for is forgotten."""

from nodewright.core.recall import Recall


class Thing:
    """An object that is only equal to itself."""


def test_the_same_objects_give_the_same_value_without_making_it_again():
    recall, parts, made = Recall(10), (Thing(), Thing()), []
    for _ in range(3):
        recall.of(parts, lambda: made.append(1))

    assert made == [1]


def test_equal_objects_are_not_the_same():
    recall = Recall(10)
    first, second = [1], [1]

    assert recall.of((first,), lambda: "first") == "first"
    assert recall.of((second,), lambda: "second") == "second"


def test_order_and_number_of_the_parts_count():
    recall, a, b = Recall(10), Thing(), Thing()
    values = [recall.of(parts, lambda parts=parts: parts) for parts in ((a, b), (b, a), (a,))]

    assert values == [(a, b), (b, a), (a,)]


def test_an_address_that_is_used_again_is_no_mistake():
    recall = Recall(2)
    for number in range(100):
        assert recall.of((Thing(),), lambda number=number: number) == number


def test_what_is_asked_for_again_and_again_is_kept():
    recall, kept, made = Recall(5), Thing(), []
    for _ in range(50):
        recall.of((kept,), lambda: made.append("kept"))
        recall.of((Thing(),), lambda: None)

    assert made == ["kept"]


def test_what_nobody_asks_for_any_more_is_forgotten():
    recall, once, made = Recall(5), Thing(), []
    recall.of((once,), lambda: made.append(1))
    for _ in range(20):
        recall.of((Thing(),), lambda: None)
    recall.of((once,), lambda: made.append(2))

    assert made == [1, 2]
