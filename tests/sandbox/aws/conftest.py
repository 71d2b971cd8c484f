"""A stand-in for a module of tests: one process can hold one at a time."""

import pytest

from builders.standin import Standin, a_network
from nodewright.sandbox.aws.account import Account, Timing
from nodewright.sandbox.aws.server import Server


@pytest.fixture(scope="module")
def standin():
    """A stand-in in which nothing takes time."""
    with Server(Account(timing=Timing(0, 0, 0))) as server:
        yield Standin(server)


@pytest.fixture(scope="module")
def network(standin):
    return a_network(standin)


@pytest.fixture
def ec2(standin):
    return standin.client("ec2")


@pytest.fixture(autouse=True)
def no_faults(request):
    """Leave no fault, no call and no machine behind."""
    yield
    if "standin" in request.fixturenames:
        account = request.getfixturevalue("standin").account
        account.faults.clear()
        account.calls.clear()
