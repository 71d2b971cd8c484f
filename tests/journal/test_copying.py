"""Copies of a journal: each closed segment once, whatever fails, and never at the journal's cost."""

import asyncio
import errno
import gzip
from pathlib import Path

import pytest

from builders import NOW_MS, a_type, a_world
from journal.test_recorder import Clock, a_delete
from nodewright.journal.copying import COPY_MS, NOTE, Copier
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder
from nodewright.journal.segments import Limits, list_segments

SMALL = Limits(segment_bytes=1)


class Shelf:
    """An archive in memory, that can be closed."""

    def __init__(self, name="s3://logs/journal"):
        self.name = name
        self.kept = {}
        self.asked = []
        self.problem = ""

    async def keep(self, name, content):
        self.asked.append(name)
        if not self.problem:
            self.kept[name] = content
        return self.problem


def record(folder, count, start=0):
    """Write a journal in which each decision begins a segment; the last one stays open."""
    clock = Clock()
    recorder = Recorder(folder, clock, SMALL)
    for turn in range(start, start + count):
        clock.at_ms = NOW_MS + turn
        recorder.decided("test", a_world(a_type(), now_ms=clock.at_ms), [a_delete(str(turn))], 1)
    return recorder


def copy(folder, shelf, **how):
    copier = Copier(folder, shelf, Clock())
    asyncio.run(copier.copy(**how))
    return copier


def versions(folder):
    entries = Journal(folder).entries().entries
    return sorted(one.decision.basis[0][1] for one in entries)


def test_what_is_closed_is_copied_and_the_open_one_is_not(tmp_path):
    shelf = Shelf()
    record(tmp_path, 3)
    copier = copy(tmp_path, shelf)
    closed = list_segments(tmp_path)[:-1]

    assert sorted(shelf.kept.values()) == sorted(path.read_bytes() for path in closed)
    assert [name[:19] for name in shelf.asked] == [path.name[:19] for path in closed]
    assert (copier.problem, copier.waiting_count) == ("", 0)


def test_a_folder_of_copies_is_a_journal(tmp_path):
    shelf, back = Shelf(), tmp_path / "back"
    record(tmp_path, 3).close()
    copy(tmp_path, shelf, is_over=True)
    back.mkdir()
    for name, content in shelf.kept.items():
        (back / name).write_bytes(content)

    assert versions(back) == versions(tmp_path) == ["0", "1", "2"]


def test_a_new_process_copies_only_what_is_new(tmp_path):
    shelf = Shelf()
    record(tmp_path, 3)
    copy(tmp_path, shelf)
    record(tmp_path, 1, start=3)
    copy(tmp_path, shelf)

    assert len(shelf.asked) == len(set(shelf.asked)) == 3


def test_one_that_was_killed_before_it_took_note_makes_the_same_copy_again(tmp_path):
    shelf = Shelf()
    record(tmp_path, 3)
    copy(tmp_path, shelf)
    (tmp_path / NOTE).unlink()
    copy(tmp_path, shelf)

    assert len(shelf.asked) == 4
    assert len(shelf.kept) == 2


def test_a_note_that_cannot_be_read_is_told_and_all_is_copied_again(tmp_path, caplog):
    shelf = Shelf()
    record(tmp_path, 3)
    (tmp_path / NOTE).write_text('{"archive": "s3')
    copy(tmp_path, shelf)

    assert len(shelf.kept) == 2
    assert f"{NOTE} cannot be read" in caplog.text


def test_another_archive_gets_everything(tmp_path):
    first, second = Shelf(), Shelf("s3://other")
    record(tmp_path, 3)
    copy(tmp_path, first)
    copy(tmp_path, second)

    assert first.kept == second.kept


