"""NodePolicies that do not do what they seem to."""

import pytest
import yaml

from builders.manifests import a_pool_text, codes_of, the_finding


def policy(**spec):
    return yaml.safe_dump(
        {
            "apiVersion": "nodewright.dev/v1alpha1",
            "kind": "NodePolicy",
            "metadata": {"name": "night"},
            "spec": spec,
        }
    )


def budget(**more):
    return policy(budgets=[{"nodes": "0", "duration": "1h", **more}])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (budget(schedule="61 * * * *"), "NW-2113"),
        (budget(schedule="0 0 30 2 *"), "NW-2111"),
        (budget(schedule="0 9 * * *", timeZone="Mars/Olympus"), "NW-2113"),
        (policy(pause={"until": "2026-13-45T00:00:00Z", "reason": "x"}), "NW-2113"),
    ],
)
def test_a_policy_that_cannot_be_meant_is_found(text, code):
    assert code in codes_of(text)


@pytest.mark.parametrize(
    "text",
    [
        budget(schedule="0 9 * * mon-fri", timeZone="Asia/Seoul"),
        policy(pause={"until": "2026-12-24T00:00:00Z", "reason": "holidays"}),
        policy(minNodeAge="1h", payback="2h", moves=["Empty", "Delete"]),
    ],
)
def test_a_policy_that_can_be_read_is_fine(text):
    assert codes_of(text) == []


def test_a_policy_for_a_pool_that_is_not_there_names_those_that_are():
    found = the_finding(
        "NW-2125", a_pool_text(), policy(nodePools={"names": ["missing"]}, payback="1h")
    )

    assert "'missing' is not among these manifests" in found.message
