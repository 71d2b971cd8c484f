"""`nodewright explain D-…`: the decision, what came of it, and the pod as it was."""

import json

from msgspec.structs import replace

from builders import a_pod, a_type, a_world
from journal.test_recorder import Clock
from nodewright.cli.main import run
from nodewright.core.provisioning import provision
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder
from nodewright.ports.kube import Answer, Outcome


def recorded(folder, world):
    """Journal a plan, say that its claims were written, and give its decisions by kind."""
    told = [replace(one, controller="provisioning", cause="time") for one in provision(world)]
    recorder = Recorder(folder, Clock())
    recorder.decided("provisioning", world, told, 7)
    for one in told:
        if one.kind == "Launch":
            recorder.came_of("provisioning", one, Answer(Outcome.DONE), 20)
    return {one.decision.kind: one.decision.id for one in Journal(folder).entries().entries}


def test_a_decision_is_shown_with_what_came_of_it(tmp_path, capsys):
    names = recorded(tmp_path, a_world(a_pod("p"), a_type()))

    assert run(["explain", names["Launch"], "--journal", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert f"{names['Launch']}: Launch nodeclaims.karpenter.sh/default-" in told
    assert "woken by time" in told
    assert "Done after 20 ms" in told


def test_a_pod_is_explained_as_it_was_then(tmp_path, capsys):
    names = recorded(tmp_path, a_world(a_pod("huge", cpu="900"), a_type()))

    assert run(["explain", names["Refuse"], "--journal", str(tmp_path), "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["decision"]["kind"] == "Refuse"
    assert document["pod"]["pod"] == "default/huge"
    assert run(["explain", names["Refuse"], "--journal", str(tmp_path)]) == 0
    assert "cpu" in capsys.readouterr().out
