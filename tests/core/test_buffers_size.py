"""How many pieces a buffer has, and of what shape."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import a_world
from builders.buffers import a_buffer, a_pod_template, a_workload
from nodewright.core.buffers_size import PIECES_MAX, count_pieces, resolve

REFERENCE = {"kind": "ReplicaSet", "name": "web"}


def size(workload=None, /, **spec):
    found = count_pieces(a_buffer(**spec).spec, a_pod_template(cpu="500m").template, workload)
    return found if isinstance(found, int) else found.reason


@pytest.mark.parametrize(
    ("spec", "replicas", "count"),
    [
        ({"replicas": 3}, None, 3),
        ({"replicas": 0}, None, 0),
        ({"percentage": 25}, 10, 3),
        ({"percentage": 1}, 10, 1),
        ({"percentage": 10}, 0, 1),
        ({"percentage": 200}, 3, 6),
        ({"replicas": 5, "percentage": 20}, 10, 5),
        ({"replicas": 1, "percentage": 50}, 10, 5),
        ({"limits": {"cpu": "2"}}, None, 4),
        ({"replicas": 9, "limits": {"cpu": "2"}}, None, 4),
        ({"replicas": 2, "limits": {"cpu": "2"}}, None, 2),
        ({"replicas": 9, "limits": {"cpu": "100m"}}, None, 0),
        ({"replicas": 9, "limits": {"memory": "1Gi"}}, None, 9),
        ({"replicas": 9, "limits": {"pods": "3"}}, None, 3),
    ],
)
def test_the_larger_of_replicas_and_percentage_counts_within_the_limits(spec, replicas, count):
    assert size(replicas, **spec) == count


@pytest.mark.parametrize(
    "spec", [{}, {"limits": {"memory": "1Gi"}}, {"percentage": 5}, {"limits": {"cpu": "much"}}]
)
def test_a_size_that_cannot_be_told_is_said(spec):
    assert size(**spec) == "ResolutionFailed"


@given(st.integers(0, 2**31 - 1), st.integers(0, 1000), st.integers(0, 100_000))
def test_a_buffer_never_has_more_pieces_than_anybody_plans_for(replicas, percentage, workload):
    assert 0 <= size(workload, replicas=replicas, percentage=percentage) <= PIECES_MAX


def test_the_shape_is_that_of_the_template():
    template = a_pod_template(cpu=1)
    found = resolve(a_buffer(replicas=2), a_world(template))

    assert found.template == template.template
    assert (found.template_name, found.template_generation) == ("shape", 3)


def test_the_shape_is_that_of_the_workload():
    workload = a_workload(replicas=4, cpu=2)
    buffer = a_buffer(scalableRef=REFERENCE, percentage=50)

    assert resolve(buffer, a_world(workload)).count == 2
    assert resolve(buffer, a_world(workload)).template == workload.spec.template


def test_a_workload_is_found_by_its_kind():
    buffer = a_buffer(scalableRef={"kind": "Deployment", "name": "web"}, replicas=1)
    world = a_world(a_workload())

    assert resolve(buffer, world).reason == "ScalableRefNotFound"
    known = msgspec.structs.replace(world, deployments=world.replica_sets)
    assert resolve(buffer, known).count == 1


def test_what_is_missing_is_named():
    found = resolve(a_buffer(replicas=1), a_world())

    assert (found.reason, found.message) == (
        "PodTemplateNotFound",
        "there is no PodTemplate default/shape",
    )
