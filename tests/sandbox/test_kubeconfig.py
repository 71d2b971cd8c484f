"""The kubeconfig of a sandbox."""

import base64

import yaml

from nodewright.sandbox.certificates import Identity
from nodewright.sandbox.kubeconfig import context_name, render_kubeconfig


def test_a_kubeconfig_stands_alone():
    user = Identity(certificate_pem=b"certificate", key_pem=b"key")

    text = render_kubeconfig(context_name("mine"), "https://127.0.0.1:6443", b"authority", user)

    config = yaml.safe_load(text)
    assert config["current-context"] == "nodewright-sandbox-mine"
    context = config["contexts"][0]
    assert context["name"] == config["current-context"]
    assert context["context"]["cluster"] == config["clusters"][0]["name"]
    assert context["context"]["user"] == config["users"][0]["name"]
    assert config["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:6443"
    said = config["clusters"][0]["cluster"]["certificate-authority-data"]
    assert base64.b64decode(said) == b"authority"
    assert base64.b64decode(config["users"][0]["user"]["client-key-data"]) == b"key"
