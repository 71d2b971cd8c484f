"""`:` leads to tables, things and codes, and each row has what is explained of it."""

import pytest

from nodewright.tui.going import GoTo, read_goal, target_of
from nodewright.tui.pages import Page
from nodewright.view.values import (
    DecisionRow,
    NodeRow,
    Origin,
    PendingCause,
    PoolRow,
    SpendRow,
    View,
)

VIEW = View(
    0, Origin("live"), nodes=(NodeRow("ip-1.internal", claim="c-1"),), pools=(PoolRow("web"),)
)


@pytest.mark.parametrize(
    ("word", "goal"),
    [
        ("q", GoTo(is_end=True)),
        ("Pools", GoTo(Page("pools"))),
        ("web", GoTo(Page("nodes", "web"))),
        ("ip-1", GoTo(Page("pods", "ip-1.internal"))),
        ("c-1", GoTo(Page("pods", "ip-1.internal"))),
        ("internal", GoTo(Page(filter="internal"))),
        ("nw-4202", GoTo(target="NW-4202")),
        ("budgets", GoTo(target="budgets")),
        ("shop/web-0", GoTo(target="pod/shop/web-0")),
        ("D-12ab", GoTo(Page("decisions", filter="D-12ab"))),
        ("nothing", GoTo()),
    ],
)
def test_a_word_leads_where_it_says(word, goal):
    assert read_goal(word, VIEW) == goal


def test_every_row_has_its_explanation_or_none():
    def decision(subject, code=""):
        return DecisionRow("D-1", 0, "Keep", "", code, subject=subject)

    assert target_of(Page(), VIEW.nodes[0]) == "node/ip-1.internal"
    assert target_of(Page("decisions"), decision("pods/shop/p")) == "pod/shop/p"
    assert target_of(Page("decisions"), decision("nodeclaims.karpenter.sh/c-1")) == "node/c-1"
    assert (
        target_of(Page("decisions"), decision("nodepools.karpenter.sh/w", "NW-4101")) == "NW-4101"
    )
    assert target_of(Page("money", "pools"), SpendRow("web", 1)) == "nodepool/web"
    assert target_of(Page("money", "namespaces"), SpendRow("shop", 1)) == ""
    empty = PendingCause("", "", "", is_refused=False, count=0, pods=())
    assert target_of(Page("pending"), empty) == ""
