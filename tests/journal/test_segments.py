"""Segments: whole lines survive whatever happens to the process, and old ones make room."""

import os
import signal
import subprocess
import sys
import zlib

import pytest

from builders import NOW_MS
from nodewright.journal.records import CameOf, write_line
from nodewright.journal.segments import Limits, SegmentReader, SegmentWriter, list_segments

HOUR_MS = 3_600_000


def a_line(number):
    return CameOf(id=f"D-{number}", at_ms=number, outcome="Done", message=os.urandom(40).hex())


def read(folder):
    """All lines of a journal's segments, and what was told of them."""
    lines, problems = [], []
    for path in list_segments(folder):
        reader = SegmentReader(path)
        lines += [one.id for one in reader.lines()]
        problems += reader.problems
    return lines, problems


def test_what_was_appended_is_read_before_the_segment_is_closed(tmp_path):
    writer = SegmentWriter(tmp_path / "journal", Limits())
    writer.begin(NOW_MS)
    writer.append([write_line(a_line(1)), write_line(a_line(2))])

    assert read(tmp_path / "journal") == (["D-1", "D-2"], [])
    writer.close()
    assert read(tmp_path / "journal") == (["D-1", "D-2"], [])


@pytest.mark.parametrize("lost", [1, 10, 30])
def test_a_crash_in_the_middle_of_a_line_loses_only_that_line_and_is_told(tmp_path, lost):
    writer = SegmentWriter(tmp_path, Limits())
    writer.begin(NOW_MS)
    writer.append([write_line(a_line(1))])
    whole = list_segments(tmp_path)[0].stat().st_size
    writer.append([write_line(a_line(2))])
    writer.abandon()
    (path,) = list_segments(tmp_path)
    size = path.stat().st_size
    os.truncate(path, max(whole + 10, size - lost))
    lines, problems = read(tmp_path)

    assert lines[0] == "D-1"
    assert lines[1:] == ["D-2"] or "line 2 was cut off" in problems[0]


def test_a_line_that_is_no_record_is_told_and_left_out(tmp_path):
    writer = SegmentWriter(tmp_path, Limits())
    writer.begin(NOW_MS)
    writer.append([write_line(a_line(1)), b'{"record":"poem"}\n', write_line(a_line(3))])
    lines, problems = read(tmp_path)

    assert lines == ["D-1", "D-3"]
    assert "line 2 cannot be read" in problems[0]


def test_a_damaged_file_spoils_only_its_rest(tmp_path):
    writer = SegmentWriter(tmp_path, Limits())
    writer.begin(NOW_MS)
    writer.append([write_line(a_line(1))])
    writer.abandon()
    (path,) = list_segments(tmp_path)
    path.write_bytes(path.read_bytes() + b"\xff" * 100)
    other = SegmentWriter(tmp_path, Limits())
    other.begin(NOW_MS + 1)
    other.append([write_line(a_line(2))])
    lines, problems = read(tmp_path)

    assert lines == ["D-1", "D-2"]
    assert "damaged" in problems[-1]


def test_two_processes_never_write_into_one_file(tmp_path):
    for _ in range(2):
        SegmentWriter(tmp_path, Limits()).begin(NOW_MS)

    assert len(list_segments(tmp_path)) == 2


def test_a_journal_stays_within_its_size(tmp_path):
    limits = Limits(total_bytes=8_000, segment_bytes=1_000)
    writer = SegmentWriter(tmp_path, limits)
    sizes = []
    for number in range(300):
        if writer.is_due(NOW_MS + number):
            writer.begin(NOW_MS + number)
        writer.append([write_line(a_line(number))])
        sizes.append(sum(path.stat().st_size for path in list_segments(tmp_path)))
    lines, problems = read(tmp_path)

    assert max(sizes) <= 8_000
    assert sizes[-1] > 5_000
    assert lines[-1] == "D-299"
    assert problems == []


def test_what_is_too_old_goes(tmp_path):
    limits = Limits(age_ms=10 * HOUR_MS, segment_ms=HOUR_MS)
    writer = SegmentWriter(tmp_path, limits)
    for hour in range(30):
        now_ms = NOW_MS + hour * HOUR_MS
        assert writer.is_due(now_ms)
        writer.begin(now_ms)
        writer.append([write_line(a_line(hour))])

    assert read(tmp_path)[0] == [f"D-{hour}" for hour in range(18, 30)]


def test_segments_are_gzip_files_that_any_tool_reads(tmp_path):
    writer = SegmentWriter(tmp_path, Limits())
    writer.begin(NOW_MS)
    writer.append([write_line(a_line(1))])
    writer.close()
    (path,) = list_segments(tmp_path)

    assert b'"record":"outcome"' in zlib.decompress(path.read_bytes(), 31)


_WRITER = """
import sys
from pathlib import Path
from nodewright.journal.records import CameOf, write_line
from nodewright.journal.segments import Limits, SegmentWriter
writer = SegmentWriter(Path(sys.argv[1]), Limits(segment_bytes=20_000))
number = 0
while True:
    if writer.is_due(number):
        writer.begin(number)
    writer.append([write_line(CameOf(f"D-{number}", number, "Done", "x" * 200))])
    number += 1
    print(number, flush=True)
"""


def test_a_process_that_is_killed_loses_nothing_it_had_written(tmp_path):
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        written = 0
        for line in process.stdout:
            written = int(line)
            if written >= 2_000:
                process.send_signal(signal.SIGKILL)
                break
    lines, problems = read(tmp_path)

    assert lines[:written] == [f"D-{number}" for number in range(written)]
    assert len(problems) <= 1
