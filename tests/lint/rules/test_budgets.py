"""Budgets that do not do what they seem to."""

import pytest

from builders.manifests import a_pool_text, codes_of, the_finding


def budgets(*entries):
    return a_pool_text(disruption={"consolidateAfter": "1m", "budgets": list(entries)})


@pytest.mark.parametrize(
    ("budget", "code"),
    [
        ({"nodes": "0"}, "NW-2110"),
        ({"nodes": "0%", "reasons": ["Drifted"]}, "NW-2110"),
        ({"nodes": "0", "schedule": "0 * * * *", "duration": "1h"}, "NW-2110"),
        ({"nodes": "0", "schedule": "@daily", "duration": "24h"}, "NW-2110"),
        ({"nodes": "100%"}, "NW-2111"),
        ({"nodes": "1", "schedule": "0 0 30 2 *", "duration": "1h"}, "NW-2111"),
        ({"nodes": "10%", "reasons": []}, "NW-2112"),
        ({"nodes": "1", "schedule": "61 * * * *", "duration": "1h"}, "NW-2113"),
        ({"nodes": "1", "schedule": "0 9 * * mon-", "duration": "1h"}, "NW-2113"),
    ],
)
def test_a_budget_that_cannot_be_meant_is_found(budget, code):
    assert codes_of(budgets(budget)) == [code]


def test_no_budgets_at_all_is_not_the_default():
    assert codes_of(budgets()) == ["NW-2111"]


@pytest.mark.parametrize(
    "budget",
    [
        {"nodes": "10%"},
        {"nodes": "1", "reasons": ["Empty"]},
        {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"},
        {"nodes": "0", "schedule": "@daily", "duration": "23h"},
        {"nodes": "20", "schedule": "*/10 0-6 * * *", "duration": "5m"},
    ],
)
def test_a_budget_that_holds_sometimes_is_fine(budget):
    assert codes_of(budgets(budget)) == []


def test_the_reasons_that_are_blocked_are_named():
    finding = the_finding("NW-2110", budgets({"nodes": "0", "reasons": ["Drifted", "Empty"]}))

    assert "Drifted and Empty" in finding.message
