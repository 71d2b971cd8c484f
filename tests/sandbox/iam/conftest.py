"""One stand-in for a module of tests, emptied before each of them."""

import pytest

from builders.callers import Cloud
from builders.controller_policies import ACCOUNT, REGION
from nodewright.sandbox.aws.account import Account, Timing
from nodewright.sandbox.aws.server import Server


@pytest.fixture(scope="module")
def server():
    with Server(Account(REGION, Timing(boot_ms=0))) as running:
        yield running


@pytest.fixture
def cloud(server):
    """Give the stand-in without what the test before has made: a new account takes seconds."""
    iam = server.account.inside.backend("iam", REGION)
    for shelf in (iam.users, iam.roles, iam.groups, iam.instance_profiles, iam.open_id_providers):
        shelf.clear()
    for arn in [arn for arn in iam.managed_policies if f":{ACCOUNT}:" in arn]:
        del iam.managed_policies[arn]
    ec2 = server.account.inside.backend("ec2", REGION)
    ec2.launch_templates.clear()
    ec2.launch_template_name_to_ids.clear()
    server.account.inside.backend("sqs", REGION).queues.clear()
    return Cloud(server)
