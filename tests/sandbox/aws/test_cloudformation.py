"""Stacks that a doctor may look for."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of
from nodewright.sandbox.aws.cloudformation import add_stack


def test_a_stack_is_found_by_name_and_forgotten(standin):
    client = standin.client("cloudformation")
    add_stack(standin.account, "us-west-2", "eksctl-shop-cluster", {"who": "eksctl"})
    [told] = client.describe_stacks(StackName="eksctl-shop-cluster")["Stacks"]
    [listed] = client.list_stacks(StackStatusFilter=["CREATE_COMPLETE"])["StackSummaries"]
    client.delete_stack(StackName="eksctl-shop-cluster")
    with pytest.raises(ClientError) as raised:
        client.describe_stacks(StackName="eksctl-shop-cluster")

    assert told["StackStatus"] == "CREATE_COMPLETE"
    assert listed["StackName"] == "eksctl-shop-cluster"
    assert error_of(raised) == "ValidationError"


def test_making_a_stack_is_told_to_be_missing(standin):
    with pytest.raises(ClientError) as raised:
        standin.client("cloudformation").create_stack(StackName="x", TemplateBody="{}")

    assert error_of(raised) == "NotImplemented"
