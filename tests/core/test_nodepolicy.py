"""What is written on NodePolicies."""

from msgspec import convert
from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import HOUR_MS, a_fleet_pool, a_policy, fleet_world
from nodewright.core.nodepolicy import judge_policies
from nodewright.model.decision import Change, Keep
from nodewright.model.instant import print_instant
from nodewright.model.nodepolicy import NodePolicyStatus, NodePoolSelector, Pause, PolicyBudget


def written(policy, *things):
    world = fleet_world(*things, replace(policy, metadata=replace(policy.metadata, uid="u")))
    found = list(judge_policies(world))
    (change,) = [one for one in found if isinstance(one, Change)]
    status = change.change["status"]
    conditions = {one["type"]: one for one in status["conditions"]}
    return status["nodePools"], conditions, [one for one in found if isinstance(one, Keep)]


def test_a_policy_says_for_how_many_pools_it_holds():
    pools = (a_fleet_pool("a"), a_fleet_pool("b"))

    assert written(a_policy(), *pools)[0] == 2
    assert written(a_policy(node_pools=NodePoolSelector(names=("a", "c"))), *pools)[0] == 1


def test_a_policy_that_cannot_be_read_is_not_ready_and_says_why():
    lost = PolicyBudget(nodes="1", schedule="0 1 * * *", duration="1h", time_zone="Moon/Far")
    _, conditions, _ = written(a_policy(budgets=(lost,)))

    assert conditions["Ready"]["status"] == "False"
    assert "Moon/Far" in conditions["ValidationSucceeded"]["message"]
    assert written(a_policy())[1]["Ready"]["status"] == "True"


def test_a_pause_is_a_condition_with_its_reason_until_it_ends():
    until = print_instant(NOW_MS + HOUR_MS)
    _, conditions, (keep,) = written(a_policy(pause=Pause(until=until, reason="a feast")))
    over = a_policy(pause=Pause(until=print_instant(NOW_MS), reason="a feast"))

    assert conditions["Paused"]["status"] == "True"
    assert conditions["Paused"]["message"] == f"until {until}: a feast"
    assert keep.look_again_ms == HOUR_MS
    assert written(over)[1]["Paused"]["status"] == "False"


def test_what_is_written_is_not_written_again():
    policy = a_policy()
    (change,) = judge_policies(fleet_world(policy))
    status = convert(change.change["status"], NodePolicyStatus)
    assert list(judge_policies(fleet_world(replace(policy, status=status)))) == []
