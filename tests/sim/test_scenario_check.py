import pytest

from nodewright.model.errors import UserError
from nodewright.sim.scenario import parse_scenario

MISTAKES = {
    "duration: '0s' is no time at all": {"duration": "0s"},
    "settle: '1x' is not a duration": {"settle": "1x"},
    "catalog.zones: there must be": {"catalog": {"zones": []}},
    "cloud.depths: 'm6i.large' names no offering": {"cloud": {"depths": {"m6i.large": 3}}},
    "nodes[0]: cpu: 'zz' is not a quantity": {"nodes": [{"count": 1, "cpu": "zz"}]},
    "workloads[0].kind: 'Foo' is no workload": {"workloads": [{"name": "w", "kind": "Foo"}]},
    "workloads[0]: cpu: 'abc' is not a quantity": {"workloads": [{"name": "w", "cpu": "abc"}]},
    "workloads[0].replicas: there cannot": {"workloads": [{"name": "w", "replicas": -1}]},
    "workloads[0].schedule: '' has 0 fields": {"workloads": [{"name": "w", "kind": "CronJob"}]},
    "workloads[0].runsFor: 'zz'": {"workloads": [{"name": "w", "runsFor": "zz"}]},
    "workloads[0].curve.every: '0s'": {"workloads": [{"name": "w", "curve": {"every": "0s"}}]},
    "objects[0].kind: the simulator knows no kind 'Foo'": {"objects": [{"kind": "Foo"}]},
    "objects[0].metadata: an object needs": {"objects": [{"kind": "Pod", "metadata": 3}]},
    "events[0].scale: 'foo' names nothing": {"events": [{"at": "5s", "scale": "foo"}]},
    "events[0].delete: 'Foo/x' names nothing": {"events": [{"at": "5s", "delete": "Foo/x"}]},
    "events[0].depth: 'm6i.large' names no": {"events": [{"at": "5s", "depth": {"m6i.large": 3}}]},
    "events[0].interrupt: 2.0 is no share": {"events": [{"at": "5s", "interrupt": 2}]},
    "faults[0].kind: 'nope' is no kind of fault": {"faults": [{"kind": "nope"}]},
    "faults[0].rate: -3.0 is less than never": {"faults": [{"kind": "api.error", "rate": -3}]},
}


@pytest.mark.parametrize("sentence", MISTAKES)
def test_a_mistake_is_one_sentence_that_names_its_place(sentence):
    with pytest.raises(UserError) as caught:
        parse_scenario({"name": "s", **MISTAKES[sentence]}, "s.yaml")

    assert caught.value.message.startswith(sentence)
    assert (caught.value.where, caught.value.code) == ("s.yaml", "NW-9402")


def test_everything_may_be_said_right():
    scenario = parse_scenario(
        {
            "name": "s",
            "calm": "1m",
            "cloud": {"depths": {"m6i.large/us-east-1a/spot": 3}},
            "workloads": [{"name": "w", "kind": "CronJob", "schedule": "*/5 * * * *"}],
            "events": [{"at": "1d", "scale": "Deployment/default/web", "replicas": 3}],
        }
    )

    assert scenario.events[0].replicas == 3
