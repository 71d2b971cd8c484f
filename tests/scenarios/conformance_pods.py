"""Conformance of pods: defaults, scheduling, workloads, budgets, evictions."""

from scenarios.cases import (
    a_pod,
    a_workload,
    bound,
    case,
    good,
    is_unschedulable,
    node_of,
    pods,
    running,
)


@case
def a_pod_is_filled_in(plane):
    spec = good(plane.create("Pod", a_pod(plane))).body["spec"]

    assert spec["priority"] == 0
    assert spec["terminationGracePeriodSeconds"] == 30
    tolerated = {
        (one["key"], one["effect"], one["tolerationSeconds"]) for one in spec["tolerations"]
    }
    assert tolerated == {
        ("node.kubernetes.io/not-ready", "NoExecute", 300),
        ("node.kubernetes.io/unreachable", "NoExecute", 300),
    }


@case
def a_pod_on_no_node_is_gone_at_once(plane):
    good(plane.create("Pod", a_pod(plane)))
    good(plane.delete("Pod", "pod"))

    assert plane.get("Pod", "pod").status == 404


@case
def a_pod_runs_on_a_node_that_fits(plane):
    plane.add_node(f"{plane.namespace}-n1")
    good(plane.create("Pod", a_pod(plane)))
    running(plane, 1)

    assert node_of(plane, "pod") == f"{plane.namespace}-n1"


@case
def a_pod_that_fits_nowhere_is_unschedulable_until_a_node_comes(plane):
    good(plane.create("Pod", a_pod(plane)))
    plane.settle(lambda: is_unschedulable(plane, "pod"))
    plane.add_node(f"{plane.namespace}-n1")

    running(plane, 1)


@case
def a_node_takes_no_more_than_it_has(plane):
    plane.add_node(f"{plane.namespace}-n1", cpu="1")
    for number in range(3):
        good(plane.create("Pod", a_pod(plane, f"pod-{number}", cpu="400m")))
    running(plane, 2)
    plane.rest()

    assert len(bound(plane)) == 2


@case
def taints_keep_away_who_does_not_tolerate_them(plane):
    plane.add_node(f"{plane.namespace}-n1", taints=[("dedicated", "db", "NoSchedule")])
    tolerating = [{"key": "dedicated", "operator": "Equal", "value": "db", "effect": "NoSchedule"}]
    good(plane.create("Pod", a_pod(plane, "plain")))
    good(plane.create("Pod", a_pod(plane, "db", tolerations=tolerating)))

    plane.settle(lambda: node_of(plane, "db"))
    plane.settle(lambda: is_unschedulable(plane, "plain"))


@case
def a_soft_taint_is_avoided_while_there_is_choice(plane):
    plane.add_node(f"{plane.namespace}-n1", taints=[("soft", "yes", "PreferNoSchedule")])
    plane.add_node(f"{plane.namespace}-n2", cpu="1")
    good(plane.create("Pod", a_pod(plane, "first", cpu="800m")))
    plane.settle(lambda: node_of(plane, "first"))
    good(plane.create("Pod", a_pod(plane, "second", cpu="800m")))
    plane.settle(lambda: node_of(plane, "second"))

    places = [node_of(plane, name) for name in ("first", "second")]
    assert places == [f"{plane.namespace}-n2", f"{plane.namespace}-n1"]


@case
def hard_spread_keeps_zones_even(plane):
    for number, zone in enumerate(("zone-a", "zone-a", "zone-b")):
        plane.add_node(f"{plane.namespace}-n{number}", zone=zone)
    spread = [
        {
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
        }
    ]
    manifest = a_workload(plane, "web", 6, topologySpreadConstraints=spread)
    good(plane.create("Deployment", manifest))
    running(plane, 6)

    in_b = [one for one in pods(plane) if one["spec"]["nodeName"] == f"{plane.namespace}-n2"]
    assert len(in_b) == 3


@case
def anti_affinity_takes_one_node_each(plane):
    for number in range(2):
        plane.add_node(f"{plane.namespace}-n{number}")
    term = {
        "labelSelector": {"matchLabels": {"app": "web"}},
        "topologyKey": "kubernetes.io/hostname",
    }
    rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    good(plane.create("Deployment", a_workload(plane, "web", 3, affinity=rule)))
    running(plane, 2)
    plane.rest()

    places = [one["spec"]["nodeName"] for one in bound(plane)]
    assert len(places) == len(set(places)) == 2


