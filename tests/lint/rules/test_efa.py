"""EFA asked for as a label."""

import pytest

from builders.manifests import GENERAL, a_pool_text, a_requirement, codes_of


@pytest.mark.parametrize("key", ["efa", "vpc.amazonaws.com/efa", "example.com/has-efa"])
def test_a_label_for_efa_is_refused(key):
    assert "NW-3017" in codes_of(a_pool_text(requirements=[*GENERAL, a_requirement(key, "true")]))


def test_other_labels_are_fine():
    pool = a_pool_text(requirements=[*GENERAL, a_requirement("example.com/default", "true")])

    assert codes_of(pool) == []
