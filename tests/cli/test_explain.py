"""`explain`: why, in one screen, and in words that a program can read."""

import json
from importlib.resources import files

import pytest
import yaml
from rich.cells import cell_len

from nodewright.cli.main import run

EXAMPLE = str(files("nodewright.examples") / "first-cluster.json")
POD = "pod/data/report-1"


@pytest.fixture(autouse=True)
def _plain_locale(monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def shown(capsys, *arguments):
    status = run(["explain", *arguments])
    return status, capsys.readouterr()


def test_a_pod_that_stays_behind_is_explained_on_one_screen(capsys):
    status, told = shown(capsys, POD, EXAMPLE)

    assert status == 1
    lines = told.out.splitlines()
    assert lines[0] == (
        "✗ general: the pod needs team In [data], and none of the NodePool's 9 labels is team  NW-1203"
    )
    assert "─ pool ▸ " in told.out
    assert "help  let the pod tolerate taint batch=only:NoSchedule" in told.out
    assert len(lines) < 30


def test_a_pod_that_is_placed_says_where(capsys):
    status, told = shown(capsys, "pod/shop/web-6c4b-01", EXAMPLE)

    assert status == 0
    assert told.out.startswith("✓ goes onto existing node ip-10-0-")


def test_json_and_yaml_say_the_same(capsys):
    _, first = shown(capsys, POD, EXAMPLE, "-o", "json")
    _, second = shown(capsys, POD, EXAMPLE, "-o", "yaml")

    document = json.loads(first.out)
    assert yaml.safe_load(second.out) == document
    assert document["smallestChange"]["verified"] is True


def test_korean_lines_up_although_its_letters_are_wide(capsys):
    _, told = shown(capsys, POD, EXAMPLE, "--lang", "ko")

    starts = {
        cell_len(line[: line.index(mark)])
        for line in told.out.splitlines()
        for mark in ("cpu 2", "1181 타입", "노드 3개")
        if mark in line
    }
    assert len(starts) == 1


def test_the_locale_chooses_the_language(capsys, monkeypatch):
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")

    _, told = shown(capsys, "NW-1204")

    assert "충분히 큰 인스턴스 타입이 없습니다" in told.out


def test_a_node_and_a_pool_are_explained(capsys):
    status, node = shown(capsys, "node/ip-10-0-1-20.eu-west-1.compute.internal", EXAMPLE)
    pool_status, pool = shown(capsys, "nodepool/general", EXAMPLE)

    assert (status, pool_status) == (0, 0)
    assert "takes now  shop/web-6c4b-01" in node.out
    assert pool.out.startswith("✓ general: makes 226 of 1181 instance types now")


@pytest.mark.parametrize("code", ["NW-1204", "nw-1213", "NW-2101"])
def test_a_code_has_a_page_and_needs_no_snapshot(capsys, code):
    status, told = shown(capsys, code)

    assert status == 0
    assert told.out.startswith(code.upper())


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["pod/shop/nobody", EXAMPLE], "NW-9502"),
        (["node/nobody", EXAMPLE], "NW-9502"),
        (["nodepool/nobody", EXAMPLE], "NW-9502"),
        (["budget", EXAMPLE], "NW-9501"),
        (["pod/", EXAMPLE], "NW-9501"),
        (["NW-0001"], "NW-9501"),
        ([POD, "--kubeconfig", "nowhere"], "NW-9401"),
        (["D-0123456789ab", "--journal", "nowhere"], "NW-9601"),
        (["D-0123456789ab", "--kubeconfig", "nowhere"], "NW-9401"),
    ],
)
def test_what_cannot_be_explained_is_said_in_one_sentence(capsys, arguments, code):
    status, told = shown(capsys, *arguments)

    assert status == 2
    assert told.out == ""
    assert told.err.startswith(f"error[{code}]: ")
    assert "Traceback" not in told.err
