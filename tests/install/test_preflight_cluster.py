"""What the cluster does not allow is named before anything is done, all of it at once."""

import pytest

from nodewright.install.preflight_cluster import check_rights
from nodewright.install.rights import Right
from nodewright.install.steps import Apply, Plan, Step
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

ROLE = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "nodewright"},
    "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}],
}
GIVING = Plan("install", Wish("shop"), "1", "x", (Step("+", "role", "x", "", (Apply(ROLE),)),))
NOTHING = Plan("install", Wish("shop"), "1", "x", (Step("=", "role", "x"),))


class Reviewer:
    """A cluster that only answers what is allowed."""

    def __init__(self, *denied):
        self.denied = set(denied)
        self.asked = []

    async def allows(self, right):
        self.asked.append(right)
        return (right.verb, right.resource) not in self.denied


async def test_everything_that_is_missing_is_named_at_once():
    reviewer = Reviewer(("create", "clusterroles"), ("list", "events"))
    with pytest.raises(UserError) as caught:
        await check_rights(reviewer, GIVING, {}, (Right("", "events", "list", "nodewright"),))

    assert caught.value.code == "NW-9710"
    assert (
        caught.value.message
        == "you may not list events in namespace nodewright on the cluster (and 1 more)"
    )
    assert '"resources":["events"],"verbs":["list"]' in caught.value.advice
    assert '"resources":["clusterroles"],"verbs":["create"]' in caught.value.advice


async def test_who_has_the_rights_may_give_them_away():
    await check_rights(Reviewer(("escalate", "clusterroles")), GIVING, {})

    with pytest.raises(UserError, match="you may not escalate clusterroles"):
        await check_rights(Reviewer(("escalate", "clusterroles"), ("list", "pods")), GIVING, {})


async def test_nothing_is_asked_where_nothing_is_done():
    reviewer = Reviewer()
    await check_rights(reviewer, NOTHING, {}, (Right("", "events", "list"),))
    assert reviewer.asked == []
