"""Manifests of fake nodes."""

import json

from nodewright.sandbox.nodes import NodeShape, name_nodes, render_nodes


def test_nodes_are_spread_over_zones_and_offer_what_was_asked():
    names = name_nodes(4)

    items = json.loads(render_nodes(names, NodeShape(cpu="8")))["items"]

    assert [item["metadata"]["name"] for item in items] == ["node-1", "node-2", "node-3", "node-4"]
    zones = [item["metadata"]["labels"]["topology.kubernetes.io/zone"] for item in items]
    assert zones == ["sandbox-a", "sandbox-b", "sandbox-c", "sandbox-a"]
    assert all(item["status"]["allocatable"]["cpu"] == "8" for item in items)
    assert all(item["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"} for item in items)
