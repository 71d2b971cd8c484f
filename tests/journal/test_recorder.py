"""The recorder: what is new is written once, and a disk that is full ends only the journal."""

import errno
import logging

import msgspec

from builders import NOW_MS, a_node, a_pod, a_type, a_world
from builders.lives import with_meta
from nodewright.journal.reading import Filter, Journal
from nodewright.journal.recorder import Recorder
from nodewright.journal.segments import SegmentWriter
from nodewright.model.decision import Delete, Keep, Nominate, Refuse, Tell, rest_on
from nodewright.model.resource import NODES, PODS, refer
from nodewright.ports.kube import Answer, Outcome

POD = with_meta(a_pod("p"), uid="u", resource_version="5")


class Clock:
    """Time that stands still unless it is told."""

    def __init__(self):
        self.at_ms = NOW_MS

    def now_ms(self):
        return self.at_ms


def a_refusal(pod=POD, note="nothing fits (NW-1201)"):
    return Refuse(
        subject=refer(PODS, pod),
        reason="FailedScheduling",
        note=note,
        basis=rest_on((PODS, pod)),
        code="NW-1201",
    )


def a_nomination(host):
    return Nominate(subject=refer(PODS, POD), reason="Nominated", host=host)


def a_delete(version="5"):
    node = with_meta(a_node("n"), resource_version=version)
    return Delete(subject=refer(NODES, node), reason="Expired", basis=rest_on((NODES, node)))


def recorded(tmp_path, *looks):
    """Record looks one after the other, and give the kinds that were written down."""
    recorder = Recorder(tmp_path, Clock())
    for turn, decisions in enumerate(looks):
        recorder.decided("test", a_world(POD, a_type(), now_ms=NOW_MS + turn), decisions, 1)
    return [one.decision.kind for one in Journal(tmp_path).entries().entries]


def test_a_verdict_is_written_when_it_changes_not_each_time_it_is_confirmed(tmp_path):
    newer = with_meta(POD, resource_version="6")
    looks = [
        [a_refusal()],
        [a_refusal(newer)],
        [a_nomination("a")],
        [a_nomination("a")],
        [a_refusal()],
    ]

    assert recorded(tmp_path, *looks) == ["Refuse", "Nominate", "Refuse"]


def test_a_wait_that_goes_on_is_one_verdict(tmp_path):
    waits = [
        [Keep(subject=refer(PODS, POD), reason="Young", look_again_ms=left)] for left in (9, 5, 1)
    ]

    assert recorded(tmp_path, *waits) == ["Keep"]


def test_what_is_told_of_two_things_at_once_is_written_twice_and_no_more(tmp_path):
    told = [Tell(subject=refer(PODS, POD), reason=reason, note="it is") for reason in ("A", "B")]

    assert recorded(tmp_path, told, told) == ["Tell", "Tell"]


def test_an_act_is_written_once_for_each_basis(tmp_path):
    looks = [[a_delete()], [a_delete()], [a_delete("6")]]

    assert recorded(tmp_path, *looks) == ["Delete", "Delete"]


def test_what_came_of_an_act_is_written_when_it_is_another_answer(tmp_path):
    recorder = Recorder(tmp_path, Clock())
    delete = a_delete()
    recorder.decided("test", a_world(a_type()), [delete], 1)
    for answer in (Answer(Outcome.BUSY), Answer(Outcome.BUSY), Answer(Outcome.DONE)):
        recorder.came_of("test", delete, answer, 7)
    (entry,) = Journal(tmp_path).entries(Filter(subject="nodes/n")).entries

    assert (entry.outcome.id, entry.outcome.outcome) == (entry.decision.id, "Done")
    assert entry.outcome.duration_ms == 7


def test_a_full_disk_ends_the_journal_with_one_line_and_nobody_else(tmp_path, monkeypatch, caplog):
    recorder = Recorder(tmp_path, Clock())
    recorder.decided("test", a_world(a_type()), [a_delete()], 1)

    def refuse(self, lines):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(SegmentWriter, "append", refuse)
        for version in ("6", "7"):
            recorder.decided("test", a_world(a_type()), [a_delete(version)], 1)
        recorder.came_of("test", a_delete(), Answer(Outcome.DONE), 1)
    recorder.close()

    assert len(caplog.messages) == 1
    assert "No space left on device" in caplog.messages[0]
    assert "No space left on device" in recorder.problem
    assert len(Journal(tmp_path).entries().entries) == 1


def test_a_folder_that_cannot_be_made_is_told_the_same_way(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    recorder = Recorder(tmp_path / "file", Clock())
    recorder.decided("test", a_world(a_type()), [a_delete()], 1)

    assert len(caplog.messages) == 1
    assert recorder.problem


def test_a_new_segment_holds_all_that_its_worlds_need(tmp_path):
    clock = Clock()
    recorder = Recorder(tmp_path, clock)
    world = msgspec.structs.replace(a_world(POD, a_type()), now_ms=NOW_MS)
    for turn in range(3):
        recorder.decided("test", world, [a_delete(str(turn))], 1)
        clock.at_ms += 7 * 3_600_000
    found = Journal(tmp_path).entries().entries

    assert len(list(tmp_path.iterdir())) == 3
    for entry in found:
        assert Journal(tmp_path).find(entry.decision.id).open().world == world
