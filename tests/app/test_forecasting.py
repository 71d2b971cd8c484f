import json

import pytest

from nodewright.app.forecast_policies import Policy, parse_policy, read_objects
from nodewright.app.forecasting import Order, forecast
from nodewright.app.workloads import Source
from nodewright.forecast.setup import Setup, default_objects
from nodewright.model.errors import UserError

SMALL = Source("cron-storms:0.02", days=0.01)


def an_order(**more):
    policies = (Policy("nodewright", "nodewright"), Policy("bound", "bound"))
    return Order(SMALL, Setup(default_objects()), policies, (1, 2), **more)


def test_what_was_run_is_kept_and_not_run_again(tmp_path):
    told = []
    first = forecast(
        an_order(processes=1, keep=tmp_path), lambda done, every: told.append((done, every))
    )
    again = forecast(
        an_order(processes=1, keep=tmp_path), lambda done, every: told.append((done, every))
    )

    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4), (4, 4)]
    assert first == again
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.soak
def test_it_does_not_matter_how_many_processes_there_are():
    assert forecast(an_order(processes=1)) == forecast(an_order(processes=2))


def test_a_policy_is_read_from_its_words():
    assert parse_policy("karpenter") == Policy("karpenter", "karpenter")
    assert parse_policy("mine=nodewright:pools.yaml+nodepool/a.spec.weight=3") == Policy(
        "mine", "nodewright", "pools.yaml", ("nodepool/a.spec.weight=3",)
    )
    with pytest.raises(UserError, match="'keda' is no policy"):
        parse_policy("keda")


def test_two_policies_of_one_name_are_refused():
    twice = (Policy("a", "bound"), Policy("a", "fixed"))
    with pytest.raises(UserError, match="two policies are called a"):
        forecast(Order(SMALL, Setup(default_objects()), twice, (1,)))


def test_pools_come_from_manifests_or_from_a_snapshot(tmp_path):
    objects = [dict(one) for one in default_objects()]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    path = tmp_path / "cluster.json"
    head = {"apiVersion": "nodewright.dev/v1", "kind": "Snapshot"}
    path.write_text(json.dumps({**head, "objects": [*objects, pod]}))

    assert [one["kind"] for one in read_objects((str(path),))] == [
        "EC2NodeClass",
        "NodePool",
        "NodePool",
    ]


def test_a_pool_without_its_class_is_refused(tmp_path):
    path = tmp_path / "pool.json"
    path.write_text(json.dumps(default_objects()[1]))

    with pytest.raises(UserError, match="EC2NodeClass/default, which is in none of the files"):
        read_objects((str(path),))
