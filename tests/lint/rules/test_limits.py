"""Pools that may grow without end."""

import pytest

from builders.manifests import a_pool_text, a_provisioner_text, codes_of


@pytest.mark.parametrize(
    "broken", [a_pool_text(limits=None), a_pool_text(limits={}), a_provisioner_text(limits=None)]
)
def test_a_pool_without_limits_is_found(broken):
    assert "NW-2117" in codes_of(broken)


@pytest.mark.parametrize(
    "healthy", [a_pool_text(), a_provisioner_text(), a_pool_text(limits=None, replicas=3)]
)
def test_a_pool_with_an_end_is_fine(healthy):
    assert "NW-2117" not in codes_of(healthy)
