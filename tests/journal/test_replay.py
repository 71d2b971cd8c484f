"""Replay: what was decided once is decided again, and what differs is told."""

import msgspec
import pytest

from builders import a_pod, a_type, a_world
from builders.journals import record_simulation, record_week
from journal.test_recorder import Clock, a_delete
from nodewright.app.planning import plan_document, plan_world
from nodewright.app.run import CONTROLLERS
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder
from nodewright.journal.replay import DECIDERS, replay
from nodewright.journal.segments import Limits
from nodewright.model.errors import UserError


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Fifteen minutes of a simulated cluster: it grows, spot is taken away, a pool goes."""
    return record_simulation(tmp_path_factory.mktemp("journal"), 16)


def test_every_controller_can_be_asked_again():
    assert {one.name for one in CONTROLLERS} <= set(DECIDERS)


def test_every_decision_of_a_simulated_run_comes_out_the_same(run):
    journal = Journal(run.folder)
    listing = journal.entries()
    replayed = {found.look.id: replay(found).is_same for found in journal.looks()}
    differing = [look for look, is_same in replayed.items() if not is_same]

    assert listing.problems == ()
    assert {"Launch", "Nominate", "Start", "Change", "Delete", "Evict"} <= {
        one.decision.kind for one in listing.entries
    }
    assert set(replayed) == {one.decision.look for one in listing.entries}
    assert differing == []


def test_the_plan_of_a_journaled_snapshot_is_the_plan_that_was_made(run):
    looks = [
        found for found in Journal(run.folder).looks() if found.look.controller == "provisioning"
    ]

    assert len(looks) > 1
    for found in looks:
        again = plan_document(plan_world(found.open().world))
        assert without_time(again) == without_time(run.plans[found.look.id])


def without_time(document):
    return msgspec.json.encode(document | {"solveSeconds": 0})


def test_an_answer_that_differs_is_told_decision_by_decision(tmp_path):
    recorder = Recorder(tmp_path, Clock())
    world = a_world(a_pod("p"), a_type(), pending_rule="live")
    recorder.decided("expiration", world, [a_delete()], 1)
    journal = Journal(tmp_path)
    (entry,) = journal.entries().entries
    replayed = replay(journal.find(entry.decision.id))

    assert not replayed.is_same
    assert (replayed.count_before, replayed.count_after) == (1, 0)
    (difference,) = replayed.differences
    assert (difference.before.kind, difference.after) == ("Delete", None)


def test_a_controller_that_nobody_knows_is_said_so(tmp_path):
    recorder = Recorder(tmp_path, Clock())
    recorder.decided("gardening", a_world(a_type()), [a_delete()], 1)
    journal = Journal(tmp_path)
    (entry,) = journal.entries().entries

    with pytest.raises(UserError, match="gardening"):
        replay(journal.find(entry.decision.id))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 51))
def test_every_decision_of_every_seed_comes_out_the_same(tmp_path, seed):
    record_simulation(tmp_path, 50, seed)
    replayed = {found.look.id: replay(found).is_same for found in Journal(tmp_path).looks()}

    assert len(replayed) > 100
    assert [look for look, is_same in replayed.items() if not is_same] == []


def test_a_journal_of_churn_stays_within_its_bound(tmp_path):
    limits = Limits(total_bytes=120_000, segment_bytes=20_000)
    record_simulation(tmp_path, 16, limits=limits)

    assert 60_000 < sum(path.stat().st_size for path in tmp_path.iterdir()) <= 140_000
    assert all(replay(found).is_same for found in Journal(tmp_path).looks())


@pytest.mark.soak
def test_a_week_of_churn_stays_within_its_bound_all_the_time(tmp_path):
    limits = Limits(total_bytes=4 << 20, segment_bytes=512 << 10)
    sizes = record_week(tmp_path, limits)

    assert len(sizes) == 7 * 24
    assert max(sizes) <= limits.total_bytes + limits.segment_bytes
    # It is full, so that the bound is what held it.
    assert max(sizes) > limits.total_bytes // 2
    assert all(replay(found).is_same for found in Journal(tmp_path).looks())
