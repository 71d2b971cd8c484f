"""Reading a journal: what is wanted is found, and what is not there is said in a sentence."""

import pytest

from builders import NOW_MS, a_pod, a_type, a_world
from journal.test_recorder import Clock, a_delete, a_refusal
from nodewright.journal.reading import Filter, Journal
from nodewright.journal.recorder import Recorder
from nodewright.model.command import Record
from nodewright.model.decision import Disrupt
from nodewright.model.errors import UserError


@pytest.fixture
def journal(tmp_path):
    """A refusal and, later and by another controller, a deletion."""
    clock = Clock()
    recorder = Recorder(tmp_path, clock)
    recorder.decided("provisioning", a_world(a_pod("p"), a_type()), [a_refusal()], 1)
    clock.at_ms += 60_000
    later = a_world(a_type(), now_ms=clock.at_ms)
    recorder.decided("expiration", later, [a_delete()], 1)
    return Journal(tmp_path)


@pytest.mark.parametrize(
    ("wanted", "kinds"),
    [
        (Filter(), ["Refuse", "Delete"]),
        (Filter(controller="expiration"), ["Delete"]),
        (Filter(subject="default/p"), ["Refuse"]),
        (Filter(since_ms=NOW_MS + 1), ["Delete"]),
        (Filter(limit=1), ["Delete"]),
        (Filter(before_ms=NOW_MS + 60_000), ["Refuse"]),
        (Filter(kinds=frozenset({"Delete", "Launch"})), ["Delete"]),
        (Filter(controller="nobody"), []),
    ],
)
def test_decisions_are_listed_by_who_decided_on_what_and_when(journal, wanted, kinds):
    assert [one.decision.kind for one in journal.entries(wanted).entries] == kinds


def test_a_command_leads_to_the_decision_that_began_it(tmp_path):
    recorder = Recorder(tmp_path, Clock())
    record = Record("D-command", "Underutilized", "single", NOW_MS)
    begun = Disrupt(subject=a_delete().subject, reason="Underutilized", record=record, leaving=())
    recorder.decided("disruption", a_world(a_type()), [begun], 1)
    found = Journal(tmp_path).find("D-command")

    assert (found.entry.decision.id, found.entry.decision.kind) == (begun.id, "Disrupt")


def test_a_decision_is_found_with_the_world_it_was_taken_on(journal):
    name = journal.entries().entries[0].decision.id
    found = journal.find(name)

    assert found.entry.decision.note == "nothing fits (NW-1201)"
    assert found.look.controller == "provisioning"
    assert [pod.key for pod in found.open().world.pods] == ["default/p"]


def test_a_decision_that_is_not_there_is_said_so(journal):
    with pytest.raises(UserError, match="no decision D-0"):
        journal.find("D-0")


def test_a_folder_without_a_journal_is_said_so(tmp_path):
    with pytest.raises(UserError, match="no journal"):
        Journal(tmp_path / "nothing").entries()
