"""What becomes of a node is what stands in its way now, else what was last said of it."""

from msgspec.structs import replace

from builders import NOW_MS, a_world
from builders.fleet import (
    HOUR_MS,
    SIZES,
    a_fleet_node,
    a_fleet_pool,
    on,
)
from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.candidates import Census
from nodewright.core.disruption.decide import decide, find_allowances
from nodewright.model.disruption import Settings
from nodewright.model.keeping import Keeping
from nodewright.model.nodepool import Budget
from nodewright.view.notebook import Told, Word
from nodewright.view.values import Verb
from nodewright.view.verdicts import UNJUDGED, judge_nodes, name_reason, read_answer

N = a_fleet_node("n")
BUSY = on(N, "1", app="web")


def judged(*things, told=None):
    world = a_world(*things, *SIZES)
    census, memory = Census(world), recall_world(world)
    return judge_nodes(census, memory, find_allowances(census, memory), told or Told())


def test_a_node_that_nothing_holds_and_nobody_spoke_of_is_not_known():
    assert judged(a_fleet_pool(), N, BUSY)["n"] is UNJUDGED


def test_what_was_last_said_of_it_counts_where_nothing_holds_it_now():
    word = Word("nothing cheaper", NOW_MS, "NW-4202", "D-1")
    found = judged(a_fleet_pool(), N, BUSY, told=Told(kept={"n": word}))["n"]

    assert (found.verb, found.code, found.reason) == (Verb.KEEP, "NW-4202", "NothingCheaper")
    assert (found.text, found.decision) == ("nothing cheaper", "D-1")


def test_what_holds_it_now_comes_before_what_was_said_of_it():
    word = Word("nothing cheaper", NOW_MS, "NW-4202")
    lately = a_fleet_node("n", quiet_ms=1_000)
    found = judged(a_fleet_pool(after="1m"), lately, BUSY, told=Told(kept={"n": word}))["n"]

    assert found.code == "NW-4104"
    assert found.until_ms == NOW_MS + 59_000


def test_a_closed_budget_keeps_an_empty_node():
    found = judged(a_fleet_pool(budgets=(Budget(nodes="0"),)), N)["n"]

    assert (found.verb, found.code) == (Verb.KEEP, "NW-4101")


def test_a_node_that_was_proposed_goes_at_the_second_look():
    word = Word("Empty: the node will go unless something changes", NOW_MS, "", "D-2", 15_000)
    found = judged(a_fleet_pool(), N, told=Told(proposed={"n": word}))["n"]

    assert (found.verb, found.code, found.until_ms) == (Verb.GO, "NW-4301", NOW_MS + 15_000)


def test_a_proposal_that_came_to_nothing_is_forgotten():
    word = Word(
        "Empty: the node will go unless something changes", NOW_MS - HOUR_MS, "", "", 15_000
    )

    assert judged(a_fleet_pool(), N, told=Told(proposed={"n": word}))["n"] is UNJUDGED


def test_an_expired_node_goes_whatever_was_said():
    found = judged(a_fleet_pool(), a_fleet_node("old", expire_after="1h"))["old"]

    assert (found.verb, found.code) == (Verb.GO, "NW-4304")


def test_a_whole_answer_speaks_of_every_node():
    world = a_world(a_fleet_pool(), N, a_fleet_node("empty"), BUSY, *SIZES)
    found = read_answer(decide(world, NOW_MS, Settings(), recall_world(world)))

    assert found["empty"].verb is Verb.GO
    assert found["empty"].code == "NW-4301"
    assert found.keys() == {"n", "empty"}


def test_reasons_are_named_as_documents_write_them():
    assert name_reason(Keeping.PDB_BLOCKS) == "PdbBlocks"
    assert replace(UNJUDGED, code="x").verb is Verb.UNKNOWN
