"""What a pod asks for: the larger of what runs and what starts it, plus overhead and one slot."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import a_container, a_pod
from nodewright.core.scheduling.requests import daemon_requests, pod_requests
from nodewright.model.pod import ContainerStatus, PodStatus, ResourceRequirements
from nodewright.model.quantity import BadQuantity, parse_resources


def asks(pod, status=None):
    return pod_requests(pod.spec, status)


def amounts(**written):
    return parse_resources({"pods": 1, **written})


def test_containers_add_up():
    pod = a_pod(cpu="500m", memory="1Gi", containers=[a_container({"cpu": 1, "gpu": 2})])
    assert asks(pod) == amounts(cpu="1500m", memory="1Gi", gpu=2)


def test_a_pod_that_asks_for_nothing_takes_one_slot():
    assert asks(a_pod()) == amounts()


def test_limits_never_count():
    pod = a_pod(containers=[a_container(limits={"cpu": 4})])
    assert asks(pod) == amounts()


def test_the_largest_init_container_counts_not_their_sum():
    pod = a_pod(cpu=1, init=[a_container({"cpu": 3}), a_container({"cpu": 2})])
    assert asks(pod) == amounts(cpu=3)


def test_a_sidecar_runs_beside_the_containers():
    pod = a_pod(cpu=1, init=[a_container({"cpu": 2}, stays=True)])
    assert asks(pod) == amounts(cpu=3)


def test_an_init_container_runs_beside_the_sidecars_started_before_it():
    sidecar, start = a_container({"cpu": 2}, stays=True), a_container({"cpu": 4})
    assert asks(a_pod(cpu=1, init=[sidecar, start])) == amounts(cpu=6)
    assert asks(a_pod(cpu=1, init=[start, sidecar])) == amounts(cpu=4)


def test_each_resource_takes_its_own_larger_side():
    pod = a_pod(cpu=4, memory="1Gi", init=[a_container({"cpu": 1, "memory": "8Gi"})])
    assert asks(pod) == amounts(cpu=4, memory="8Gi")


def test_the_overhead_of_the_runtime_is_added():
    assert asks(a_pod(cpu=1, overhead={"cpu": "250m"})) == amounts(cpu="1250m")


def test_what_the_pod_asks_for_as_a_whole_replaces_the_sum():
    pod = a_pod(cpu=1, memory="1Gi", pod_level={"cpu": 3}, overhead={"cpu": 1})
    assert asks(pod) == amounts(cpu=4, memory="1Gi")


def test_a_limit_of_the_whole_pod_stands_in_for_a_request_that_nobody_makes():
    pod = a_pod(memory="1Gi")
    spec = msgspec.structs.replace(
        pod.spec, resources=ResourceRequirements(limits={"cpu": 2, "memory": "4Gi"})
    )
    assert pod_requests(spec) == amounts(cpu=2, memory="1Gi")


def test_while_a_pod_is_resized_the_larger_of_asked_and_allocated_counts():
    pod = a_pod(cpu=1, memory="2Gi")
    held = PodStatus(
        container_statuses=(ContainerStatus(allocated_resources={"cpu": 2, "memory": "1Gi"}),)
    )
    assert asks(pod, held) == amounts(cpu=2, memory="2Gi")


def test_a_daemon_pod_that_has_only_limits_asks_for_them():
    pod = a_pod(containers=[a_container({"cpu": 1}, limits={"cpu": 2, "memory": "1Gi"})])
    assert daemon_requests(pod.spec) == amounts(cpu=1, memory="1Gi")


def test_an_amount_that_cannot_be_read_is_told():
    with pytest.raises(BadQuantity):
        asks(a_pod(cpu="lots"))


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=4), st.integers(0, 9))
def test_a_pod_never_asks_for_less_than_any_moment_of_its_life(starts, running):
    init = [a_container({"cpu": cpu}, stays=stays) for cpu, stays in starts]
    asked = asks(a_pod(cpu=running, init=init)).get("cpu", 0)
    sidecars = 0
    moments = []
    for cpu, stays in starts:
        moments.append(sidecars + cpu)
        sidecars += cpu if stays else 0
    assert asked == 1000 * max([*moments, running + sidecars])
