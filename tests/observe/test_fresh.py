"""What is new: told once, again after a pause, and never for what is acted on."""

from builders import a_node, a_pod
from nodewright.model.decision import Delete, Nominate, Refuse, Tell
from nodewright.model.resource import NODES, PODS, refer
from nodewright.observe.fresh import Fresh, code_of


def a_refuse(code="NW-1204", pod="p"):
    return Refuse(subject=refer(PODS, a_pod(pod)), reason="FailedScheduling", code=code)


def test_what_was_said_at_the_last_look_is_no_news():
    fresh = Fresh()

    assert fresh.pick("a", [a_refuse()]) == [a_refuse()]
    assert fresh.pick("a", [a_refuse()]) == []
    assert fresh.pick("b", [a_refuse()]) == [a_refuse()]


def test_another_code_pod_or_host_is_news():
    fresh = Fresh()
    fresh.pick("a", [a_refuse()])
    pod = refer(PODS, a_pod("p"))
    here, there = (Nominate(subject=pod, reason="Nominated", host=host) for host in "xy")

    assert len(fresh.pick("a", [a_refuse("NW-1201"), a_refuse(pod="q"), here])) == 3
    assert fresh.pick("a", [here, there]) == [there]


def test_what_was_not_said_for_a_look_is_news_again():
    fresh = Fresh()
    fresh.pick("a", [a_refuse()])
    fresh.pick("a", [])

    assert fresh.pick("a", [a_refuse()]) == [a_refuse()]


def test_decisions_that_are_acted_on_are_none_of_it():
    node = refer(NODES, a_node())

    assert Fresh().pick("a", [Delete(subject=node, reason="expired")]) == []


def test_the_code_of_a_warning_is_the_one_it_is_told_apart_by():
    node = refer(NODES, a_node())

    assert code_of(Tell(subject=node, reason="x", dedupe=("n", "NW-1209"))) == "NW-1209"
    assert code_of(Tell(subject=node, reason="x")) == ""
