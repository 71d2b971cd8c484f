"""The stand-in of a sandbox as its user sees it."""

import pytest

from nodewright.cli.main import run
from nodewright.model.errors import UserError
from nodewright.sandbox import standin
from nodewright.sandbox.folder import Record

RECORD = Record(
    name="mine",
    phase="ready",
    step="running",
    kubernetes_version="v1.34.4",
    supervisor_pid=1,
    owned=False,
    started_ms=0,
    aws_url="http://127.0.0.1:5",
    aws_region="eu-west-1",
)


def test_the_environment_is_all_that_clients_need():
    found = standin.environment(RECORD)

    assert found["AWS_ENDPOINT_URL"] == "http://127.0.0.1:5"
    assert found["AWS_REGION"] == found["AWS_DEFAULT_REGION"] == "eu-west-1"
    assert found["AWS_ACCESS_KEY_ID"]


def test_without_the_optional_part_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(standin, "find_spec", lambda name: None if name == "moto" else object())

    with pytest.raises(UserError, match="not installed: there is no moto") as caught:
        standin.require_standin()

    assert "nodewright[sandbox]" in caught.value.advice


def test_an_unknown_scenario_is_refused_before_anything_starts(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    status = run(["sandbox", "up", "--aws", "--scenario", "no-such"])

    assert status == 2
    assert "there is no scenario 'no-such'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
