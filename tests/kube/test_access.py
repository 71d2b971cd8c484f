"""Where a cluster is looked for, and in which order."""

import pytest
import yaml

from nodewright.kube.access import (
    Access,
    ExecPlugin,
    Source,
    User,
    find_access,
    read_service_account,
)
from nodewright.model.errors import UserError


def a_file(path, name):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        yaml.safe_dump(
            {
                "current-context": name,
                "clusters": [{"name": name, "cluster": {"server": f"https://{name}"}}],
                "contexts": [{"name": name, "context": {"cluster": name}}],
            }
        )
    )
    return str(path)


def test_a_named_file_beats_the_environment_and_that_beats_the_home(tmp_path):
    home = a_file(tmp_path / ".kube" / "config", "home")
    named = a_file(tmp_path / "named", "named")
    listed = a_file(tmp_path / "listed", "listed")
    everything = {"HOME": str(tmp_path), "KUBECONFIG": f"{tmp_path}/missing:{listed}"}

    assert find_access(everything, named).server == "https://named"
    assert find_access(everything).server == "https://listed"
    assert find_access({"HOME": str(tmp_path)}).server == "https://home"
    assert home


def test_nothing_at_all_is_said_with_advice(tmp_path):
    with pytest.raises(UserError) as refused:
        find_access({"HOME": str(tmp_path)})

    assert refused.value.code == "NW-9401"
    assert "update-kubeconfig" in refused.value.advice


def test_a_list_of_files_that_are_not_there_is_no_reason_to_look_elsewhere(tmp_path):
    a_file(tmp_path / ".kube" / "config", "home")

    with pytest.raises(UserError, match="KUBECONFIG"):
        find_access({"HOME": str(tmp_path), "KUBECONFIG": "/no/such/file"})


def test_a_pod_uses_its_service_account(tmp_path):
    (tmp_path / "token").write_text("secret")
    (tmp_path / "namespace").write_text("nodewright\n")
    environment = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    access = read_service_account(environment, tmp_path)

    assert access.server == "https://[fd00::1]:443"
    assert access.user.token == Source(path=str(tmp_path / "token"))
    assert access.namespace == "nodewright"
    assert read_service_account({}, tmp_path) is None


def test_a_file_that_was_replaced_has_another_stamp(tmp_path):
    path = tmp_path / "ca.crt"
    path.write_text("one")
    source = Source(path=str(path))
    before = source.stamp()
    path.rename(tmp_path / "old")
    path.write_text("two")

    assert source.stamp() != before
    assert source.read() == b"two"


def test_a_file_that_is_gone_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        Source(path=str(tmp_path / "none")).read()


def test_no_secret_shows_when_an_access_is_printed():
    plugin = ExecPlugin("login", env=(("KEY", "hush-1"),))
    user = User(token=Source(data=b"hush-2"), basic=("me", "hush-3"), plugin=plugin)

    assert "hush" not in repr(Access("https://x", user, authority=Source(data=b"hush-4")))
