"""`nodewright replay`: the same answer is fine, another one is shown."""

import json

from msgspec.structs import replace

from builders import a_pod, a_type, a_world
from journal.test_recorder import Clock, a_delete
from nodewright.cli.main import run
from nodewright.core.provisioning import provision
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder


def recorded(folder, controller, world, decisions):
    """Journal one look, and give the name of its first decision."""
    told = [replace(one, controller=controller) for one in decisions]
    Recorder(folder, Clock()).decided(controller, world, told, 1)
    return Journal(folder).entries().entries[0].decision.id


def test_the_same_answer_is_fine(tmp_path, capsys):
    world = a_world(a_pod("p"), a_type())
    name = recorded(tmp_path, "provisioning", world, provision(world))

    assert run(["replay", name, "--journal", str(tmp_path)]) == 0
    assert "gives the same 2 decisions" in capsys.readouterr().out


def test_another_answer_is_shown_line_by_line(tmp_path, capsys):
    world = a_world(a_pod("p"), a_type())
    first, *rest = provision(world)
    name = recorded(tmp_path, "provisioning", world, [replace(first, reason="Guessed"), *rest])

    assert run(["replay", name, "--journal", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "-reason: Guessed" in told
    assert "+reason: Provisioned" in told
    assert run(["replay", name, "--journal", str(tmp_path), "-o", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["same"] is False
    assert document["differences"][0]["before"]["reason"] == "Guessed"


def test_what_is_not_decided_any_more_is_shown_as_gone(tmp_path, capsys):
    name = recorded(tmp_path, "expiration", a_world(a_type()), [a_delete()])

    assert run(["replay", name, "--journal", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "gives 0 decisions where it gave 1" in told
    assert "-kind: Delete" in told


def test_a_decision_that_is_not_there_is_one_sentence(tmp_path, capsys):
    recorded(tmp_path, "expiration", a_world(a_type()), [a_delete()])

    assert run(["replay", "D-0", "--journal", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("error[NW-9602]: the journal has no decision D-0")
