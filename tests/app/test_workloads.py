import gzip

import pytest

from nodewright.app.workloads import Source, open_workload
from nodewright.model.errors import UserError

TRACE = (
    b'{"trace": "nodewright.dev/v1", "length": 7200}\n'
    b'{"at": 60, "pod": "a/p", "cpu": 1, "lasts": 10}\n'
    b'{"at": 4000, "pod": "a/q", "cpu": 1, "lasts": 10}\n'
)


def test_a_trace_may_be_packed_and_be_begun_in_the_middle(tmp_path):
    path = tmp_path / "t.jsonl.gz"
    path.write_bytes(gzip.compress(TRACE))

    trace = open_workload(Source(str(path), skip_days=1 / 24))

    assert [(one.name, one.at_ms) for one in trace.entries] == [("a/q", 400_000)]
    assert trace.length_ms == 3_600_000


def test_a_table_is_sorted(tmp_path):
    path = tmp_path / "pods.csv"
    path.write_text("n,c,t\nb,1,9\na,1,3\n")

    entries = open_workload(Source(str(path), "name=n,cpu=c,arrives=t")).entries

    assert [one.name for one in entries] == ["default/a", "default/b"]


def test_a_workload_can_be_made_up_by_name():
    trace = open_workload(Source("cron-storms:0.1", days=0.1))

    assert trace.name == "cron-storms"
    assert next(trace.entries).at_ms == 0


@pytest.mark.parametrize("data", [b"\x1f\x8b broken", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path, data):
    for name in ("t.jsonl.gz", "t.csv", "missing.csv"):
        path = tmp_path / name
        if name != "missing.csv":
            path.write_bytes(data)
        with pytest.raises(UserError):
            list(open_workload(Source(str(path))).entries)
    with pytest.raises(UserError, match="is no scale"):
        open_workload(Source("diurnal-web:huge"))
