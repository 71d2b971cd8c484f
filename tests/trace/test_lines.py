import pytest

from nodewright.model.errors import UserError
from nodewright.trace.entry import Arrival, Scaling, Size, Thing
from nodewright.trace.lines import read_lines, write_entry, write_head

HEAD = b'{"trace": "nodewright.dev/v1", "name": "shop", "length": 60}\n'


def read(*lines):
    return list(read_lines([HEAD, *(one.encode() for one in lines)], "t.jsonl").entries)


def test_every_kind_of_line_is_read():
    entries = read(
        '{"at": 0, "object": {"kind": "PodDisruptionBudget"}}',
        '{"at": 1, "workload": "shop/web", "replicas": 3, "cpu": "500m", "memory": "1Gi"}',
        "",
        '{"at": 2, "workload": "shop/web", "replicas": 5}',
        '{"at": 2.5, "pod": "ml/train", "cpu": 2, "gpu": 1, "lasts": 10, "count": 4}',
        '{"at": 3, "workload": "shop/web", "gone": true}',
    )

    assert entries == [
        Thing(0, {"kind": "PodDisruptionBudget"}),
        Scaling(1_000, "shop/web", 3, Size({"cpu": "500m", "memory": "1Gi"})),
        Scaling(2_000, "shop/web", 5),
        Arrival(2_500, "ml/train", Size({"cpu": "2", "nvidia.com/gpu": "1"}), 10_000, count=4),
        Scaling(3_000, "shop/web", None),
    ]


def test_what_is_written_is_read_as_the_same():
    entries = [
        Thing(0, {"kind": "Namespace", "metadata": {"name": "x"}}),
        Scaling(0, "a/db", 2, Size({"cpu": "1"}, {"l": "v"}), "StatefulSet"),
        Arrival(5, "a/p", Size({"memory": "1Gi", "x/y": "2"}, spec={"nodeSelector": {}}), None, 9),
        Scaling(10, "a/db", None, kind="StatefulSet"),
    ]
    lines = [write_head("x", 1_500), *map(write_entry, entries)]

    trace = read_lines(lines, "t.jsonl")

    assert (trace.name, trace.length_ms, list(trace.entries)) == ("x", 1_500, entries)


def test_a_million_lines_are_read_one_at_a_time():
    def endless():
        yield HEAD
        for number in range(10**12):
            yield b'{"at": %d, "pod": "a/p", "cpu": 1, "lasts": 1}' % (number // 10**6)

    entries = read_lines(endless(), "t.jsonl").entries

    assert next(entries).at_ms == 0
    assert next(entries).lasts_ms == 1_000


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (['{"at": 1, "pod": "a/p", "cpu": 1, "lasts": -5}'], "lasts is -5"),
        (['{"at": -1, "pod": "a/p", "cpu": 1}'], "at is -1"),
        (['{"at": 5, "pod": "a/p", "cpu": 1, "until": 4}'], "ends at 4 s, before it begins at 5 s"),
        (
            ['{"at": 5, "pod": "a/p", "cpu": 1}', '{"at": 4, "pod": "a/q", "cpu": 1}'],
            "comes at 4 s, after a line at 5 s",
        ),
        (['{"at": 1, "pod": "a/p", "cores": 1}'], "unknown field `cores`"),
        (['{"at": 1, "pod": "p", "cpu": 1}'], "which is no namespace/name"),
        (['{"at": 1, "pod": "a/p"}'], "says nothing about the size"),
        (['{"at": 1, "pod": "a/p", "cpu": "-1"}'], "less than nothing"),
        (['{"at": 1, "pod": "a/p", "cpu": "many"}'], "cpu: "),
        (['{"at": 1, "pod": "a/p", "cpu": 1, "lasts": 1, "until": 2}'], "both lasts and until"),
        (['{"at": 1, "pod": "a/p", "cpu": 1, "count": 0}'], "has count 0"),
        (['{"at": 1}'], "must have one of pod, workload and object"),
        (['{"at": 1, "workload": "a/w", "replicas": 2}'], "whose size no line before has said"),
        (['{"at": 1, "workload": "a/w", "replicas": -2, "cpu": 1}'], "has replicas -2"),
        (['{"at": 1, "workload": "a/w", "kind": "Job", "cpu": 1}'], "has kind 'Job'"),
        (["{"], "is no entry"),
    ],
)
def test_what_is_wrong_with_a_line_is_one_sentence_with_its_place(lines, sentence):
    with pytest.raises(UserError) as told:
        read(*lines)

    assert sentence in told.value.message
    assert told.value.where == f"t.jsonl:{len(lines) + 1}"


def test_a_file_that_is_no_trace_is_told_so():
    with pytest.raises(UserError, match="is no head of a trace"):
        read_lines([b"name,cpu\n"], "t.jsonl")
    with pytest.raises(UserError, match="is a trace of version 'v9'"):
        read_lines([b'{"trace": "v9"}\n'], "t.jsonl")
