"""Where a snapshot comes from: a file, packed or not, or standard input."""

import gzip
import io
import json

import pytest

from builders.snapshots import a_document, a_pod_value
from nodewright.app.sources import open_snapshot
from nodewright.model.errors import UserError

TEXT = json.dumps(a_document(a_pod_value())).encode()


class Input:
    """Standard input that holds these bytes."""

    def __init__(self, data):
        self.buffer = io.BytesIO(data)


def test_a_file_is_read_packed_or_not(tmp_path):
    plain, packed = tmp_path / "a.json", tmp_path / "a.json.gz"
    plain.write_bytes(TEXT)
    packed.write_bytes(gzip.compress(TEXT))
    assert open_snapshot(str(plain)).world == open_snapshot(str(packed)).world


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", Input(TEXT))
    assert len(open_snapshot("-").world.pods) == 1


def test_mistakes_on_standard_input_are_placed_there(monkeypatch):
    monkeypatch.setattr("sys.stdin", Input(b"{}"))
    with pytest.raises(UserError) as caught:
        open_snapshot("-")
    assert caught.value.where == "standard input"


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(UserError) as caught:
            open_snapshot(str(path))
        assert caught.value.where == str(path)
        assert caught.value.advice
