"""Where the programs come from."""

import pytest

from nodewright.model.errors import UserError
from nodewright.sandbox import build
from nodewright.sandbox.binaries import locate


@pytest.fixture
def no_build(monkeypatch):
    def refuse(version, say):
        raise AssertionError(f"a build of {version} was started")

    monkeypatch.setattr(build, "ensure_built", refuse)


def put_programs(folder, names, version="v1.34.2"):
    folder.mkdir()
    for name in names:
        program = folder / name
        program.write_text(f"#!/bin/sh\necho Kubernetes {version}\n")
        program.chmod(0o755)
    return str(folder)


def test_a_users_own_folder_is_used_as_it_is(tmp_path, no_build):
    own = put_programs(tmp_path / "own", build.PROGRAMS)

    chosen = locate(None, {"NODEWRIGHT_TESTCLUSTER_BIN": own}, print)

    assert chosen.version == "v1.34.2"
    assert chosen.binaries.kube_scheduler == f"{own}/kube-scheduler"
    assert chosen.binaries.folders() == (own,)


def test_helm_may_be_missing_from_a_users_folder(tmp_path, no_build):
    own = put_programs(tmp_path / "own", [name for name in build.PROGRAMS if name != "helm"])

    assert locate(None, {"NODEWRIGHT_TESTCLUSTER_BIN": own}, print).binaries.helm == ""


def test_what_is_missing_from_a_users_folder_is_named(tmp_path, no_build):
    own = put_programs(tmp_path / "own", ["etcd", "kube-apiserver"])

    with pytest.raises(
        UserError, match="no kube-controller-manager, kube-scheduler, kubectl, kwok"
    ):
        locate(None, {"NODEWRIGHT_TESTCLUSTER_BIN": own}, print)


def test_another_release_than_the_users_programs_are_is_refused(tmp_path, no_build):
    own = put_programs(tmp_path / "own", build.PROGRAMS)

    with pytest.raises(UserError, match=r"1\.33 is wanted"):
        locate("1.33", {"NODEWRIGHT_TESTCLUSTER_BIN": own}, print)


def test_kubebuilders_programs_get_the_rest_of_their_own_minor(tmp_path, monkeypatch):
    assets = put_programs(tmp_path / "assets", ["etcd", "kube-apiserver", "kubectl"], "v1.33.1")
    put_programs(tmp_path / "built", build.PROGRAMS)
    asked = []

    def built(version, say):
        asked.append(version)
        return tmp_path / "built"

    monkeypatch.setattr(build, "ensure_built", built)

    chosen = locate(None, {"KUBEBUILDER_ASSETS": assets}, print)

    assert asked == ["v1.33.13"]
    assert chosen.version == "v1.33.1"
    assert chosen.binaries.etcd == f"{assets}/etcd"
    assert chosen.binaries.kwok == f"{tmp_path}/built/kwok"


def test_the_argument_beats_the_variable(tmp_path, monkeypatch):
    put_programs(tmp_path / "built", build.PROGRAMS)
    monkeypatch.setattr(build, "ensure_built", lambda *_: tmp_path / "built")

    assert locate("1.35", {"KUBE_VERSION": "1.33"}, print).version == "v1.35.4"
    assert locate(None, {"KUBE_VERSION": "1.33"}, print).version == "v1.33.13"
    assert locate(None, {}, print).version == "v1.34.4"