@case
def affinity_follows_the_first_of_its_kind(plane):
    for number, zone in enumerate(("zone-a", "zone-b", "zone-c")):
        plane.add_node(f"{plane.namespace}-n{number}", zone=zone)
    term = {
        "labelSelector": {"matchLabels": {"app": "web"}},
        "topologyKey": "topology.kubernetes.io/zone",
    }
    rule = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    good(plane.create("Deployment", a_workload(plane, "web", 4, affinity=rule)))
    running(plane, 4)

    assert len({one["spec"]["nodeName"] for one in pods(plane)}) == 1


@case
def node_affinity_names_the_zone(plane):
    for number, zone in enumerate(("zone-a", "zone-b")):
        plane.add_node(f"{plane.namespace}-n{number}", zone=zone)
    expression = {"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["zone-a"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    rule = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    good(plane.create("Pod", a_pod(plane, affinity=rule)))

    assert plane.settle(lambda: node_of(plane, "pod")) == f"{plane.namespace}-n1"


@case
def pods_of_one_owner_lie_apart_without_being_asked(plane):
    for number in range(3):
        plane.add_node(f"{plane.namespace}-n{number}", zone=f"zone-{'abc'[number]}")
    good(plane.create("Deployment", a_workload(plane, "web", 3)))
    running(plane, 3)

    assert len({one["spec"]["nodeName"] for one in pods(plane)}) == 3


@case
def the_important_takes_the_place_of_the_unimportant(plane):
    plane.add_node(f"{plane.namespace}-n1", cpu="1")
    name = f"{plane.namespace}-high"
    good(plane.create("PriorityClass", {"metadata": {"name": name}, "value": 1000}))
    good(plane.create("Pod", a_pod(plane, "low", cpu="800m", terminationGracePeriodSeconds=1)))
    plane.settle(lambda: node_of(plane, "low"))
    good(plane.create("Pod", a_pod(plane, "high", cpu="800m", priorityClassName=name)))
    plane.settle(lambda: node_of(plane, "high"))

    assert plane.get("Pod", "low").status == 404
    good(plane.delete("PriorityClass", name))


@case
def a_nominated_node_is_tried_first(plane):
    good(plane.create("Pod", a_pod(plane)))
    plane.settle(lambda: is_unschedulable(plane, "pod"))
    wanted = f"{plane.namespace}-n2"
    change = {"status": {"nominatedNodeName": wanted}}
    good(plane.patch("Pod", "pod", change, subresource="status"))
    plane.rest(1)
    # The nominated one is the worse by every score.
    plane.add_node(wanted, cpu="500m")
    plane.settle(lambda: node_of(plane, "pod"))

    assert node_of(plane, "pod") == wanted


@case
def a_daemon_set_has_a_pod_on_each_node_also_new_ones(plane):
    plane.add_node(f"{plane.namespace}-n1")
    manifest = a_workload(plane, "agent", 1)
    del manifest["spec"]["replicas"]
    good(plane.create("DaemonSet", manifest))
    running(plane, 1)
    plane.add_node(f"{plane.namespace}-n2", taints=[("dedicated", "db", "NoSchedule")])
    plane.add_node(f"{plane.namespace}-n3")
    running(plane, 2)

    places = {one["spec"]["nodeName"] for one in pods(plane)}
    assert places == {f"{plane.namespace}-n1", f"{plane.namespace}-n3"}


@case
def a_deployment_grows_and_shrinks(plane):
    plane.add_node(f"{plane.namespace}-n1")
    good(plane.create("Deployment", a_workload(plane, "web", 2)))
    running(plane, 2)
    good(plane.patch("Deployment", "web", {"spec": {"replicas": 4}}))
    running(plane, 4)
    good(plane.patch("Deployment", "web", {"spec": {"replicas": 1}}))
    plane.settle(lambda: len(pods(plane)) == 1)
    good(plane.delete("Deployment", "web"))
    plane.settle(lambda: not pods(plane))


@case
def a_deployment_rolls_to_a_new_template(plane):
    plane.add_node(f"{plane.namespace}-n1")
    good(plane.create("Deployment", a_workload(plane, "web", 3)))
    old = {one["metadata"]["name"] for one in running(plane, 3)}
    change = {"spec": {"template": {"metadata": {"annotations": {"round": "2"}}}}}
    good(plane.patch("Deployment", "web", change))

    plane.settle(lambda: len(pods(plane)) == 3 and not names(plane) & old)


def names(plane):
    return {one["metadata"]["name"] for one in pods(plane)}


@case
def a_stateful_set_is_numbered(plane):
    plane.add_node(f"{plane.namespace}-n1")
    good(plane.create("StatefulSet", a_workload(plane, "db", 2)))
    running(plane, 2)
    assert names(plane) == {"db-0", "db-1"}

    good(plane.patch("StatefulSet", "db", {"spec": {"replicas": 1}}))
    plane.settle(lambda: names(plane) == {"db-0"})


def a_budget(**spec):
    selector = {"matchLabels": {"app": "web"}}
    return {"metadata": {"name": "web"}, "spec": {"selector": selector, **spec}}


def allowance(plane):
    status = plane.get("PodDisruptionBudget", "web").body.get("status", {})
    return (
        status.get("disruptionsAllowed", 0),
        status.get("currentHealthy", 0),
        status.get("desiredHealthy", 0),
    )


@case
def a_budget_counts_in_shares_of_what_is_wanted(plane):
    plane.add_node(f"{plane.namespace}-n1")
    good(plane.create("PodDisruptionBudget", a_budget(maxUnavailable="30%")))
    good(plane.create("Deployment", a_workload(plane, "web", 5)))
    running(plane, 5)

    plane.settle(lambda: allowance(plane) == (2, 5, 3))


@case
def a_budget_with_a_floor_counts_the_pods_there_are(plane):
    plane.add_node(f"{plane.namespace}-n1")
    good(plane.create("PodDisruptionBudget", a_budget(minAvailable=2)))
    good(plane.create("Deployment", a_workload(plane, "web", 3)))
    running(plane, 3)

    plane.settle(lambda: allowance(plane) == (1, 3, 2))


@case
def pods_without_an_owner_of_known_size_have_no_share_to_spare(plane):
    plane.add_node(f"{plane.namespace}-n1")
    good(plane.create("Pod", a_pod(plane)))
    running(plane, 1)
    good(plane.create("PodDisruptionBudget", a_budget(maxUnavailable=1)))
    plane.rest()

    assert plane.evict("pod").status == 429


@case
def an_eviction_within_the_budget_is_granted_and_the_next_is_not(plane):
    plane.add_node(f"{plane.namespace}-n1", cpu="3")
    good(plane.create("PodDisruptionBudget", a_budget(minAvailable=2)))
    manifest = a_workload(plane, "web", 3, cpu="900m", terminationGracePeriodSeconds=300)
    linger = {"sandbox.nodewright.dev/linger": "true"}
    manifest["spec"]["template"]["metadata"]["annotations"] = linger
    good(plane.create("ReplicaSet", manifest))
    ready = running(plane, 3)
    plane.settle(lambda: allowance(plane)[0] == 1)
    good(plane.evict(ready[0]["metadata"]["name"]))
    # The one that goes holds its place for minutes, so that its replacement has none.
    refused = plane.evict(ready[1]["metadata"]["name"])

    assert (refused.status, refused.body["reason"]) == (429, "TooManyRequests")


@case
def two_budgets_on_one_pod_stop_every_eviction(plane):
    plane.add_node(f"{plane.namespace}-n1")
    for name in ("one", "two"):
        budget = a_budget(minAvailable=0)
        budget["metadata"]["name"] = name
        good(plane.create("PodDisruptionBudget", budget))
    good(plane.create("Pod", a_pod(plane)))
    running(plane, 1)

    assert plane.evict("pod").status == 500


@case
def a_pod_without_a_budget_can_be_evicted(plane):
    plane.add_node(f"{plane.namespace}-n1")
    good(plane.create("Pod", a_pod(plane, terminationGracePeriodSeconds=1)))
    running(plane, 1)
    good(plane.evict("pod"))

    plane.settle(lambda: plane.get("Pod", "pod").status == 404)


@case
def pods_leave_a_node_whose_taint_drives_them_out(plane):
    name = f"{plane.namespace}-n1"
    plane.add_node(name)
    good(plane.create("Pod", a_pod(plane, terminationGracePeriodSeconds=1)))
    running(plane, 1)
    taint = {"key": "go", "value": "away", "effect": "NoExecute"}
    good(plane.patch("Node", name, {"spec": {"taints": [taint]}}))

    plane.settle(lambda: plane.get("Pod", "pod").status == 404)
