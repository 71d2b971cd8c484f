"""What a control plane does, case by case; true of the model and of the real one alike.

A case gets a plane with a namespace of its own. Statuses are compared as classes where Kubernetes
itself has several (201 for a create, 200 for the rest).
"""

from scenarios.plane import STEPS

CASES = {}


def case(function):
    """Register a case under its name."""
    CASES[function.__name__] = function
    return function


def good(reply):
    assert reply.status in (200, 201, 202), reply
    return reply


def a_config(name="thing", **more):
    """A PodDisruptionBudget stands for any object with a spec: it has no defaults to compare."""
    selector = {"matchLabels": {"app": "nobody"}}
    return {"metadata": {"name": name, **more}, "spec": {"minAvailable": 1, "selector": selector}}


def a_pod(plane, name="pod", cpu="100m", labels=None, **spec):
    container = {
        "name": "main",
        "image": "none",
        "resources": {"requests": {"cpu": cpu, "memory": "16Mi"}},
    }
    return {
        "metadata": {"name": name, "labels": labels or {"app": "web"}},
        "spec": {"containers": [container], "nodeSelector": {"case": plane.namespace}, **spec},
    }


def a_workload(plane, name, replicas, cpu="100m", labels=None, **spec):
    labels = labels or {"app": name}
    pod = a_pod(plane, cpu=cpu, labels=labels, **spec)
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod["spec"]},
        },
    }


def pods(plane, **labels):
    return [
        one
        for one in plane.each("Pod")
        if labels.items() <= one["metadata"].get("labels", {}).items()
    ]


def node_of(plane, name):
    return plane.get("Pod", name).body.get("spec", {}).get("nodeName", "")


def bound(plane, **labels):
    return [one for one in pods(plane, **labels) if one["spec"].get("nodeName")]


def running(plane, count, **labels):
    def holds():
        ready = [
            one
            for one in pods(plane, **labels)
            if any(
                c["type"] == "Ready" and c["status"] == "True"
                for c in one["status"].get("conditions", [])
            )
            and not one["metadata"].get("deletionTimestamp")
        ]
        return ready if len(ready) == count else None

    return plane.settle(holds)


def is_unschedulable(plane, name):
    conditions = plane.get("Pod", name).body["status"].get("conditions", [])
    return any(c["type"] == "PodScheduled" and c["reason"] == "Unschedulable" for c in conditions)


@case
def a_name_can_be_taken_once(plane):
    good(plane.create("PodDisruptionBudget", a_config()))
    again = plane.create("PodDisruptionBudget", a_config())

    assert (again.status, again.body["reason"]) == (409, "AlreadyExists")


@case
def a_name_can_be_drawn(plane):
    manifest = a_config()
    manifest["metadata"] = {"generateName": "thing-"}
    made = good(plane.create("PodDisruptionBudget", manifest))

    assert made.body["metadata"]["name"].startswith("thing-")
    assert len(made.body["metadata"]["name"]) == len("thing-") + 5


@case
def what_is_not_there_is_not_found(plane):
    assert plane.get("PodDisruptionBudget", "nobody").status == 404
    assert plane.delete("PodDisruptionBudget", "nobody").status == 404
    assert plane.patch("PodDisruptionBudget", "nobody", {}).status == 404


@case
def a_merge_patch_merges_and_null_removes(plane):
    good(plane.create("PodDisruptionBudget", a_config(labels={"a": "1", "b": "2"})))
    change = {"metadata": {"labels": {"a": None, "c": "3"}}}
    done = good(plane.patch("PodDisruptionBudget", "thing", change))

    assert done.body["metadata"]["labels"] == {"b": "2", "c": "3"}


@case
def a_patch_that_changes_nothing_keeps_the_version(plane):
    made = good(plane.create("PodDisruptionBudget", a_config(labels={"a": "1"})))
    plane.settle(lambda: observed(plane, made))
    before = good(plane.get("PodDisruptionBudget", "thing")).version
    change = {"metadata": {"labels": {"a": "1"}}}
    after = good(plane.patch("PodDisruptionBudget", "thing", change)).version

    assert before == after


