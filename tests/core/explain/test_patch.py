"""JSON Patch of our objects: what is proposed is what is tried."""

from builders import a_pod, a_pool, want
from nodewright.core.explain.patch import Op, add, apply, pointer, remove
from nodewright.model.labels import ARCH, ZONE


def test_a_key_with_a_slash_is_escaped():
    assert pointer("spec", "nodeSelector", "a/b~c") == "/spec/nodeSelector/a~1b~0c"


def test_a_member_is_set_and_taken_out():
    pod = a_pod(cpu=1, selector={ARCH: "arm64"})

    changed = apply(pod, [remove("spec", "nodeSelector", ARCH)])
    back = apply(changed, [add({ARCH: "arm64"}, "spec", "nodeSelector")])

    assert changed.spec.node_selector == {}
    assert back == pod


def test_a_list_grows_and_shrinks():
    pool = a_pool(requirements=[want(ZONE, "In", "a"), want(ARCH, "In", "b")])
    path = ("spec", "template", "spec", "requirements")

    changed = apply(pool, [add("c", *path, 0, "values", "-"), remove(*path, 1)])

    assert changed.spec.template.spec.requirements == (want(ZONE, "In", "a", "c"),)


def test_an_element_is_put_in_front():
    pool = a_pool(requirements=[want(ZONE, "In", "a")])
    path = "/spec/template/spec/requirements/0/values/0"

    changed = apply(pool, [Op("add", path, "z")])

    assert changed.spec.template.spec.requirements[0].values == ("z", "a")
