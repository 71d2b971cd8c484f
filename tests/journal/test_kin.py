"""Decisions are found by whom they are about, also where that is not their subject."""

import pytest

from journal.test_chains import lives_of_two
from nodewright.journal.kin import Kin, Wanted


def found(wanted):
    decisions = [one.decision for one in lives_of_two()]
    kin = Kin(wanted)
    for one in decisions:
        kin.learn(one)
    return [f"{one.kind} {one.subject}" for one in decisions if kin.concerns(one)]


@pytest.mark.parametrize("pod", ["shop/p", "p"])
def test_a_pod_has_its_verdicts_its_claim_and_the_commands_that_move_it(pod):
    assert found(Wanted(pod=pod)) == [
        "Launch nodeclaims.karpenter.sh/old",
        "Nominate pods/shop/p",
        "Disrupt nodeclaims.karpenter.sh/old",
    ]


def test_a_node_has_what_its_claim_has():
    assert found(Wanted(node="node-old")) == [
        "Launch nodeclaims.karpenter.sh/old",
        "Nominate pods/shop/p",
        "Change nodes/node-old",
        "Change nodeclaims.karpenter.sh/old",
        "Disrupt nodeclaims.karpenter.sh/old",
        "Release nodeclaims.karpenter.sh/old",
    ]


def test_a_pool_has_all_of_its_claims_and_nothing_of_others():
    of_pool = found(Wanted(pool="general"))

    assert "Launch nodeclaims.karpenter.sh/old" in of_pool
    assert "Change nodes/node-new" in of_pool
    assert "Tell nodepools.karpenter.sh/general" in of_pool
    assert "Tell nodepools.karpenter.sh/other" not in of_pool
    assert found(Wanted(pool="other")) == ["Tell nodepools.karpenter.sh/other"]


def test_who_is_not_known_has_nothing():
    assert found(Wanted(node="elsewhere")) == []