def observed(plane, made):
    now = good(plane.get("PodDisruptionBudget", "thing")).body
    generation = made.body["metadata"]["generation"]
    return now.get("status", {}).get("observedGeneration") == generation


@case
def a_patch_with_an_old_version_conflicts(plane):
    made = good(plane.create("PodDisruptionBudget", a_config()))
    good(plane.patch("PodDisruptionBudget", "thing", {"metadata": {"labels": {"a": "1"}}}))
    change = {"metadata": {"resourceVersion": made.version, "labels": {"a": "2"}}}
    late = plane.patch("PodDisruptionBudget", "thing", change)

    assert (late.status, late.body["reason"]) == (409, "Conflict")


@case
def json_patch_steps_are_taken_in_order(plane):
    good(plane.create("PodDisruptionBudget", a_config(labels={"a": "1"})))
    steps = [
        {"op": "test", "path": "/metadata/labels/a", "value": "1"},
        {"op": "add", "path": "/metadata/labels/b~1c", "value": "2"},
        {"op": "remove", "path": "/metadata/labels/a"},
    ]
    done = good(plane.patch("PodDisruptionBudget", "thing", steps, STEPS))

    assert done.body["metadata"]["labels"] == {"b/c": "2"}


@case
def a_json_patch_whose_test_fails_changes_nothing(plane):
    good(plane.create("PodDisruptionBudget", a_config(labels={"a": "1"})))
    steps = [
        {"op": "replace", "path": "/metadata/labels/a", "value": "9"},
        {"op": "test", "path": "/metadata/labels/a", "value": "1"},
    ]

    assert plane.patch("PodDisruptionBudget", "thing", steps, STEPS).status == 422
    labels = plane.get("PodDisruptionBudget", "thing").body["metadata"]["labels"]
    assert labels == {"a": "1"}


@case
def generation_counts_changes_of_the_spec_alone(plane):
    first = good(plane.create("PodDisruptionBudget", a_config()))
    labelled = plane.patch("PodDisruptionBudget", "thing", {"metadata": {"labels": {"a": "1"}}})
    changed = plane.patch("PodDisruptionBudget", "thing", {"spec": {"minAvailable": 2}})

    counts = [one.body["metadata"]["generation"] for one in (first, labelled, changed)]
    assert counts == [1, 1, 2]


@case
def status_is_written_through_its_own_door(plane):
    good(plane.create("Pod", a_pod(plane)))
    good(plane.patch("Pod", "pod", {"status": {"phase": "Failed"}}))
    assert plane.get("Pod", "pod").body["status"]["phase"] == "Pending"

    change = {"status": {"nominatedNodeName": "somewhere"}, "metadata": {"labels": {"a": "1"}}}
    good(plane.patch("Pod", "pod", change, subresource="status"))
    now = plane.get("Pod", "pod").body
    assert now["status"]["nominatedNodeName"] == "somewhere"


@case
def an_applied_field_belongs_to_its_manager(plane):
    good(plane.apply("PodDisruptionBudget", "thing", labelled(a="1", b="1"), "one"))
    change = {"metadata": {"name": "thing", "labels": {"a": "2"}}}
    clash = plane.apply("PodDisruptionBudget", "thing", change, "two")
    assert (clash.status, clash.body["reason"]) == (409, "Conflict")

    forced = good(plane.apply("PodDisruptionBudget", "thing", change, "two", force=True))
    assert forced.body["metadata"]["labels"] == {"a": "2", "b": "1"}


@case
def a_field_that_is_no_longer_applied_goes(plane):
    good(plane.apply("PodDisruptionBudget", "thing", labelled(a="1", b="1"), "one"))
    change = {"metadata": {"name": "thing", "labels": {"c": "1"}}}
    good(plane.apply("PodDisruptionBudget", "thing", change, "two"))
    done = good(plane.apply("PodDisruptionBudget", "thing", labelled(a="1"), "one"))

    assert done.body["metadata"]["labels"] == {"a": "1", "c": "1"}


