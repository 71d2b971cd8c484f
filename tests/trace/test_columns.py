import pytest

from nodewright.model.errors import UserError
from nodewright.trace.columns import OPENB, parse_mapping, read_table
from nodewright.trace.entry import Arrival, Size
from nodewright.trace.sorting import sort_trace

HEAD = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
    "creation_time,deletion_time,scheduled_time"
)


def read(*rows, columns=OPENB, head=HEAD):
    return read_table([head, *rows], "t.csv", parse_mapping(columns))


def test_the_columns_of_the_gpu_trace_are_known():
    trace = read("p-1,6000,12288,1,460,,LS,Running,100,700,130")

    assert list(trace.entries) == [
        Arrival(
            100_000,
            "default/p-1",
            Size({"cpu": "6000m", "memory": "12288Mi", "nvidia.com/gpu": "1"}),
            570_000,
        )
    ]
    assert trace.notes[1] == "columns that are not used: gpu_spec, qos, pod_phase"


@pytest.mark.parametrize(
    ("gpus", "share", "whole"), [("0", "0", None), ("0", "300", "1"), ("1.2", "0", "2")]
)
def test_shares_of_a_gpu_are_rounded_up(gpus, share, whole):
    (entry,) = read(f"p,1000,1,{gpus},{share},,,,0,1,0").entries

    assert entry.size.resources.get("nvidia.com/gpu") == whole


def test_dates_count_from_the_first():
    trace = read(
        "p,1,2026-01-01T00:00:10Z,2026-01-01T00:01:00Z",
        "q,1,2026-01-01T00:00:30Z,",
        columns="name=n,cpu=c,arrives=a,ends=e",
        head="n,c,a,e",
    )

    first, second = trace.entries
    assert (first.at_ms, first.lasts_ms) == (0, 50_000)
    assert (second.at_ms, second.lasts_ms) == (20_000, None)


def test_rows_out_of_order_are_sorted_in_pieces():
    rows = [f"p-{at},1000,1,0,0,,,,{at},{at + 5},{at}" for at in (5, 3, 9, 1, 7, 2)]

    entries = sort_trace(read(*rows), piece=2).entries

    assert [one.at_ms for one in entries] == [1_000, 2_000, 3_000, 5_000, 7_000, 9_000]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("p,1000,1,0,0,,,,50,20,50", "ends 30 s before it begins"),
        ("p,1000,1,0,0,,,,-5,20,", "arrives is -5"),
        ("p,1000,1,0,0,,,,,20,", "says nothing about when the pod arrives"),
        ("p,many,1,0,0,,,,1,20,", "cpu: "),
        ("p,-1,1,0,0,,,,1,20,", "less than nothing"),
        ("p,1,1,none,0,,,,1,20,", "gpus: 'none' is no number"),
        ("p,,,0,0,,,,1,20,", "asks for nothing"),
        ("p,1000", "has 2 fields where the head has 11"),
        ("p,1000,1,0,0,,,,soon,20,", "neither seconds nor an instant"),
    ],
)
def test_what_is_wrong_with_a_row_is_one_sentence_with_its_place(row, sentence):
    with pytest.raises(UserError) as told:
        list(read(row).entries)

    assert sentence in told.value.message
    assert told.value.where == "t.csv:2"


def test_columns_that_are_not_there_are_named_beside_those_that_are():
    with pytest.raises(UserError) as told:
        read(head="name,cores,start")

    assert "has no column cpu_milli" in told.value.message
    assert "it has name, cores, start" in told.value.message


def test_a_mapping_that_says_nothing_is_refused():
    with pytest.raises(UserError, match="'cores=c' says nothing about a trace"):
        parse_mapping("arrives=a,cores=c")
    with pytest.raises(UserError, match="no column says when a pod arrives"):
        parse_mapping("cpu=c")
