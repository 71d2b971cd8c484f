"""The whole account as a value, and what changed between two."""

from builders.standin import a_fleet, ids_of
from nodewright.sandbox.aws.dump import Change, diff


def test_nothing_done_is_nothing_changed(standin, network):
    account = standin.account

    assert diff(account.dump(), account.dump()) == ()


def test_a_launch_shows_as_what_it_adds_and_its_end_as_what_it_takes(standin, ec2, network):
    account = standin.account
    before = account.dump()
    [number] = ids_of(ec2.create_fleet(**a_fleet(network)))
    between = account.dump()
    ec2.terminate_instances(InstanceIds=[number])
    after = account.dump()

    added = {(one.kind, one.what) for one in diff(before, between)}
    assert added == {
        ("fleet", "added"), ("instance", "added"), ("interface", "added"), ("volume", "added"),
        ("subnet", "changed"),
    }  # fmt: skip
    assert {one.kind for one in diff(between, after) if one.what == "removed"} == {
        "interface", "volume",
    }  # fmt: skip
    [change] = [one for one in diff(between, after) if one.kind == "instance"]
    assert "State.Name" in change.paths


def test_a_tag_is_one_change(standin, ec2, network):
    before = standin.account.dump()
    ec2.create_tags(
        Resources=[network.group], Tags=[{"Key": "karpenter.sh/discovery", "Value": "c"}]
    )

    assert diff(before, standin.account.dump()) == (
        Change("security-group", network.group, "changed", ("Tags",)),
    )


def test_roles_queues_and_rules_are_in_it(standin, network):
    standin.client("sqs").create_queue(QueueName="q")
    standin.client("events").put_rule(Name="r", EventPattern='{"source":["aws.ec2"]}')
    found = standin.account.dump()

    assert "q" in found["queue"]
    assert found["rule"]["r"]["Targets"] == []
    assert "net" in found["role"]
