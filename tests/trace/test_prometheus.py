import json

import pytest

from nodewright.model.errors import UserError
from nodewright.trace.prometheus import read_answers

DAY = 1_767_225_600


def answer(*series, kind="matrix", status="success"):
    result = [
        {
            "metric": {"namespace": "shop", "pod": pod, "resource": resource, "owner_kind": owner},
            "values": [[DAY + at, amount] for at in times],
        }
        for pod, resource, owner, amount, times in series
    ]
    return json.dumps({"status": status, "data": {"resultType": kind, "result": result}}).encode()


def entries(*answers):
    return list(read_answers((one, f"answer-{n}") for n, one in enumerate(answers)).entries)


def test_a_pod_is_there_from_its_first_sample_until_a_step_after_its_last():
    times = range(60, 301, 60)
    found = entries(
        answer(
            ("web-1", "cpu", "ReplicaSet", "0.5", range(0, 241, 60)),
            ("web-1", "memory", "ReplicaSet", "1073741824", range(0, 241, 60)),
            ("web-2", "cpu", "ReplicaSet", "2", times),
            ("agent", "cpu", "DaemonSet", "1", times),
        )
    )

    by_name = {one.name: one for one in found}
    assert sorted(by_name) == ["shop/web-1", "shop/web-2"]
    assert by_name["shop/web-1"].size.resources == {"cpu": "500m", "memory": "1073741824"}
    assert (by_name["shop/web-1"].at_ms, by_name["shop/web-1"].until_ms) == (0, 300_000)
    assert (by_name["shop/web-2"].at_ms, by_name["shop/web-2"].until_ms) == (60_000, None)


def test_pods_live_on_from_one_answer_to_the_next():
    found = entries(
        answer(("p", "cpu", "Job", "1", range(0, 121, 60)), ("q", "cpu", "Job", "1", [0, 60])),
        answer(("p", "cpu", "Job", "1", range(180, 301, 60)), ("r", "cpu", "Job", "1", [900])),
    )

    times = {one.name: (one.at_ms, one.until_ms) for one in found}
    assert times == {
        "shop/p": (0, 360_000),
        "shop/q": (0, 120_000),
        "shop/r": (900_000, None),
    }


def test_answers_that_are_none_are_one_sentence():
    with pytest.raises(UserError, match="not of a range query"):
        entries(answer(kind="vector"))
    with pytest.raises(UserError, match="is no answer of Prometheus"):
        entries(b"<html>")
    with pytest.raises(UserError, match="has no series"):
        entries(answer())
