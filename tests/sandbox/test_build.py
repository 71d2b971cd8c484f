"""Where a build goes and what happens without Go."""

import shutil

import pytest

from nodewright.model.errors import UserError
from nodewright.sandbox import build
from nodewright.sandbox.versions import DEFAULT_VERSION


@pytest.fixture
def sources(tmp_path):
    copy = tmp_path / "sources"
    shutil.copytree(build.source_folder(), copy)
    return copy


def test_the_same_sources_have_the_same_key_in_every_checkout(sources):
    ours = build.cache_key(DEFAULT_VERSION, build.source_folder())

    assert build.cache_key(DEFAULT_VERSION, sources) == ours
    assert ours.startswith(f"{DEFAULT_VERSION}-")


@pytest.mark.parametrize(
    "name", ["controlplane/main.go", "controlplane/go.sum", "companions/go.mod"]
)
def test_a_change_of_any_source_is_another_build(sources, name):
    before = build.cache_key(DEFAULT_VERSION, sources)

    with (sources / name).open("a") as file:
        file.write("\n")

    assert build.cache_key(DEFAULT_VERSION, sources) != before


def test_releases_do_not_share_a_build(sources):
    assert build.cache_key("v1.33.13", sources) != build.cache_key("v1.35.4", sources)


def test_a_finished_build_is_used_without_go(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    key = build.cache_key(DEFAULT_VERSION, build.source_folder())
    done = tmp_path / "nodewright" / "testcluster" / key
    done.mkdir(parents=True)

    assert build.ensure_built(DEFAULT_VERSION, print) == done


def test_without_go_it_says_what_to_install_and_how_to_skip(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")

    with pytest.raises(UserError, match="no `go` on the path") as refusal:
        build.ensure_built(DEFAULT_VERSION, print)

    assert "install Go" in refusal.value.advice
    assert "make test-fast" in refusal.value.advice


def test_a_failed_build_leaves_no_finished_folder(tmp_path, monkeypatch):
    broken = tmp_path / "bin" / "go"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'no such module' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(broken.parent))

    with pytest.raises(UserError, match="no such module"):
        build.ensure_built(DEFAULT_VERSION, print)

    assert build.find_built(DEFAULT_VERSION) is None
