"""Free addresses of subnets, with launches on their way."""

from nodewright.aws.subnets import Subnet, SubnetBook

A1, A2, B = Subnet("s-a1", "a", free=100), Subnet("s-a2", "a", free=90), Subnet("s-b", "b", free=5)
BOTH = frozenset("ab")


def chosen(book, zones=BOTH):
    return {zone: one.id for zone, one in book.choose([A2, B, A1], zones).items()}


def test_each_zone_gets_its_subnet_with_most_free_addresses():
    assert chosen(SubnetBook()) == {"a": "s-a1", "b": "s-b"}
    assert chosen(SubnetBook(), frozenset("b")) == {"b": "s-b"}
    assert chosen(SubnetBook(), frozenset("z")) == {}


def test_launches_on_their_way_are_counted():
    book = SubnetBook()
    first = book.choose([A1, A2], BOTH)
    book.set_aside(first, 20)

    assert chosen(book)["a"] == "s-a2"


def test_what_a_launch_did_not_use_is_given_back():
    book = SubnetBook()
    picked = book.choose([A1, B], BOTH)
    book.set_aside(picked, 20)
    book.give_back(picked, 20, used="s-b")

    assert (book.free(A1), book.free(B)) == (100, -15)


def test_a_new_number_of_ec2_begins_anew():
    book = SubnetBook()
    book.exhaust("s-a1")
    assert chosen(book)["a"] == "s-a2"

    book.learn([A1])
    assert chosen(book)["a"] == "s-a1"
