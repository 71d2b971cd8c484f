"""Whether nodes have what their claims were promised."""

import msgspec

from builders import a_world
from builders.lives import a_registered_pair, kinds_of, with_spec, with_status
from nodewright.core.lifecycle_consistency import broken_promise, check_promises
from nodewright.model.metadata import Condition
from nodewright.model.nodeclaim import NodeClaimResources

WORKING = ("Launched", "Registered", "Initialized")


def a_pair(has, asked="1"):
    node, claim = a_registered_pair("n", true=WORKING)
    claim = with_spec(claim, resources=NodeClaimResources(requests={"cpu": asked}))
    return with_status(node, capacity={"cpu": has}), claim


def test_a_tenth_may_be_missing_and_not_more():
    for has, sentence in (("3600m", ""), ("3599m", "promised 4 cpu, has 3599m")):
        node, claim = a_pair(has)
        assert broken_promise(claim, node) == sentence


def test_what_nobody_asked_for_may_be_missing():
    node, claim = a_pair("1", asked="0")

    assert broken_promise(claim, node) == ""


def test_a_broken_promise_is_told_and_written_down_once():
    node, claim = a_pair("3")
    steps = list(check_promises(a_world(node, claim)))
    said = msgspec.convert(steps[1].change["status"]["conditions"], tuple[Condition, ...])

    assert kinds_of(steps) == [("Tell", "claim-of-n"), ("Change", "claim-of-n")]
    assert not list(check_promises(a_world(node, with_status(claim, conditions=said))))


def test_a_node_that_starts_is_not_judged():
    node, claim = a_registered_pair()

    assert list(check_promises(a_world(with_status(node, capacity={}), claim))) == []
