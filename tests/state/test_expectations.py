"""Expectations: own writes are awaited, and pods are not planned for twice."""

from builders import NOW_MS, a_node_claim, a_pod
from builders.lives import with_spec
from nodewright.model.resource import NODES, Ref
from nodewright.state.expectations import (
    CLAIM_MS,
    NOMINATION_MS,
    WRITE_MS,
    Expectations,
    has_reached,
)

NODE = Ref(NODES, "n")
OLD, NEW = (("nodes/n", "5"),), (("nodes/n", "9"),)


def test_what_rests_on_an_older_version_than_we_wrote_is_stale():
    expectations = Expectations()
    expectations.wrote(NODE, "8", NOW_MS)

    assert expectations.is_stale(OLD, NOW_MS)
    assert not expectations.is_stale(NEW, NOW_MS)
    assert not expectations.is_stale((("nodes/other", "1"),), NOW_MS)


def test_a_write_that_never_comes_back_is_forgotten():
    expectations = Expectations()
    expectations.wrote(NODE, "8", NOW_MS)

    assert not expectations.is_stale(OLD, NOW_MS + WRITE_MS)


def test_versions_that_are_no_numbers_are_only_equal_or_not():
    assert has_reached("abc", "abc")
    assert not has_reached("abd", "abc")
    assert has_reached("10", "9")


def test_a_claim_counts_as_there_until_it_is_seen():
    expectations = Expectations()
    expectations.create(a_node_claim("c"), ["uid-default-p"], NOW_MS)

    assert [one.metadata.name for one in expectations.unseen((), NOW_MS)] == ["c"]
    assert expectations.unseen(("c",), NOW_MS) == ()


def test_a_claim_that_never_shows_up_is_forgotten():
    expectations = Expectations()
    expectations.create(a_node_claim("c"), (), NOW_MS)

    assert expectations.unseen((), NOW_MS + CLAIM_MS) == ()


def test_the_pods_of_a_claim_are_placed_as_long_as_it_is_there():
    expectations = Expectations()
    pod = a_pod("p")
    expectations.create(a_node_claim("c"), [pod.metadata.uid], NOW_MS)

    assert expectations.placed({"c"}, [pod], NOW_MS) == {pod.metadata.uid: "c"}
    assert expectations.placed(set(), [pod], NOW_MS) == {}


def test_the_pods_of_a_host_are_known():
    expectations = Expectations()
    expectations.create(a_node_claim("c"), ["a", "b"], NOW_MS)
    expectations.nominate("d", "n", NOW_MS)

    assert expectations.pods_of("c") == {"a", "b"}
    assert expectations.pods_of("n") == {"d"}


def test_a_pod_that_runs_is_waited_for_no_more():
    expectations = Expectations()
    pod = a_pod("p")
    expectations.create(a_node_claim("c"), [pod.metadata.uid], NOW_MS)

    assert expectations.placed({"c"}, [with_spec(pod, node_name="c")], NOW_MS) == {}


def test_a_claim_that_could_not_be_made_lets_its_pods_go():
    expectations = Expectations()
    pod = a_pod("p")
    expectations.create(a_node_claim("c"), [pod.metadata.uid], NOW_MS)
    expectations.fail("c")

    assert expectations.placed({"c"}, [pod], NOW_MS) == {}
    assert expectations.unseen((), NOW_MS) == ()
    assert not expectations.has_made("c")


def test_a_nomination_lapses():
    expectations = Expectations()
    pod = a_pod("p")
    expectations.nominate(pod.metadata.uid, "n", NOW_MS)

    assert expectations.placed({"n"}, [pod], NOW_MS + NOMINATION_MS - 1)
    assert not expectations.placed({"n"}, [pod], NOW_MS + NOMINATION_MS)


def test_pods_of_a_ready_node_are_waited_for_only_a_while_longer():
    expectations = Expectations()
    pod = a_pod("p")
    expectations.create(a_node_claim("c"), [pod.metadata.uid], NOW_MS)
    expectations.settle({"c"}, NOW_MS)

    assert expectations.placed({"c"}, [pod], NOW_MS + NOMINATION_MS - 1)
    assert not expectations.placed({"c"}, [pod], NOW_MS + NOMINATION_MS)


def test_a_pod_whose_place_is_withdrawn_waits_again():
    expectations = Expectations()
    expectations.nominate("uid-p", "n", NOW_MS)

    assert (expectations.hosts(), expectations.host_of("uid-p")) == (("n",), "n")
    expectations.withdraw("uid-p")
    assert (expectations.hosts(), expectations.host_of("uid-p")) == ((), "")


def test_only_pods_that_wait_are_expected():
    expectations = Expectations()
    expectations.nominate("uid-p", "n", NOW_MS)
    expectations.nominate("uid-q", "n", NOW_MS)
    expectations.keep({"uid-q"})

    assert expectations.pods_of("n") == {"uid-q"}
    assert expectations.host_of("uid-p") == ""


def test_promises_last_as_long_as_they_are_told_to():
    expectations, pod = Expectations(), a_pod("p")
    expectations.nomination_ms = 60_000
    expectations.nominate(pod.metadata.uid, "n", NOW_MS)

    assert expectations.placed({"n"}, [pod], NOW_MS + 59_999) == {pod.metadata.uid: "n"}
    assert expectations.placed({"n"}, [pod], NOW_MS + 60_000) == {}


def test_who_is_expected_somewhere_is_not_alone_until_the_promise_ends():
    expectations = Expectations()
    expectations.create(a_node_claim("c"), ["uid-p"], NOW_MS)
    expectations.nominate("uid-q", "n", NOW_MS)
    waiting = {"uid-p", "uid-q", "uid-r"}

    assert expectations.without_place(waiting, NOW_MS) == {"uid-r"}
    assert expectations.without_place(waiting, NOW_MS + NOMINATION_MS) == {"uid-q", "uid-r"}
    expectations.fail("c")
    assert expectations.without_place(waiting, NOW_MS) == waiting


def test_a_promise_on_a_claim_ends_a_while_after_its_node_works():
    expectations = Expectations()
    expectations.create(a_node_claim("c"), ["uid-p"], NOW_MS)
    expectations.settle({"c"}, NOW_MS)

    assert expectations.without_place({"uid-p"}, NOW_MS + NOMINATION_MS - 1) == set()
    assert expectations.without_place({"uid-p"}, NOW_MS + NOMINATION_MS) == {"uid-p"}


def test_of_many_promises_each_may_take_longer():
    expectations = Expectations()
    uids = [f"uid-{number}" for number in range(2_500)]
    expectations.create(a_node_claim("c"), uids, NOW_MS)
    expectations.settle({"c"}, NOW_MS)

    assert expectations.without_place(uids, NOW_MS + 49_999) == set()
    assert expectations.without_place(uids, NOW_MS + 50_000) == set(uids)


def test_writes_are_not_remembered_for_ever():
    expectations = Expectations()
    for number in range(3_000):
        expectations.wrote(Ref(NODES, f"n{number}"), "8", NOW_MS + number * WRITE_MS)

    assert len(expectations._versions) < 2_000
