"""Conformance of the API: writes, patches, applies, deletions, watches."""

from scenarios.cases import a_config, a_pod, case, good
from scenarios.plane import STEPS


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
