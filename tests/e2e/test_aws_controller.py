"""The controller on EC2: a real control plane, an account that enforces policies, and only our own."""

import pytest

from e2e.aws_controller_rig import (
    ALIVE,
    Installed,
    a_load,
    an_ec2_class,
    an_ec2_pool,
    tags_of,
)
from e2e.aws_rig import an_account
from e2e.controller_rig import count_running

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def installed(programs, tmp_path_factory):
    """A cluster on which the controller runs, for all scenes of this file."""
    with an_account(programs, "eksctl", "controller") as account:
        yield Installed(account, tmp_path_factory.mktemp("controller"))


@pytest.fixture(scope="module")
def replica(installed):
    """The controller, for all scenes of this file."""
    started = installed.replica().start()
    yield started
    started.stop()


def running(installed, name):
    return count_running(installed.account, "default", name)


def claims_of(installed, pool):
    return installed.account.get("nodeclaims", "-l", f"karpenter.sh/nodepool={pool}")["items"]


def machines_of(installed, pool, *states):
    found = installed.instances(*states)
    return [one for one in found if tags_of(one).get("karpenter.sh/nodepool") == pool]


def clear(installed, *things):
    """Take the load away, then what made its nodes, and wait until nothing is left."""
    installed.account.kubectl("delete", *things, "--wait=false")


def test_pods_get_nodes_and_what_was_made_for_them_goes_with_them(installed, replica):
    account = installed.account
    account.create(an_ec2_class(installed), an_ec2_pool(), a_load("default", 6))
    account.wait_for("the pods run", lambda: running(installed, "default") == 6)
    nodes = installed.nodes()
    machines = machines_of(installed, "default", *ALIVE)
    made = installed.templates()
    account.kubectl("delete", "deployment", "default")
    account.wait_for("machines are gone", lambda: not machines_of(installed, "default", *ALIVE))
    account.wait_for("claims are gone", lambda: not claims_of(installed, "default"))
    account.kubectl("delete", "nodepool,ec2nodeclass", "default", "--timeout=60s")

    assert len(machines) == len(nodes) >= 1
    assert made
    assert installed.templates() == []
    assert installed.profiles() == []
    assert installed.refusals() == []
    assert replica.complaints() == []
