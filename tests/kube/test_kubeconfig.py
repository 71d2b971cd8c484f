"""Kubeconfigs as people have them, and as they break."""

import base64
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nodewright.kube.access import Source
from nodewright.kube.kubeconfig import read_kubeconfig
from nodewright.model.errors import UserError

DATA = base64.b64encode(b"pem").decode()


def a_config(cluster=None, user=None, context="here", **extra):
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": context,
        "clusters": [{"name": "c", "cluster": cluster or {"server": "https://example.org/"}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
    } | extra


@pytest.fixture
def write(tmp_path):
    def write_one(document, name="config"):
        path = tmp_path / name
        path.write_text(yaml.safe_dump(document) if not isinstance(document, str) else document)
        return path

    return write_one


def test_a_cluster_with_everything(write, tmp_path):
    cluster = {
        "server": "https://example.org:6443",
        "certificate-authority-data": DATA,
        "tls-server-name": "kubernetes.default",
        "proxy-url": "http://proxy:3128",
    }
    user = {
        "client-certificate": "tls.crt",
        "client-key-data": DATA,
        "as": "root",
        "as-groups": ["g"],
    }
    access = read_kubeconfig((write(a_config(cluster, user)),))

    assert access.server == "https://example.org:6443"
    assert access.authority == Source(data=b"pem")
    assert access.user.certificate == Source(path=str(tmp_path / "tls.crt"))
    assert access.user.key == Source(data=b"pem")
    assert access.user.impersonate == (("Impersonate-User", "root"), ("Impersonate-Group", "g"))
    assert (access.tls_server_name, access.proxy_url) == ("kubernetes.default", "http://proxy:3128")
    assert (access.namespace, access.context) == ("default", "here")


def test_what_eks_writes(write):
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["--region", "us-east-1", "eks", "get-token", "--cluster-name", "demo"],
        "env": [{"name": "AWS_PROFILE", "value": "work"}],
        "interactiveMode": "IfAvailable",
        "provideClusterInfo": False,
    }
    found = read_kubeconfig((write(a_config(user={"exec": plugin})),)).user.plugin

    assert found.command == "aws"
    assert found.args[-1] == "demo"
    assert found.env == (("AWS_PROFILE", "work"),)
    assert found.api_version == "client.authentication.k8s.io/v1beta1"


def test_a_plugin_with_a_path_lies_beside_its_file(write, tmp_path):
    user = {"exec": {"command": "./bin/login", "args": None, "env": None}}

    assert read_kubeconfig((write(a_config(user=user)),)).user.plugin.command == str(
        tmp_path / "bin/login"
    )


def test_a_token_file_beats_a_token(write, tmp_path):
    user = {"token": "old", "tokenFile": "token"}

    assert read_kubeconfig((write(a_config(user=user)),)).user.token == Source(
        path=str(tmp_path / "token")
    )


def test_the_first_file_that_names_a_thing_wins(write):
    first = write({"current-context": "other", "clusters": None}, "first")
    second = write(
        a_config(
            contexts=[
                {"name": "here", "context": {"cluster": "c", "user": "u"}},
                {"name": "other", "context": {"cluster": "c", "user": "u", "namespace": "n"}},
            ]
        ),
        "second",
    )

    assert read_kubeconfig((first, second)).namespace == "n"
    assert read_kubeconfig((first, second), "here").context == "here"


@pytest.mark.parametrize(
    ("document", "context", "sentence"),
    [
        (a_config(), "nope", "there is no context named 'nope'; there are: here"),
        (a_config(context=""), None, "no context is chosen"),
        (a_config(clusters=[]), None, "there is no cluster named 'c'; there are: none"),
        (a_config(cluster={"server": "example.org"}), None, "must begin with https://"),
        (a_config(user={"auth-provider": {"name": "gcp"}}), None, "auth-provider"),
        (a_config(user={"client-key-data": "%%"}), None, "is not base64"),
        (a_config(user={"exec": {"args": []}}), None, "user 'u' cannot be read"),
        ("{", None, "is not a kubeconfig"),
        ("just words", None, "is not a kubeconfig"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_with_its_place(write, document, context, sentence):
    path = write(document)

    with pytest.raises(UserError) as refused:
        read_kubeconfig((path,), context)
    assert sentence in refused.value.message
    assert "\n" not in refused.value.message
    assert refused.value.where in (str(path), str(path.parent))


@given(st.text() | st.binary())
def test_garbage_is_refused_and_never_a_traceback(tmp_path_factory, garbage):
    path = Path(tmp_path_factory.getbasetemp()) / "garbage"
    path.write_bytes(garbage if isinstance(garbage, bytes) else garbage.encode(errors="ignore"))

    with pytest.raises(UserError):
        read_kubeconfig((path,))
