"""What pods take of a node."""

from builders import a_container, a_pod, a_taint, tolerating
from nodewright.model.quantity import parse_resources
from referee.amounts import lacking, ports_clash, requests_of, untolerated


def asked(**pod):
    return requests_of(a_pod(**pod))


def test_a_pod_is_one_pod():
    assert asked(cpu="100m") == parse_resources({"cpu": "100m", "pods": 1})


def test_init_containers_count_by_the_largest_and_sidecars_by_their_sum():
    init = [
        a_container({"cpu": 1}, stays=True),
        a_container({"cpu": 4}),
        a_container({"cpu": 2}, stays=True),
    ]
    assert asked(cpu=1, init=init)["cpu"] == 5000
    assert asked(cpu=3, init=init)["cpu"] == 6000


def test_what_the_pod_asks_for_as_a_whole_goes_before_its_containers():
    assert asked(cpu=1, memory="1Gi", pod_level={"cpu": 3}) == parse_resources(
        {"cpu": 3, "memory": "1Gi", "pods": 1}
    )


def test_overhead_comes_on_top():
    assert asked(cpu=1, pod_level={"cpu": 3}, overhead={"cpu": "250m"})["cpu"] == 3250


def test_a_resource_that_is_not_there_is_lacking_only_when_asked_for():
    assert lacking({"gpu": 1}, {}) == ["gpu"]
    assert lacking({"gpu": 0}, {}) == []
    assert lacking({"cpu": 1}, {"cpu": 1, "memory": -1}) == ["memory"]


def test_tolerations_match_by_key_value_and_effect():
    taint = a_taint("key", "value")
    for toleration, right in (
        (tolerating(), True),
        (tolerating("key"), True),
        (tolerating("key", "value"), True),
        (tolerating("key", "other"), False),
        (tolerating("other"), False),
        (tolerating("key", effect="NoExecute"), False),
    ):
        assert (untolerated(a_pod(tolerations=[toleration]), [taint]) == []) is right


def test_ports_clash_unless_address_protocol_or_number_differ():
    assert ports_clash([("", 80, "TCP")], [("10.0.0.1", 80, "TCP")])
    assert not ports_clash([("10.0.0.2", 80, "TCP")], [("10.0.0.1", 80, "TCP")])
    assert not ports_clash([("", 80, "UDP")], [("", 80, "TCP")])
    assert not ports_clash([("", 81, "TCP")], [("", 80, "TCP")])