def labelled(**labels):
    selector = {"matchLabels": {"app": "nobody"}}
    meta = {"name": "thing", "labels": labels}
    return {"metadata": meta, "spec": {"minAvailable": 1, "selector": selector}}


@case
def what_is_applied_must_say_its_name_to_be_made(plane):
    nameless = {"metadata": {"labels": {"a": "1"}}}

    assert plane.apply("PodDisruptionBudget", "thing", nameless, "one").status == 400


@case
def a_finalizer_holds_the_object_until_it_is_taken_off(plane):
    good(plane.create("PodDisruptionBudget", a_config(finalizers=["example.com/hold"])))
    good(plane.delete("PodDisruptionBudget", "thing"))
    held = good(plane.get("PodDisruptionBudget", "thing"))
    assert held.body["metadata"]["deletionTimestamp"]

    good(plane.patch("PodDisruptionBudget", "thing", {"metadata": {"finalizers": None}}))
    assert plane.get("PodDisruptionBudget", "thing").status == 404


@case
def a_dying_object_gets_no_new_finalizer(plane):
    good(plane.create("PodDisruptionBudget", a_config(finalizers=["example.com/hold"])))
    good(plane.delete("PodDisruptionBudget", "thing"))
    change = {"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}}

    assert plane.patch("PodDisruptionBudget", "thing", change).status == 422
    good(plane.patch("PodDisruptionBudget", "thing", {"metadata": {"finalizers": None}}))


@case
def a_deletion_can_name_the_very_object(plane):
    good(plane.create("PodDisruptionBudget", a_config()))
    other = "00000000-0000-4000-8000-000000000000"
    refused = plane.delete("PodDisruptionBudget", "thing", uid=other)

    assert (refused.status, refused.body["reason"]) == (409, "Conflict")
    assert plane.get("PodDisruptionBudget", "thing").status == 200


@case
def what_lost_its_owner_is_collected(plane):
    owner = good(plane.create("PodDisruptionBudget", a_config("owner")))
    reference = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "name": "owner",
        "uid": owner.uid,
    }
    good(plane.create("PodDisruptionBudget", a_config("child", ownerReferences=[reference])))
    good(plane.delete("PodDisruptionBudget", "owner"))

    plane.settle(lambda: plane.get("PodDisruptionBudget", "child").status == 404)


@case
def a_watch_tells_what_changed_in_order(plane):
    since = plane.version()
    good(plane.create("Lease", {"metadata": {"name": "thing"}, "spec": {}}))
    good(plane.patch("Lease", "thing", {"metadata": {"labels": {"a": "1"}}}))
    good(plane.delete("Lease", "thing"))
    events = plane.watch("Lease", since, 3)

    assert [verb for verb, _ in events] == ["ADDED", "MODIFIED", "DELETED"]
    versions = [int(thing["metadata"]["resourceVersion"]) for _, thing in events]
    assert versions == sorted(set(versions))


@case
def a_watch_from_a_forgotten_version_is_gone(plane):
    since = good(plane.create("Lease", {"metadata": {"name": "old"}, "spec": {}})).version
    for number in range(3):
        good(plane.create("Lease", {"metadata": {"name": f"more-{number}"}, "spec": {}}))
    plane.compact()
    (verb, status), *_ = plane.watch("Lease", since, 1)

    assert (verb, status["code"]) == ("ERROR", 410)


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
    plane.add_node(f"{plane.namespace}-n1", cpu="4")
    good(plane.create("PodDisruptionBudget", a_budget(minAvailable=2)))
    manifest = a_workload(plane, "web", 3, terminationGracePeriodSeconds=300)
    good(plane.create("ReplicaSet", manifest))
    ready = running(plane, 3)
    plane.settle(lambda: allowance(plane)[0] == 1)
    good(plane.evict(ready[0]["metadata"]["name"]))
    # The next one is asked in the same moment: the replacement cannot be ready yet.
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
