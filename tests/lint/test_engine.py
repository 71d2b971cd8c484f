"""The rules together: order, silence, and no stream that makes one fall over."""

import json
from random import Random

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.manifests import a_class_text, a_pool_text, a_workload_text, read_texts
from builders.wild import a_stream
from nodewright.app.converting import convert_sources
from nodewright.app.manifests import Source
from nodewright.convert.nodeclass import ConvertOptions
from nodewright.lint.codes import CODES
from nodewright.lint.engine import lint
from nodewright.lint.finding import publish
from nodewright.lint.fix import fix_text
from nodewright.lint.stream import Told
from nodewright.state.manifests import read_manifests

JUNK = (None, 0, -1, 1.5, True, "", "x", "${A}", [], {}, [None], [[]], [{}], {"a": 1}, {"": None})
VALUES = "settings: {aws: {clusterName: c, tags: {a: b}}}\naffinity: {nodeAffinity: {}}\n"


def test_findings_come_file_by_file_and_line_by_line():
    first = read_manifests(a_pool_text("a", limits=None).encode(), "b.yaml")
    second = read_manifests(a_pool_text("c", limits=None, weight=200).encode(), "a.yaml")
    places = [(one.manifest.file, one.mark) for one in lint([*first, *second])]

    assert next(file for file, _ in places) == "b.yaml"
    assert places == sorted(places, key=lambda place: (place[0] == "a.yaml", place[1]))


def test_a_code_can_be_left_out():
    assert lint(read_texts(a_pool_text(limits=None)), ignore=["NW-2117"]) == []


def test_an_empty_stream_has_no_findings():
    assert lint([]) == []


def test_the_same_stream_gives_the_same_answer():
    text = "---\n".join([a_stream(1), a_stream(2), a_stream(3)])
    answers = [[publish(one) for one in lint(read_texts(text))] for _ in range(2)]

    assert answers[0] == answers[1]


def places(value, at=()):
    """Give every path of a value."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for part, entry in entries:
        yield (*at, part)
        if isinstance(entry, dict | list):
            yield from places(entry, (*at, part))


def spoilt(seed, dice):
    """Put junk into a stream of every kind of object."""
    text = "---\n".join([a_stream(seed), a_workload_text(), a_workload_text("DaemonSet"), VALUES])
    objects = list(yaml.load_all(text, Loader=yaml.CSafeLoader))
    for _ in range(3):
        path = dice.choice(sorted(places(objects), key=str))
        holder = objects
        for part in path[:-1]:
            holder = holder[part]
        holder[path[-1]] = dice.choice(JUNK)
    return "---\n".join(json.dumps(one) + "\n" for one in objects if isinstance(one, dict))


@settings(max_examples=12)
@given(st.integers(0, 10_000))
def test_no_junk_in_any_place_makes_a_rule_or_the_conversion_fall_over(seed):
    text = spoilt(seed % 50, Random(seed))
    manifests = tuple(read_manifests(text.encode(), "junk.yaml"))
    found = lint(manifests, Told("eu-west-1", kubernetes_minor=34))
    for finding in found:
        assert finding.code in CODES
        assert publish(finding).line >= 1
    fixed = fix_text(text, found)
    again = lint(read_manifests(fixed.text.encode(), "junk.yaml"))
    converted = convert_sources([Source("junk.yaml", text, manifests)], ConvertOptions())
    assert isinstance(converted.text, str)
    assert all(finding.code in CODES for finding in again)


@pytest.mark.parametrize("kind", ["Pod", "StatefulSet", "Job", "CronJob", "ReplicaSet"])
def test_every_kind_of_workload_is_asked(kind):
    pod = {"nodeSelector": {"team": "x"}, "containers": []}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod}
    spec = {"Pod": pod, "CronJob": {"jobTemplate": {"spec": {"template": template}}}}
    api = {"Pod": "v1", "Job": "batch/v1", "CronJob": "batch/v1"}.get(kind, "apps/v1")
    value = {
        "apiVersion": api,
        "kind": kind,
        "metadata": {"name": "x"},
        "spec": spec.get(kind, {"template": template}),
    }
    found = lint(read_texts(a_pool_text(), a_class_text(), yaml.safe_dump(value)))

    assert [one.code for one in found] == ["NW-3016"]
