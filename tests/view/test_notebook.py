"""The notebook keeps the latest word about each thing, whoever brought it."""

import pytest

from builders import a_node, a_node_claim, a_pod, a_world
from builders.journals import record_simulation
from nodewright.journal.reading import Journal
from nodewright.model.decision import Keep, Launch, Nominate, Refuse, Tell
from nodewright.model.resource import NODE_CLAIMS as CLAIMS
from nodewright.model.resource import NODES, PODS, Ref, refer
from nodewright.ports.kube import Answer, Outcome
from nodewright.view.notebook import Notebook

POD = a_pod("p", namespace="shop")
NODE = a_node("n")
CLAIM = a_node_claim("c")
WORLD = a_world(POD, NODE)


def refuse():
    return Refuse(subject=refer(PODS, POD), reason="FailedScheduling", code="NW-1204", note="no")


def nominate():
    return Nominate(subject=refer(PODS, POD), reason="Nominated", host="n")


def kept(code="NW-4202", note="nothing cheaper"):
    return Tell(subject=refer(NODES, NODE), reason="Unconsolidatable", note=note, dedupe=(code,))


def proposed():
    return Keep(
        subject=refer(NODES, NODE), reason="Proposed", note="Empty: it goes", look_again_ms=15_000
    )


def told(*looks):
    book = Notebook()
    for decisions in looks:
        book.decided("disruption", WORLD, decisions, 1)
    return book.page()


def test_a_pod_that_gets_a_place_is_refused_no_more():
    page = told([refuse()], [nominate()])

    assert page.refused == {}
    assert page.expected == {POD.metadata.uid: "n"}
    assert told([nominate()], [refuse()]).expected == {}


def test_the_latest_word_about_a_node_counts():
    page = told([proposed()], [kept()])

    assert page.proposed == {}
    assert (page.kept["n"].code, page.kept["n"].text) == ("NW-4202", "nothing cheaper")
    assert page.kept["n"].decision.startswith("D-")
    assert told([kept()], [proposed()]).proposed["n"].look_again_ms == 15_000


def test_what_is_confirmed_again_is_no_news():
    assert len(told([kept()], [kept()], [kept()]).words) == 1


def test_only_what_was_done_is_an_act_and_it_is_one_once():
    launch = Launch(subject=Ref(CLAIMS, "c"), reason="Provisioned", claim=CLAIM)
    book = Notebook()
    for outcome in (Outcome.CONFLICT, Outcome.DONE, Outcome.DONE):
        book.came_of("provisioning", launch, Answer(outcome), 1)

    (act,) = book.page().acts
    assert act.decision.kind == "Launch"


def test_what_a_draining_node_waits_for_is_remembered_and_is_no_decision_of_its_own():
    drain = Tell(subject=refer(NODES, NODE), reason="FailedDraining", note="waiting for pods")
    page = told([drain])

    assert page.drains["n"].text == "waiting for pods"
    assert page.words == ()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return record_simulation(tmp_path_factory.mktemp("view") / "journal", minutes=20).folder


def test_a_journal_fills_it_like_a_controller_does(folder):
    entries = Journal(folder).entries().entries
    book = Notebook()
    book.read(entries)
    page = book.page()

    launches = [one for one in entries if one.decision.kind == "Launch"]
    assert [one for one in page.acts if one.decision.kind == "Launch"] == launches
    assert launches
    before = book.revision
    assert before > 0
    book.read([one for one in entries if one.decision.kind == "Launch"])
    assert book.revision == before