def test_an_archive_that_takes_nothing_is_told_once_and_tried_again(tmp_path, caplog):
    caplog.set_level("INFO")
    shelf = Shelf()
    record(tmp_path, 3)
    before = [path.read_bytes() for path in list_segments(tmp_path)]
    copier = Copier(tmp_path, shelf, Clock())
    shelf.problem = "AccessDenied: no"
    for _ in range(3):
        asyncio.run(copier.copy())

    assert copier.problem == "the journal is not copied to s3://logs/journal: AccessDenied: no"
    assert (copier.waiting_count, len(shelf.asked)) == (2, 3)
    assert sum("is not copied to" in one for one in caplog.messages) == 1
    assert [path.read_bytes() for path in list_segments(tmp_path)] == before
    shelf.problem = ""
    asyncio.run(copier.copy())
    assert (copier.problem, copier.waiting_count, len(shelf.kept)) == ("", 0, 2)
    assert "the journal is copied to s3://logs/journal again" in caplog.messages


def test_what_went_before_it_had_its_copy_is_told(tmp_path, caplog):
    shelf = Shelf()
    shelf.problem = "away"
    record(tmp_path, 3)
    copier = Copier(tmp_path, shelf, Clock())
    asyncio.run(copier.copy())
    list_segments(tmp_path)[0].unlink()
    shelf.problem = ""
    asyncio.run(copier.copy())

    assert len(shelf.kept) == 1
    assert any(one.startswith("1 parts of the journal grew too old") for one in caplog.messages)


def test_a_segment_that_goes_while_it_is_copied_is_passed_over(tmp_path):
    record(tmp_path, 4)
    first, second, *_ = list_segments(tmp_path)

    class Slow(Shelf):
        async def keep(self, name, content):
            second.unlink(missing_ok=True)
            return await super().keep(name, content)

    shelf = Slow()
    copier = copy(tmp_path, shelf)

    assert first.name[:19] == shelf.asked[0][:19]
    assert (len(shelf.kept), copier.problem, copier.waiting_count) == (2, "", 0)


def fail(*_):
    raise OSError(errno.EIO, "Input/output error")


def test_a_disk_that_cannot_be_read_breaks_nothing(tmp_path, monkeypatch):
    shelf = Shelf()
    record(tmp_path, 3)
    monkeypatch.setattr(Path, "read_bytes", fail)
    copier = copy(tmp_path, shelf)

    assert copier.problem.endswith("jsonl.gz cannot be read: Input/output error")
    assert (shelf.kept, copier.waiting_count) == ({}, 2)


def test_a_disk_that_takes_no_note_is_told_once_and_all_is_copied(tmp_path, monkeypatch, caplog):
    shelf = Shelf()
    record(tmp_path, 4)
    monkeypatch.setattr(Path, "write_bytes", fail)
    copier = copy(tmp_path, shelf)
    asyncio.run(copier.copy())

    assert (len(shelf.asked), copier.problem) == (3, "")
    assert sum("cannot be noted (Input/output error)" in one for one in caplog.messages) == 1


def test_the_names_that_are_noted_are_of_segments_that_are_there(tmp_path):
    shelf = Shelf()
    record(tmp_path, 4)
    copy(tmp_path, shelf)
    first = list_segments(tmp_path)[0]
    first.unlink()
    record(tmp_path, 1, start=4)
    copy(tmp_path, shelf)

    assert first.name not in (tmp_path / NOTE).read_text()


def test_it_is_looked_again_every_minute(tmp_path):
    shelf, slept = Shelf(), []

    class Ticking(Clock):
        async def sleep_ms(self, duration_ms):
            slept.append(duration_ms)
            if len(slept) == 2:
                raise asyncio.CancelledError
            record(tmp_path, 2)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(Copier(tmp_path, shelf, Ticking()).run())

    assert slept == [COPY_MS, COPY_MS]
    assert len(shelf.kept) == 1


def test_the_last_of_a_journal_that_has_ended_is_copied_within_a_while(
    tmp_path, monkeypatch, caplog
):
    shelf = Shelf()
    record(tmp_path, 1).close()
    asyncio.run(Copier(tmp_path, shelf, Clock()).farewell())
    (content,) = shelf.kept.values()

    assert gzip.decompress(content)

    class Stuck(Shelf):
        async def keep(self, *_):
            await asyncio.Event().wait()

    monkeypatch.setattr("nodewright.journal.copying.FAREWELL_S", 0.01)
    asyncio.run(Copier(tmp_path, Stuck("s3://stuck"), Clock()).farewell())
    assert "1 parts of the journal are not copied to s3://stuck yet" in caplog.messages
