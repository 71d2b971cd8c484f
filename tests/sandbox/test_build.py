"""Where a build goes, what happens without Go, and what Go is asked for."""

import shutil
import subprocess
import sys

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


FAKE_GO = """#!/bin/sh
echo "$@" >> {calls}
case "$1 $2" in
"list -m") echo v9.9.9 ;;
"mod edit") echo '{{"Go": "1.24.0", "Require": [
  {{"Path": "k8s.io/api", "Version": "v0.0.0"}},
  {{"Path": "go.etcd.io/etcd/server/v3", "Version": "v3.5.21"}}]}}' ;;
"mod download") echo '{{"GoMod": "/theirs/go.mod"}}' ;;
"mod tidy") cp go.mod {calls}.mod ;;
build*)
  sleep 0.1
  while [ $# -gt 1 ]; do [ "$1" = -o ] && echo program > "$2"; shift; done ;;
esac
"""


@pytest.fixture
def fake_go(tmp_path, monkeypatch):
    """A Go that writes down what it is asked for and makes empty programs of everything."""
    calls = tmp_path / "calls"
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text(FAKE_GO.format(calls=calls))
    go.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{go.parent}:/usr/bin:/bin")
    return calls


def test_a_build_has_every_program_and_is_made_once(fake_go):
    folder = build.ensure_built(DEFAULT_VERSION, lambda _: None)
    once = fake_go.read_text()

    again = build.ensure_built(DEFAULT_VERSION, lambda _: None)

    assert again == folder
    assert fake_go.read_text() == once
    assert all((folder / name).is_file() for name in build.PROGRAMS)
    assert f"k8s.io/component-base/version.gitVersion={DEFAULT_VERSION}" in once


def test_two_builds_at_once_do_the_work_of_one(fake_go):
    command = [sys.executable, "-m", "nodewright.sandbox.build"]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    folders = {process.communicate(timeout=60)[0] for process in both}

    assert [process.returncode for process in both] == [0, 0]
    assert len(folders) == 1
    calls = fake_go.read_text().splitlines()
    assert len([call for call in calls if call.startswith("build")]) == 3


def test_another_release_is_built_from_a_generated_module(fake_go):
    folder = build.ensure_built("v1.33.13", lambda _: None)

    module = fake_go.with_name("calls.mod").read_text()
    assert "k8s.io/api => k8s.io/api v0.33.13" in module
    assert "mod download -json k8s.io/kubernetes@v1.33.13" in fake_go.read_text()
    left = [path.name for path in folder.parent.iterdir()]
    assert sorted(left) == [folder.name, f"{folder.name}.lock"]
