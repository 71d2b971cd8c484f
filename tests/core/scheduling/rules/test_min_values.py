"""minValues: enough different values must stay possible on every node of a pool."""

from builders import a_pod, a_pool, a_type, a_world, pods, want
from builders.solving import codes_of, home_of, plan_of
from nodewright.core.scheduling.pools import read_pools
from nodewright.core.scheduling.rules.min_values import distinct_values, min_values_of
from nodewright.model.labels import INSTANCE_TYPE, ZONE
from nodewright.model.requirements import Requirements

FAMILY = "karpenter.k8s.aws/instance-family"
CHOICE = a_pool(requirements=[want(INSTANCE_TYPE, "Exists", at_least=2)])
TYPES = (a_type("s", cpu=2), a_type("m", cpu=4), a_type("l", cpu=8))


def test_only_keys_that_ask_for_choice_are_told():
    wanted = Requirements.from_expressions([want(ZONE), want(FAMILY, "Exists", at_least=3)])
    assert min_values_of(wanted) == {FAMILY: 3}


def test_values_are_counted_over_the_types_that_are_left():
    types = [a_type("a", labels={FAMILY: "m"}), a_type("b", labels={FAMILY: "m"}), a_type("c")]
    (supply,) = read_pools(a_world(types), ()).supplies
    assert distinct_values(supply, supply.everything, INSTANCE_TYPE) == 3
    assert distinct_values(supply, supply.everything, FAMILY) == 1
    assert distinct_values(supply, supply.type_bits[0], INSTANCE_TYPE) == 1


def test_a_node_keeps_enough_types_to_choose_from():
    plan = plan_of(pods(4, cpu=2), CHOICE, TYPES)
    assert plan.unschedulable == {}
    assert all(len(node.instance_types) >= 2 for node in plan.new_nodes)


def test_a_pod_that_leaves_too_little_choice_is_left_behind():
    assert codes_of(plan_of(a_pod(cpu=8), CHOICE, TYPES)) == {"pod": "NW-1208"}


def test_best_effort_takes_what_choice_there_is_and_says_so():
    pod = a_pod(cpu=8)
    home = home_of(plan_of(pod, CHOICE, TYPES, min_values_policy="BestEffort"), pod)
    assert home.instance_types == ("l",)
    assert home.min_values_relaxed
    assert home.requirements[INSTANCE_TYPE].min_values == 1


def test_best_effort_relaxes_before_a_lighter_pool_is_tried():
    pod = a_pod(cpu=8)
    strong = a_pool("strong", requirements=CHOICE.spec.template.spec.requirements, weight=9)
    plan = plan_of(pod, strong, a_pool("weak"), TYPES, min_values_policy="BestEffort")
    assert home_of(plan, pod).node_pool == "strong"


def test_a_pool_that_can_never_offer_so_much_choice_is_not_used():
    greedy = a_pool(requirements=[want(INSTANCE_TYPE, "Exists", at_least=4)])
    assert codes_of(plan_of(a_pod(cpu=1), greedy, TYPES)) == {"pod": "NW-1208"}
