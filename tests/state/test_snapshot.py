"""Snapshots: what is read comes back as it was, and what is wrong is said with its place."""

import gzip
import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.snapshots import (
    TAKEN_AT,
    a_document,
    a_pod_value,
    a_pool_value,
    a_type_value,
    an_object,
    read,
)
from nodewright.core.scheduling.solve import solve
from nodewright.model.errors import UserError
from nodewright.model.instant import parse_instant
from nodewright.state.snapshot import read_snapshot
from nodewright.state.writing import write_snapshot
from problems import generate

POOL = a_pool_value()


def complaint(document):
    """The place and the sentence that a document is refused with."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(UserError) as caught:
        read_snapshot(data, "test.json")
    error = caught.value
    assert error.code.startswith("NW-90")
    assert error.where.startswith("test.json")
    return error.where.removeprefix("test.json").removeprefix(": "), error.message


def without(value, *path):
    """The value with one field taken out."""
    copy = json.loads(json.dumps(value))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return copy


def test_objects_go_where_they_belong():
    node = an_object("Node", "n1")
    claim = an_object("PersistentVolumeClaim", metadata={"namespace": "default"})
    world = read(a_document(a_pod_value(), POOL, node, claim)).world
    assert [pod.key for pod in world.pods] == ["default/pod"]
    assert [one.metadata.name for one in world.nodes] == ["n1"]
    assert [pool.metadata.name for pool in world.node_pools] == ["default"]
    assert len(world.volume_claims) == 1
    assert [one.name for one in world.instance_types["default"]] == ["m"]
    assert world.now_ms == parse_instant(TAKEN_AT)


def test_lists_are_flattened_and_mistakes_in_them_are_placed():
    inner = {"apiVersion": "v1", "kind": "List", "items": [a_pod_value("a"), a_pod_value("b")]}
    outer = {"apiVersion": "v1", "kind": "PodList", "items": [inner]}
    assert [pod.metadata.name for pod in read(a_document(outer)).world.pods] == ["a", "b"]
    broken = {"apiVersion": "v1", "kind": "List", "items": [an_object("Node", spec=7)]}
    assert complaint(a_document(broken))[0] == "objects[0].items[0].spec"


def test_an_unknown_kind_is_a_warning():
    snapshot = read(a_document(an_object("Gadget", api_version="example.com/v1")))
    assert snapshot.warnings == (
        "objects[0]: example.com/v1 Gadget is not used in a decision; left out",
    )
    assert read(a_document({"metadata": {}})).warnings == (
        "objects[0]: an object without a kind is not used in a decision; left out",
    )


def test_an_unknown_option_is_a_warning():
    assert read(a_document(options={"speed": 11})).warnings == (
        "options.speed: unknown option; left out",
    )


def test_options_are_read():
    options = {
        "preferencePolicy": "Ignore",
        "minValuesPolicy": "BestEffort",
        "featureGates": {"ReservedCapacity": False},
        "wellKnownLabels": ["example.com/rack"],
        "reservationIDLabel": "example.com/reservation",
        "reservedOfferingMode": "Fallback",
        "consolidationSimulation": True,
        "pendingRule": "live",
    }
    found = read(a_document(options=options)).world.options
    assert (found.preference_policy, found.min_values_policy) == ("Ignore", "BestEffort")
    assert found.feature_gates == {"ReservedCapacity": False}
    assert "example.com/rack" in found.well_known_labels
    assert "topology.kubernetes.io/zone" in found.well_known_labels
    assert found.reservation_id_label == "example.com/reservation"
    assert (found.reserved_offering_mode, found.pending_rule) == ("Fallback", "live")
    assert found.consolidation_simulation


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"preferencePolicy": "Sometimes"}, "options.preferencePolicy"),
        ({"minValuesPolicy": "Lax"}, "options.minValuesPolicy"),
        ({"reservedOfferingMode": "Maybe"}, "options.reservedOfferingMode"),
        ({"pendingRule": "all"}, "options.pendingRule"),
        ({"featureGates": {"X": "on"}}, "options.featureGates[...]"),
        ({"preferencePolicy": 3}, "options.preferencePolicy"),
        (
            {"defaultConstraints": [{"maxSkew": 0, "topologyKey": "z"}]},
            "options.defaultConstraints",
        ),
    ],
)
def test_an_option_that_cannot_be_is_refused(options, place):
    assert complaint(a_document(options=options))[0] == place


def test_without_a_date_the_newest_timestamp_is_now():
    old = an_object("Node", "a", metadata={"creationTimestamp": "2026-11-01T00:00:00Z"})
    new = an_object("Node", "b", metadata={"creationTimestamp": "2026-11-02T00:00:00Z"})
    world = read(a_document(new, old, metadata={})).world
    assert world.now_ms == parse_instant("2026-11-02T00:00:00Z")
    assert read(a_document(metadata={})).world.now_ms == 0


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (without(a_document(), "objects"), ""),
        (without(a_document(), "apiVersion"), ""),
        (a_document(objects={}), "objects"),
        (
            a_document(an_object("Node", spec={"taints": [{"key": 7}]})),
            "objects[0].spec.taints[0].key",
        ),
        (a_document(without(an_object("Node"), "metadata", "name")), "objects[0].metadata.name"),
        (a_document(without(a_pod_value(), "metadata", "name")), "objects[0].metadata.name"),
        (a_document(objects=[7]), "objects[0]"),
        (
            a_document(POOL, catalogs={"all": [without(a_type_value(), "capacity")]}),
            "catalogs.all[0]",
        ),
        (
            a_document(POOL, catalogs={"all": [a_type_value(offerings=[{"requirements": []}])]}),
            "catalogs.all[0].offerings[0]",
        ),
        (a_document(POOL, catalogs={"all": [a_type_value(cpu="many")]}), "catalogs.all[0]"),
        (
            a_document(
                POOL,
                catalogs={"all": [a_type_value(requirements=[{"key": "a", "operator": "Near"}])]},
            ),
            "catalogs.all[0]",
        ),
        (a_document(without(POOL, "spec", "template")), "objects[0].spec"),
        (a_document(without(POOL, "spec")), "objects[0]"),
        (a_document(POOL, instanceTypes={"default": "other"}), "instanceTypes.default"),
        (a_document(POOL, instanceTypes={"default": 7}), "instanceTypes.default"),
        (a_document(POOL, instanceTypes={"default": [{}]}), "instanceTypes.default[0]"),
        (a_document(metadata={"takenAt": "yesterday"}), "metadata.takenAt"),
        (
            a_document(an_object("Node", metadata={"creationTimestamp": "once"}), metadata={}),
            "objects",
        ),
        (a_document(kind="Picture"), "apiVersion"),
        (a_document(apiVersion="nodewright.dev/v9"), "apiVersion"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(document, place):
    where, sentence = complaint(document)
    assert where == place
    assert sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    "data",
    [b"", b"not json", b"[1, 2]", b"7", b"\xff\xfe\x00", b'{"apiVersion": ', b"[" * 100_000],
)
def test_what_is_no_json_document_is_refused(data):
    place, sentence = complaint(data)
    assert place == ""
    assert sentence


def test_a_gzip_file_is_unpacked():
    data = gzip.compress(json.dumps(a_document(a_pod_value())).encode())
    assert len(read_snapshot(data, "test.json.gz").world.pods) == 1


@pytest.mark.parametrize("cut", [3, 12, 40, -9, -1])
def test_a_gzip_file_that_is_cut_short_is_refused(cut):
    data = gzip.compress(json.dumps(a_document(a_pod_value())).encode())
    assert complaint(data[:cut])[1].endswith("take the snapshot again")


def test_a_gzip_file_that_is_damaged_is_refused():
    data = bytearray(gzip.compress(json.dumps(a_document(a_pod_value())).encode()))
    data[20:40] = b"x" * 20
    assert "gzip" in complaint(bytes(data))[1] or "unpacked" in complaint(bytes(data))[1]


def test_one_bad_pod_does_not_stop_the_rest():
    odd = an_object("Pod", "odd", spec={"containers": "none"})
    snapshot = read(a_document(odd, a_pod_value("fine"), POOL))
    (bad,) = snapshot.world.bad_pods
    assert bad.key == "default/odd"
    assert bad.problem.startswith("objects[0].spec.containers: ")
    plan = solve(snapshot.world)
    assert list(plan.unschedulable) == ["default/odd"]
    assert plan.new_nodes[0].pods == ("default/fine",)


def test_a_spread_that_says_neither_may_nor_must_is_a_bad_pod():
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "Sometimes"}
    odd = an_object("Pod", "odd", spec={"containers": [], "topologySpreadConstraints": [spread]})
    (bad,) = read(a_document(odd, POOL)).world.bad_pods
    place = "objects[0].spec.topologySpreadConstraints[0].whenUnsatisfiable"
    assert bad.problem.startswith(f"{place}: ")
    assert "Sometimes" in bad.problem


def test_a_pod_with_an_unknown_quantity_is_answered_and_stops_nobody():
    plan = solve(read(a_document(a_pod_value("odd", cpu="many"), a_pod_value("fine"), POOL)).world)
    assert "many" in plan.unschedulable["default/odd"].summary
    assert plan.new_nodes[0].pods == ("default/fine",)


@pytest.mark.parametrize("seed", range(12))
def test_a_world_that_is_written_is_read_back_the_same(seed):
    snapshot = read(generate(seed))
    written = write_snapshot(snapshot.world, snapshot.metadata)
    assert written == write_snapshot(snapshot.world, snapshot.metadata)
    again = read_snapshot(written, "again")
    assert again.world == snapshot.world
    assert msgspec.structs.replace(again.metadata, taken_at=None) == msgspec.structs.replace(
        snapshot.metadata, taken_at=None
    )
    packed = write_snapshot(snapshot.world, snapshot.metadata, compress=True)
    assert read_snapshot(packed, "packed").world == snapshot.world


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=4,
)
_WHOLE = a_document(a_pod_value(), POOL, an_object("Node", "n"), options={"featureGates": {}})


def places(value, path=()):
    yield path
    children = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value if isinstance(value, list) else ())
    )
    for key, child in children:
        yield from places(child, (*path, key))


@settings(max_examples=300)
@given(st.sampled_from([one for one in places(_WHOLE) if one]), _VALUES)
def test_whatever_stands_anywhere_is_read_or_refused_in_a_sentence(path, value):
    document = json.loads(json.dumps(_WHOLE))
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    assert answer(document)


def answer(document):
    """Say how a document is answered: with a plan, or with a place and a sentence."""
    try:
        plan = solve(read(document).world)
    except UserError as error:
        return error.where.startswith("test.json") and bool(error.message)
    return plan.price >= 0
