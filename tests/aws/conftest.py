"""A stand-in for a module of tests: one process can hold one at a time."""

import pytest

from builders.awsclients import a_gateway
from builders.standin import Standin
from nodewright.sandbox.aws.account import Account, Timing
from nodewright.sandbox.aws.server import Server


@pytest.fixture(scope="module")
def standin():
    """A stand-in in which nothing takes time."""
    with Server(Account(timing=Timing(0, 0, 0))) as server:
        yield Standin(server)


@pytest.fixture
def gateway(standin):
    """The adapter's door to it, as the account's root."""
    made = a_gateway(standin)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def no_faults(request):
    """Leave no fault and no call behind."""
    yield
    if "standin" in request.fixturenames:
        account = request.getfixturevalue("standin").account
        account.faults.clear()
        account.calls.clear()
