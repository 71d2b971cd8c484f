"""A decision is one line with its price; commands of today have saved something until now."""

import msgspec
import pytest

from builders import NOW_MS, a_node, a_node_claim, a_pod, a_type, a_world, an_offering, want
from builders.lives import with_spec
from nodewright.core.disruption.cost import Prices
from nodewright.journal.reading import Entry
from nodewright.journal.records import CameOf, Decided
from nodewright.model.command import Record
from nodewright.model.decision import Delete, Disrupt, Keep, Launch, Refuse, Tell, describe
from nodewright.model.disruption import Leaving, Method
from nodewright.model.instance import NANO, NanoUSD
from nodewright.model.labels import INSTANCE_TYPE, ZONE
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, Ref, refer
from nodewright.view.decisions import Pricing, add_savings, is_quiet, list_decisions
from nodewright.view.notebook import Told

HOUR_MS = 3_600_000
OFFERS = [an_offering(price=0.4), an_offering("zone-b", price=0.1)]
PRICES = Prices(a_world(a_type("m.2", offerings=OFFERS)))
MADE = with_spec(
    a_node_claim("made"),
    requirements=(want(INSTANCE_TYPE, "In", "m.2"), want(ZONE, "In", "zone-a")),
)
LEAVING = Leaving("n", "c", "default", price=NanoUSD(NANO))
RECORD = Record("D-1", "Underutilized", Method.SINGLE, 0)


def entry(decision, at_ms=NOW_MS, controller="disruption", outcome="Done"):
    written = describe(decision)
    record = Decided(
        id=decision.id,
        look="l",
        at_ms=at_ms,
        controller=controller,
        kind=decision.kind,
        subject=str(decision.subject),
        reason=decision.reason,
        note=decision.note,
        content=msgspec.json.decode(msgspec.json.encode(written)),
    )
    return Entry(record, CameOf(record.id, at_ms, outcome) if outcome else None)


def disrupt(*claims):
    return Disrupt(
        subject=Ref(NODE_CLAIMS, "c"),
        reason="Underutilized",
        note="Underutilized: n goes",
        record=RECORD,
        leaving=(LEAVING,),
        claims=claims,
    )


def launch():
    return Launch(
        subject=Ref(NODE_CLAIMS, "made"),
        reason="Provisioned",
        note="4 pods need a node",
        claim=MADE,
    )


def rows(*entries, price_of=lambda _: None):
    return list_decisions(Told(acts=entries), PRICES, Pricing(), price_of)


@pytest.mark.parametrize(
    ("decision", "verb", "text"),
    [
        (launch(), "Launch", "4 pods need a node"),
        (disrupt(), "Delete", "Underutilized: n goes"),
        (disrupt(MADE), "Replace", "Underutilized: n goes"),
        (
            Delete(subject=Ref(NODE_CLAIMS, "c"), reason="spot_interrupted", note="taken back"),
            "Delete",
            "c: taken back",
        ),
        (
            Refuse(subject=refer(PODS, a_pod("p")), reason="x", code="NW-1204", note="too large"),
            "Refuse",
            "default/p: too large",
        ),
        (
            Tell(subject=refer(NODES, a_node("n")), reason="x", dedupe=("NW-4202",), note="stays"),
            "Keep",
            "n: stays",
        ),
        (
            Keep(
                subject=refer(NODES, a_node("n")), reason="Proposed", look_again_ms=1, note="goes"
            ),
            "Propose",
            "n: goes",
        ),
    ],
)
def test_every_kind_has_its_verb_and_line(decision, verb, text):
    (row,) = rows(entry(decision))

    assert (row.verb, row.text) == (verb, text)
    assert is_quiet(row) is (verb == "Keep")


def test_what_only_carries_a_command_out_is_not_repeated():
    delete = Delete(subject=Ref(NODE_CLAIMS, "c"), reason="empty")

    assert rows(entry(delete, controller="orchestration")) == ()


def test_the_latest_is_first_and_has_what_came_of_it():
    early, late = entry(launch(), NOW_MS - 1), entry(disrupt(), outcome="Conflict")

    assert [(row.verb, row.outcome) for row in rows(early, late)] == [
        ("Delete", "Conflict"),
        ("Launch", "Done"),
    ]


def test_a_launch_costs_the_cheapest_that_its_claim_allows_until_its_machine_is_known():
    assert rows(entry(launch()))[0].price_nanousd_hour == NANO * 4 // 10
    known = rows(entry(launch()), price_of={"made": 7}.get)
    assert known[0].price_nanousd_hour == 7


def test_a_command_saves_what_went_less_what_came():
    assert rows(entry(disrupt()))[0].price_nanousd_hour == -NANO
    assert rows(entry(disrupt(MADE)))[0].price_nanousd_hour == -NANO * 6 // 10


def test_savings_add_up_from_the_moment_of_each_command():
    told = Told(
        acts=(
            entry(disrupt(), NOW_MS - 2 * HOUR_MS),
            entry(disrupt(MADE), NOW_MS - HOUR_MS),
            entry(disrupt(), NOW_MS - 30 * HOUR_MS),
            entry(disrupt(), NOW_MS - HOUR_MS, outcome="Conflict"),
        )
    )
    changes = {False: -NANO, True: -NANO // 2}
    saved = add_savings(
        told,
        NOW_MS - 24 * HOUR_MS,
        NOW_MS,
        lambda one: changes[bool(one.content["claims"])],
    )

    assert saved.so_far == 2 * NANO + NANO // 2
    assert saved.per_hour == NANO + NANO // 2


def test_a_command_without_a_price_is_counted_and_not_free():
    told = Told(acts=(entry(disrupt()),))
    saved = add_savings(told, 0, NOW_MS, lambda _: None)

    assert (saved.so_far, saved.unknown) == (None, 1)
    assert add_savings(Told(), 0, NOW_MS, lambda _: None).so_far == 0
