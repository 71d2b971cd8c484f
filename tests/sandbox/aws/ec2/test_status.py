"""Status checks, scheduled events and consoles."""

from builders.standin import a_fleet, ids_of
from nodewright.sandbox.aws.ec2 import happenings


def status(ec2, number):
    [one] = ec2.describe_instance_status(InstanceIds=[number])["InstanceStatuses"]
    return one


def test_checks_pass_until_something_is_impaired(standin, ec2, network):
    [number] = ids_of(ec2.create_fleet(**a_fleet(network)))
    before = status(ec2, number)
    happenings.impair(standin.account, number, "system")
    after = status(ec2, number)
    happenings.recover(standin.account, number)

    assert before["SystemStatus"]["Status"] == "ok"
    assert after["SystemStatus"]["Status"] == "impaired"
    assert after["SystemStatus"]["Details"][0]["Status"] == "failed"
    assert after["SystemStatus"]["Details"][0]["ImpairedSince"]
    assert after["InstanceStatus"]["Status"] == "ok"
    assert status(ec2, number)["SystemStatus"]["Status"] == "ok"


def test_the_impaired_can_be_asked_for(standin, ec2, network):
    sick, _ = ids_of(ec2.create_fleet(**a_fleet(network, count=2)))
    happenings.impair(standin.account, sick, "instance")
    found = ec2.describe_instance_status(
        Filters=[{"Name": "instance-status.status", "Values": ["impaired"]}]
    )["InstanceStatuses"]

    assert [one["InstanceId"] for one in found] == [sick]


def test_only_running_ones_are_told_unless_all_are_asked_for(ec2, network):
    [number] = ids_of(ec2.create_fleet(**a_fleet(network)))
    ec2.terminate_instances(InstanceIds=[number])
    some = ec2.describe_instance_status()["InstanceStatuses"]
    everything = ec2.describe_instance_status(IncludeAllInstances=True)["InstanceStatuses"]

    assert number not in {one["InstanceId"] for one in some}
    assert number in {one["InstanceId"] for one in everything}


def test_a_console_keeps_what_was_printed(standin, ec2, network):
    [number] = ids_of(ec2.create_fleet(**a_fleet(network)))
    happenings.print_console(standin.account, number, "cloud-init: bad boundary")

    assert "bad boundary" in ec2.get_console_output(InstanceId=number)["Output"]
