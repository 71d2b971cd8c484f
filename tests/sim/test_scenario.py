from pathlib import Path

import pytest

from nodewright.model.errors import UserError
from nodewright.sim.scenario import parse_scenario, read_ms, read_scenario

FOLDER = Path(__file__).parents[1] / "scenarios"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_scenario_of_ours_can_be_read(path):
    assert read_scenario(path).name == path.stem


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "Expected `object`"),
        ({}, "missing required field `name`"),
        ({"name": "x", "colour": "red"}, "unknown field `colour`"),
        ({"name": "x", "duration": "soon"}, "soon"),
        ({"name": "x", "faults": [{"kind": "api.melts"}]}, "is no kind of fault"),
        ({"name": "x", "events": [{"at": "5 o'clock"}]}, "5 o'clock"),
        ({"name": "x", "workloads": [{"name": "w", "replicas": "many"}]}, "workloads"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(document, words):
    with pytest.raises(UserError, match=words.replace("`", ".")) as caught:
        parse_scenario(document, "file.yaml")

    assert caught.value.where == "file.yaml"


def test_a_file_that_is_not_there_or_no_yaml_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        read_scenario(tmp_path / "nothing.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [")
    with pytest.raises(UserError, match="is no YAML"):
        read_scenario(broken)


def test_days_can_be_written():
    assert (read_ms("7d"), read_ms("1h30m")) == (7 * 24 * 3_600_000, 5_400_000)
