"""Each kind has one name and one address."""

from nodewright.model.kinds import BY_NAME
from nodewright.model.resource import (
    BETA_NODE_POOLS,
    NODE_POOLS,
    OLDER,
    PODS,
    PROVISIONERS,
    WATCHED,
    Ref,
)


def test_names_and_addresses_are_those_of_kubernetes():
    assert (PODS.name, PODS.path("a", "b")) == ("pods", "/api/v1/namespaces/b/pods/a")
    assert NODE_POOLS.path("a") == "/apis/karpenter.sh/v1/nodepools/a"
    assert str(Ref(PODS, "a", "b")) == "pods/b/a"


def test_an_older_kind_is_never_taken_for_that_of_today():
    names = [resource.name for resource in WATCHED]

    assert len(names) == len(set(names))
    assert (NODE_POOLS.name, BETA_NODE_POOLS.name) == (
        "nodepools.karpenter.sh",
        "nodepools.v1beta1.karpenter.sh",
    )
    assert PROVISIONERS.path() == "/apis/karpenter.sh/v1alpha5/provisioners"


def test_every_kind_of_karpenter_that_can_be_read_is_watched():
    watched = {(resource.api_version, resource.kind): resource for resource in WATCHED}

    assert {name: watched[name].struct for name in BY_NAME} == {
        name: kind.struct for name, kind in BY_NAME.items()
    }


def test_a_cluster_may_do_without_every_older_kind():
    assert all(resource.optional and resource.older for resource in OLDER)
