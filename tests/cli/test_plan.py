"""`nodewright plan`: the sum first, one sentence for bad input, and exit statuses for scripts."""

import gzip
import json
import os
import subprocess
import sys
from importlib.resources import files

import pytest
import yaml

from builders.snapshots import (
    a_document,
    a_pod_value,
    a_pool_value,
    a_type_value,
    an_object,
)
from nodewright.cli.main import run

EXAMPLE = str(files("nodewright.examples") / "first-cluster.json")
POOL = a_pool_value()
FINE = a_document(a_pod_value("web"), POOL)
HUGE = a_document(a_pod_value("web"), a_pod_value("huge", cpu="99"), POOL)


@pytest.fixture
def saved(tmp_path):
    """Save a document and give its path."""

    def save(document, name="cluster.json"):
        path = tmp_path / name
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        path.write_bytes(data)
        return str(path)

    return save


def test_every_pod_placed_is_fine(saved, capsys):
    assert run(["plan", saved(FINE), "-o", "json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["newNodes"][0]["pods"] == ["default/web"]


def test_a_pod_left_behind_is_found(saved, capsys):
    assert run(["plan", saved(HUGE), "-o", "json"]) == 1
    assert list(json.loads(capsys.readouterr().out)["unschedulable"]) == ["default/huge"]


def test_a_lower_bound_is_given_to_those_who_ask(saved, capsys):
    assert run(["plan", saved(FINE), "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["lowerBoundPerHour"] is None
    assert run(["plan", saved(FINE), "-o", "json", "--bound"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["lowerBoundPerHour"] == pytest.approx(plan["pricePerHour"])
    assert run(["plan", saved(FINE), "--bound"]) == 0
    assert "no plan can cost less than" in capsys.readouterr().out


def test_the_table_says_the_sum_the_nodes_and_who_stays_behind(saved, capsys):
    assert run(["plan", saved(HUGE)]) == 1
    shown = capsys.readouterr().out
    assert "PODS 2" in shown
    assert "NODES +1" in shown
    assert "nodes to make (1)" in shown
    assert "default/huge" in shown
    assert shown.index("PODS 2") < shown.index("nodes to make") < shown.index("default/huge")


def test_the_table_shows_existing_nodes_that_take_pods(saved, capsys):
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "10"}
    node = an_object("Node", "n1", status={"capacity": amounts, "allocatable": amounts})
    assert run(["plan", saved(a_document(a_pod_value("web"), POOL, node))]) == 0
    shown = capsys.readouterr().out
    assert "existing nodes that take pods (1)" in shown
    assert "n1" in shown


def test_yaml_says_the_same_as_json(saved, capsys):
    run(["plan", saved(HUGE), "-o", "json"])
    as_json = json.loads(capsys.readouterr().out)
    run(["plan", saved(HUGE), "-o", "yaml"])
    as_yaml = yaml.safe_load(capsys.readouterr().out)
    as_json["solveSeconds"] = as_yaml["solveSeconds"] = 0
    assert as_yaml == as_json


@pytest.mark.parametrize("effort", ["fast", "normal", "best"])
def test_every_effort_answers(effort, saved, capsys):
    assert run(["plan", saved(FINE), "--effort", effort, "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["pricePerHour"] == 0.2


def test_a_bound_is_given_when_asked_for(saved, capsys):
    assert run(["plan", saved(FINE), "--bound", "-o", "json"]) == 0
    assert 0 <= json.loads(capsys.readouterr().out)["lowerBoundPerHour"] <= 0.2


def test_warnings_go_to_standard_error_and_leave_the_result_alone(saved, capsys):
    odd = a_document(a_pod_value(), POOL, an_object("Gadget"), options={"speed": 11})
    assert run(["plan", saved(odd), "-o", "json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["unschedulable"] == {}
    assert "warning: objects[2]: v1 Gadget" in shown.err
    assert "warning: options.speed" in shown.err


def test_an_overlay_that_is_not_used_is_a_warning(saved, capsys):
    spec = {"requirements": [], "price": "0.1"}
    overlays = [
        an_object("NodeOverlay", name, "karpenter.sh/v1alpha1", spec=spec) for name in ("a", "b")
    ]
    assert run(["plan", saved(a_document(a_pod_value(), POOL, *overlays)), "-o", "json"]) == 0
    assert "warning: NodeOverlay a is not used: it contradicts b" in capsys.readouterr().err


def _cycle(name, owner):
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner}
    metadata = {"uid": name, "ownerReferences": [reference]}
    return an_object("ReplicaSet", name, "apps/v1", metadata=metadata)


def _lost_pool():
    pool = a_pool_value()
    pool["spec"]["template"]["spec"]["nodeClassRef"] = {"group": "", "kind": "", "name": ""}
    return pool


BAD = {
    "a missing field": (
        a_document(POOL, catalogs={"all": [{"name": "m"}]}),
        "catalogs.all[0]",
    ),
    "an unknown quantity": (
        a_document(POOL, catalogs={"all": [a_type_value(cpu="many")]}),
        "catalogs.all[0]",
    ),
    "a cycle of owners": (
        a_document(_cycle("a", "b"), _cycle("b", "a")),
        "metadata.ownerReferences",
    ),
    "two nodes of one name": (
        a_document(an_object("Node", "n"), an_object("Node", "n")),
        "objects[1].metadata.name",
    ),
    "a pod on a missing node": (
        a_document(a_pod_value(nodeName="ghost")),
        "objects[0].spec.nodeName",
    ),
    "a pool that refers to nothing": (
        a_document(_lost_pool(), instanceTypes={}),
        "objects[0].spec.template.spec.nodeClassRef",
    ),
    "a pool whose class is missing": (
        a_document(POOL, instanceTypes={}),
        "objects[0].spec.template.spec.nodeClassRef.name",
    ),
    "a catalog that is missing": (
        a_document(POOL, instanceTypes={"default": "ghost"}),
        "instanceTypes.default",
    ),
    "the wrong kind": (a_document(kind="Picture"), "apiVersion"),
    "no JSON": (b"hello", "cluster.json"),
    "half a JSON": (json.dumps(FINE).encode()[:-20], "cluster.json"),
    "half a gzip": (gzip.compress(json.dumps(FINE).encode())[:60], "cluster.json"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_with_its_place_and_status_two(name, saved, capsys):
    document, place = BAD[name]
    assert run(["plan", saved(document), "-o", "json"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    headline, where, *rest = shown.err.splitlines()
    assert headline.startswith("error[NW-90")
    assert where.startswith("  --> ")
    assert place in where
    assert all(line.startswith("  help: ") for line in rest)
    assert "Traceback" not in shown.err


def test_one_bad_pod_does_not_stop_the_rest(saved, capsys):
    odd = an_object("Pod", "odd", spec={"containers": "none"})
    assert run(["plan", saved(a_document(odd, a_pod_value("web"), POOL)), "-o", "json"]) == 1
    plan = json.loads(capsys.readouterr().out)
    assert "objects[0].spec.containers" in plan["unschedulable"]["default/odd"]["summary"]
    assert plan["newNodes"][0]["pods"] == ["default/web"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "--kubeconfig", "missing"],
        ["plan", "missing.json"],
        ["plan", "x", "--effort", "huge"],
        ["plan", "--nope"],
    ],
)
def test_a_command_that_cannot_be_done_says_what_to_do(arguments, capsys):
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error[NW-9")
    assert "help: " in shown.err


def test_standard_input_is_read_for_a_dash_and_the_answer_is_the_same_bytes_every_time():
    answers = []
    for seed in ("0", "7"):
        done = subprocess.run(
            [sys.executable, "-m", "nodewright", "plan", "-", "-o", "json"],
            input=gzip.compress(json.dumps(HUGE).encode()),
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=False,
        )
        assert (done.returncode, done.stderr) == (1, b"")
        lines = done.stdout.splitlines()
        answers.append([line for line in lines if b"solveSeconds" not in line])
    assert answers[0] == answers[1]
    assert len(answers[0]) > 20


def test_the_plan_speaks_korean(capsys):
    status = run(["plan", EXAMPLE, "--lang", "ko"])

    out = capsys.readouterr().out
    assert status == 1
    assert "만들 노드 (8)" in out
    assert "톨러레이션 0개" in out
    assert "the pod" not in out


def test_what_programs_read_does_not_depend_on_the_locale(capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    run(["plan", EXAMPLE, "-o", "json"])
    plain = json.loads(capsys.readouterr().out)
    run(["plan", EXAMPLE, "-o", "json", "--lang", "ko"])
    asked = json.loads(capsys.readouterr().out)

    assert "the pod needs" in plain["unschedulable"]["data/report-1"]["summary"]
    assert "조건이 필요하지만" in asked["unschedulable"]["data/report-1"]["summary"]
