import msgspec
import pytest
import yaml

from nodewright.cli.main import run
from sim.test_run import SMALL

NODE_CLASS = {
    "kind": "EC2NodeClass",
    "metadata": {"name": "d"},
    "spec": {
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "role": "KarpenterNodeRole",
        "subnetSelectorTerms": [{"tags": {"discovery": "test"}}],
        "securityGroupSelectorTerms": [{"tags": {"discovery": "test"}}],
    },
}
WORKING = {**SMALL, "duration": "5m", "objects": [NODE_CLASS, *SMALL["objects"]]}


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump(SMALL))
    return str(path)


def test_a_run_is_shown_and_fine(scenario, capsys):
    assert run(["simulate", "--scenario", scenario, "--seed", "7", "--autoscaler", "none"]) == 0

    shown = capsys.readouterr().out
    assert "every promise was kept" in shown
    assert "podsPending" in shown


def test_our_own_controllers_make_nodes(tmp_path, capsys):
    path = tmp_path / "working.yaml"
    path.write_text(yaml.safe_dump(WORKING))
    assert run(["simulate", "--scenario", str(path), "-o", "json"]) == 0

    outcome = msgspec.json.decode(capsys.readouterr().out)
    assert outcome["counts"] == {"nodes": 1, "nodeClaims": 1, "podsRunning": 2}


def test_a_broken_promise_is_found_and_can_be_seen_again(scenario, capsys):
    entry = "scenarios.mutants:crashing"
    arguments = ["simulate", "--scenario", scenario, "--seed", "7", "--autoscaler", entry]
    assert run(arguments) == 1

    shown = capsys.readouterr().out
    assert "broken: no-crash" in shown
    assert f"to see it again: nodewright {' '.join(arguments)}" in shown


def test_json_is_the_whole_outcome(scenario, capsys):
    arguments = ["simulate", "--scenario", scenario, "--autoscaler", "none", "-o", "json"]
    assert run(arguments) == 0

    outcome = msgspec.json.decode(capsys.readouterr().out)
    assert (outcome["scenario"], outcome["seed"], len(outcome["digest"])) == ("small", 0, 64)


def test_a_scenario_that_is_not_there_is_one_sentence(capsys):
    assert run(["simulate", "--scenario", "nothing.yaml"]) == 2

    assert "NW-9402" in capsys.readouterr().err


def test_a_workload_is_run_and_shown_and_written_as_a_page(tmp_path, capsys):
    page = tmp_path / "report.html"
    words = "simulate --workload cron-storms:0.02 --days 0.01 --seeds 1 --compare nodewright bound"

    status = run([*words.split(), "--processes", "1", "--html", str(page), "-o", "json"])

    found = msgspec.json.decode(capsys.readouterr().out)
    assert status == 0
    assert [one["policy"] for one in found["policies"]] == ["nodewright", "bound"]
    assert found["policies"][0]["values"]["cost"]["mean"] > 0
    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("simulate", "one of --workload and --scenario"),
        ("simulate --workload games", "the workload cannot be read"),
        ("simulate --workload ci-bursts --compare keda", "'keda' is no policy"),
        ("simulate --workload ci-bursts --set weight=3", "this is no setting"),
        ("simulate --workload ci-bursts --pools missing.yaml", "cannot be read"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(words, sentence, capsys):
    assert run([*words.split(), "--processes", "1"] if "-" in words else words.split()) == 2
    assert sentence in capsys.readouterr().err
