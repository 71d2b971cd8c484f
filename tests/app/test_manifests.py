"""Files, folders and what is no file."""

import pytest

from nodewright.app.manifests import open_sources
from nodewright.model.errors import UserError
from nodewright.state.manifests import SIZE_MAX_BYTES


def test_a_folder_gives_its_manifests_in_order(tmp_path):
    for name in ("b.yaml", "a.yml", "deep/c.json", "readme.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}" if name.endswith("json") else "a: 1\n")

    names = [source.name.removeprefix(f"{tmp_path}/") for source in open_sources([str(tmp_path)])]
    assert names == ["a.yml", "b.yaml", "deep/c.json"]


def test_a_file_that_is_named_twice_is_read_once(tmp_path):
    (tmp_path / "a.yaml").write_text("a: 1\n")

    assert len(open_sources([str(tmp_path / "a.yaml")] * 2)) == 1


def test_a_file_without_end_is_read_as_far_as_the_limit():
    with pytest.raises(UserError, match="larger than 64 MB") as caught:
        open_sources(["/dev/zero"])

    assert SIZE_MAX_BYTES == 64 << 20
    assert caught.value.where == "/dev/zero"
