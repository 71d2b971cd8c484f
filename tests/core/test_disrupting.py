"""What is done about nodes that could go: drift begins at once, the rest is looked at twice."""

from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import a_fleet_node, a_fleet_pool, a_guard, fleet_world, on
from nodewright.core.disrupting import PROPOSED, VALIDATION_MS, disrupt
from nodewright.model.beside import Beside
from nodewright.model.command import REPLACES
from nodewright.model.decision import Disrupt, Keep, Tell
from nodewright.model.disruption import EMPTY, UNDERUTILIZED, Memory
from nodewright.model.nodepool import Budget

ALL = [Budget(nodes="100%")]


def answer(*things, proposed=None, budgets=ALL):
    world = fleet_world(a_fleet_pool(budgets=budgets), *things)
    memory = Memory(proposed=proposed or {})
    return disrupt(replace(world, beside=Beside(disruption=memory)))


def begun(decisions):
    return [one for one in decisions if isinstance(one, Disrupt)]


def proposals(decisions):
    return [
        one.subject.name for one in decisions if isinstance(one, Keep) and one.reason == PROPOSED
    ]


def ripe(*names):
    return dict.fromkeys(names, NOW_MS - VALIDATION_MS)


def test_an_empty_node_is_proposed_first_and_goes_when_it_is_still_empty_later():
    empty = a_fleet_node("empty")
    first = answer(empty)
    (command,) = begun(answer(empty, proposed=ripe("empty")))

    assert begun(first) == []
    assert proposals(first) == ["empty"]
    assert [one.node for one in command.leaving] == ["empty"]
    assert (command.record.reason, command.claims) == (EMPTY, ())


def test_empty_nodes_do_not_wait_for_each_other():
    decisions = answer(a_fleet_node("one"), a_fleet_node("two"), proposed=ripe("one"))
    (command,) = begun(decisions)

    assert [one.node for one in command.leaving] == ["one"]
    assert proposals(decisions) == ["two"]


def test_an_empty_node_that_a_budget_holds_need_not_wait_again_once_there_is_room():
    nodes = [a_fleet_node(name) for name in ("one", "two")]
    decisions = answer(*nodes, proposed=ripe("one", "two"), budgets=[Budget(nodes="1")])
    (command,) = begun(decisions)

    assert len(command.leaving) == 1
    assert {command.leaving[0].node, *proposals(decisions)} == {"one", "two"}


def test_a_replacement_is_named_after_its_command_and_says_for_which_it_is():
    node = a_fleet_node("big", 8)
    things = (node, on(node, "200m"))
    (command,) = begun(answer(*things, proposed=ripe("big")))
    (again,) = begun(answer(*things, proposed=ripe("big")))
    (claim,) = command.claims

    assert command.record.reason == UNDERUTILIZED
    assert command.record.replacements == (claim.metadata.name,)
    assert claim.metadata.annotations[REPLACES] == command.record.id
    assert again == command


def test_why_a_node_stays_is_told_on_it_and_on_its_claim():
    node = a_fleet_node("held")
    told = [
        one
        for one in answer(node, on(node, "200m", app="web"), a_guard("web", 0))
        if isinstance(one, Tell)
    ]

    assert {(one.subject.resource.kind, one.reason) for one in told} == {
        ("Node", "DisruptionBlocked"),
        ("NodeClaim", "DisruptionBlocked"),
    }
