"""Spot without a queue."""

import pytest

from builders.manifests import GENERAL, a_pool_text, a_provisioner_text, a_requirement, codes_of

SPOT = [*GENERAL, a_requirement("karpenter.sh/capacity-type", "spot", "on-demand")]
ON_DEMAND = [*GENERAL, a_requirement("karpenter.sh/capacity-type", "on-demand")]
WITHOUT = [
    "settings: {clusterName: prod}\n",
    "settings: {aws: {clusterName: prod}}\n",
    (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: karpenter-global-settings}\n"
        "data: {aws.clusterName: prod}\n"
    ),
]
WITH = [
    "settings: {clusterName: prod, interruptionQueue: q}\n",
    "settings: {aws: {clusterName: prod, interruptionQueueName: q}}\n",
    (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: karpenter-global-settings}\n"
        "data: {aws.interruptionQueueName: q}\n"
    ),
]


@pytest.mark.parametrize("values", WITHOUT)
def test_spot_needs_a_queue_in_settings_of_any_era(values):
    assert codes_of(a_pool_text(requirements=SPOT), values) == ["NW-3021"]


@pytest.mark.parametrize("values", WITH)
def test_a_queue_in_settings_of_any_era_is_enough(values):
    assert codes_of(a_pool_text(requirements=SPOT), values) == []


def test_v1_buys_spot_unless_told_otherwise():
    assert codes_of(a_pool_text(), WITHOUT[0]) == ["NW-3021"]
    assert codes_of(a_pool_text(requirements=ON_DEMAND), WITHOUT[0]) == []


def test_provisioners_bought_on_demand_unless_told_otherwise():
    assert "NW-3021" not in codes_of(a_provisioner_text(), WITHOUT[1])


def test_without_settings_nothing_is_known():
    assert codes_of(a_pool_text(requirements=SPOT)) == []
