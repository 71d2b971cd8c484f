from msgspec.structs import replace

from forecast.small import a_setup
from nodewright.forecast.player import template_of
from nodewright.forecast.policies.cluster_autoscaler_rules import (
    coming_node,
    find_helpless,
    fits_elsewhere,
    may_drain,
    use_of,
    weigh,
)
from nodewright.forecast.policies.node_groups import Group
from nodewright.forecast.setup import types_on_sale
from nodewright.model.labels import CAPACITY_TYPE, HOSTNAME, ZONE
from nodewright.model.metadata import LabelSelector, ObjectMeta, OwnerReference
from nodewright.model.pdb import PodDisruptionBudget, PodDisruptionBudgetSpec
from nodewright.model.pod import Pod, PodStatus
from nodewright.model.world import World
from nodewright.trace.entry import Size

NOW = 1_767_225_600_000
KIND = next(one for one in types_on_sale(a_setup()) if one.name == "m6i.xlarge")
GROUP = Group("general", "m6i.xlarge")


def a_node(name):
    labels = {ZONE: "us-east-1a", CAPACITY_TYPE: "on-demand", HOSTNAME: name}
    return coming_node(name, GROUP, KIND, labels)


def a_pod(name, node="", cpu="1", **notes):
    template = template_of(Size({"cpu": cpu, "memory": "1Gi"}, annotations=notes), "web", {})
    owner = OwnerReference(kind="ReplicaSet", name="web", api_version="apps/v1", uid="web")
    meta = replace(
        template.metadata, name=name, namespace="shop", uid=name, owner_references=(owner,)
    )
    phase = "Running" if node else "Pending"
    return Pod(meta, replace(template.spec, node_name=node), PodStatus(phase=phase))


def test_pods_that_fit_nowhere_are_packed_onto_new_nodes_of_a_group():
    pods = tuple(a_pod(f"p-{n}") for n in range(8))
    world = World(NOW, pods=pods, nodes=(a_node("n-1"),))

    helpless = find_helpless(world)
    option = weigh(world, helpless, GROUP, KIND)

    # Three of one cpu fit on a node of four: five are left, for two more nodes.
    assert len(helpless) == 5
    assert (option.node_count, option.pod_count) == (2, 5)
    assert 0 < option.waste < 1
    assert weigh(World(NOW), [a_pod("huge", cpu="64")], GROUP, KIND) is None


def test_a_node_is_unneeded_where_its_pods_fit_elsewhere():
    pods = (a_pod("a", "n-1"), a_pod("b", "n-2"))
    full = tuple(a_pod(f"c-{n}", "n-2") for n in range(2))
    world = World(NOW, pods=pods, nodes=(a_node("n-1"), a_node("n-2")))

    assert fits_elsewhere(world, "n-1")
    assert not fits_elsewhere(replace(world, pods=(*pods, *full)), "n-1")
    assert 0.2 < use_of(a_node("n-1"), pods[:1]) < 0.3


def test_pods_may_object_to_being_moved():
    budget = PodDisruptionBudget(
        metadata=ObjectMeta(name="web", namespace="shop"),
        spec=PodDisruptionBudgetSpec(
            selector=LabelSelector(match_labels={"trace.nodewright.dev/of": "web"})
        ),
    )
    safe = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
    kept = {"karpenter.sh/do-not-disrupt": "true"}

    assert may_drain([a_pod("a", "n")], (), NOW)
    assert not may_drain([a_pod("a", "n")], (budget,), NOW)
    assert not may_drain([a_pod("a", "n", **safe)], (), NOW)
    assert not may_drain([a_pod("a", "n", **kept)], (), NOW)
