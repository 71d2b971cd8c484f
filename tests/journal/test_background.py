"""A recorder in a thread: nobody waits for it, and what it cannot take is counted."""

import threading

import pytest

from builders import a_type, a_world
from journal.test_recorder import Clock, a_delete
from nodewright.journal.background import BackgroundRecorder
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder
from nodewright.ports.kube import Answer, Outcome


def test_what_was_told_is_written_before_it_ends(tmp_path):
    background = BackgroundRecorder(Recorder(tmp_path, Clock()))
    background.start()
    background.decided("test", a_world(a_type()), [a_delete()], 1)
    background.came_of("test", a_delete(), Answer(Outcome.DONE), 1)
    background.close()
    (entry,) = Journal(tmp_path).entries().entries

    assert (entry.decision.kind, entry.outcome.outcome) == ("Delete", "Done")


@pytest.mark.parametrize("limits", [{"waiting_max": 2}, {"looks_max": 2}])
def test_a_disk_that_is_slow_holds_nobody_up(tmp_path, caplog, limits):
    gate = threading.Event()

    class Slow(Recorder):
        def decided(self, *told):
            gate.wait(10)
            super().decided(*told)

    background = BackgroundRecorder(Slow(tmp_path, Clock()), **limits)
    background.start()
    for version in range(6):
        background.decided("test", a_world(a_type()), [a_delete(str(version))], 1)
    gate.set()
    background.close()

    assert background.left_out >= 3
    assert sum("cannot keep up" in one for one in caplog.messages) == 1
    assert len(Journal(tmp_path).entries().entries) == 6 - background.left_out


def test_nothing_is_taken_after_the_end(tmp_path):
    background = BackgroundRecorder(Recorder(tmp_path, Clock()), waiting_max=1)
    background.start()
    background.close()
    for _ in range(5):
        background.decided("test", a_world(a_type()), [a_delete()], 1)

    assert background.left_out == 0
