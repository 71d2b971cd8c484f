"""Times that cannot be meant."""

import pytest

from builders.manifests import a_manifest, a_pool_text, a_provisioner_text, codes_of, the_finding


def a_beta_pool(**disruption):
    inner = {
        "nodeClassRef": {"name": "x"},
        "requirements": [
            {"key": "karpenter.k8s.aws/instance-family", "operator": "In", "values": ["m5"]}
        ],
    }
    spec = {"template": {"spec": inner}, "disruption": disruption, "limits": {"cpu": 1}}
    return a_manifest("karpenter.sh/v1beta1", "NodePool", "beta", spec=spec)


@pytest.mark.parametrize(
    "broken",
    [
        a_pool_text(template={"expireAfter": "5m"}),
        a_provisioner_text(ttlSecondsUntilExpired=30),
        a_beta_pool(expireAfter="60s"),
    ],
)
def test_nodes_that_expire_while_they_boot_are_found(broken):
    assert "NW-2115" in codes_of(broken)


@pytest.mark.parametrize("life", ["720h", "Never", "1h"])
def test_longer_lives_are_fine(life):
    assert codes_of(a_pool_text(template={"expireAfter": life})) == []


def test_two_ways_to_go_exclude_each_other():
    pool = a_provisioner_text(ttlSecondsAfterEmpty=30, consolidation={"enabled": True})

    assert "NW-3029" in codes_of(pool)
    assert "NW-3029" not in codes_of(a_provisioner_text(ttlSecondsAfterEmpty=30))


def test_a_policy_that_never_comes_is_only_noted():
    pool = a_pool_text(disruption={"consolidateAfter": "Never", "consolidationPolicy": "WhenEmpty"})

    assert the_finding("NW-2120", pool).severity == "info"


@pytest.mark.parametrize(
    "disruption",
    [
        {"consolidationPolicy": "WhenUnderutilized", "consolidateAfter": "30s"},
        {"consolidateAfter": "30s"},
        {"consolidationPolicy": "WhenEmpty"},
        {"consolidationPolicy": "WhenEmptyOrUnderutilized"},
    ],
)
def test_the_beta_pairs_that_were_refused_are_found(disruption):
    assert "NW-2120" in codes_of(a_beta_pool(**disruption))


@pytest.mark.parametrize(
    "disruption",
    [{"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s"}, {}, {"expireAfter": "720h"}],
)
def test_the_beta_pairs_that_were_taken_are_fine(disruption):
    assert "NW-2120" not in codes_of(a_beta_pool(**disruption))
