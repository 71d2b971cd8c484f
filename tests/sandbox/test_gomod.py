"""The module file of another release."""

import msgspec
import pytest

from nodewright.model.errors import UserError
from nodewright.sandbox.gomod import decode_module, render_module


def a_module(*require):
    entries = [{"Path": path, "Version": version, "Indirect": True} for path, version in require]
    return decode_module(msgspec.json.encode({"Go": "1.24.0", "Require": entries}))


def test_every_placeholder_is_replaced_by_the_published_library():
    kubernetes = a_module(
        ("k8s.io/kubectl", "v0.0.0"),
        ("k8s.io/api", "v0.0.0"),
        ("k8s.io/klog/v2", "v2.130.1"),
        ("go.etcd.io/etcd/server/v3", "v3.5.21"),
    )

    lines = render_module(kubernetes, "v1.33.13").splitlines()

    replaced = [line.strip() for line in lines if "=>" in line]
    assert replaced == [
        "k8s.io/api => k8s.io/api v0.33.13",
        "k8s.io/kubectl => k8s.io/kubectl v0.33.13",
    ]
    assert "\tgo.etcd.io/etcd/server/v3 v3.5.21" in lines
    assert "\tk8s.io/kubernetes v1.33.13" in lines
    assert "go 1.24.0" in lines


def test_a_release_without_an_etcd_is_refused():
    with pytest.raises(UserError, match="etcd"):
        render_module(a_module(("k8s.io/api", "v0.0.0")), "v1.33.13")
