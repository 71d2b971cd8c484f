"""Files are written whole or not at all."""

import gzip

import pytest

from nodewright.app.writing import write_whole
from nodewright.model.errors import UserError


def test_a_file_is_written_for_its_owner_alone(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    write_whole(path, b"new")

    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_that_ends_in_gz_is_packed(tmp_path):
    write_whole(tmp_path / "a.json.gz", b"new")

    assert gzip.decompress((tmp_path / "a.json.gz").read_bytes()) == b"new"


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="cannot be written"):
        write_whole(tmp_path / "no" / "a.json", b"new")


def test_what_cannot_be_finished_leaves_the_old_file(tmp_path):
    (tmp_path / "a.json").mkdir()

    with pytest.raises(UserError):
        write_whole(tmp_path / "a.json", b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]
