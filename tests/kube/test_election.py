"""Who leads is decided by what was seen and for how long, never by written times."""

import pytest

from nodewright.kube.election import Lease, LeaseSpec, Step, Terms, choose, find_rival, look
from nodewright.model.metadata import ObjectMeta

US = Terms("us", "nodewright")


def a_lease(holder, namespace="nodewright", version="1", **spec):
    meta = ObjectMeta(name=US.name, namespace=namespace, resource_version=version)
    return Lease(meta, LeaseSpec(holder_identity=holder, **spec))


def after(*turns):
    """Look at leases at several moments; give the last sight."""
    sight = {}
    for ticks_ms, leases in turns:
        sight = look(sight, leases, ticks_ms)
    return sight


def test_a_lease_that_is_not_there_is_made():
    assert choose({}, US, 0) is Step.CREATE


def test_our_own_lease_is_renewed():
    assert choose(after((0, (a_lease("us"),))), US, 60_000) is Step.RENEW


def test_a_released_lease_is_taken_at_once():
    assert choose(after((0, (a_lease(""),))), US, 0) is Step.TAKE


@pytest.mark.parametrize(("waited_ms", "wanted"), [(14_999, Step.WAIT), (15_000, Step.TAKE)])
def test_another_holder_is_waited_for_as_long_as_a_lease_lasts(waited_ms, wanted):
    lease = a_lease("other", lease_duration_seconds=15)
    sight = after((100, (lease,)), (9_000, (lease,)))

    assert choose(sight, US, 100 + waited_ms) is wanted


def test_a_renewal_starts_the_wait_anew():
    sight = after((0, (a_lease("other"),)), (14_000, (a_lease("other", version="2"),)))

    assert choose(sight, US, 20_000) is Step.WAIT


@pytest.mark.parametrize("written", ["1999-01-01T00:00:00Z", "2999-01-01T00:00:00Z", None])
def test_written_times_count_for_nothing(written):
    lease = a_lease("other", renew_time=written)

    assert choose(after((0, (lease,))), US, 1_000) is Step.WAIT
    assert choose(after((0, (lease,))), US, 15_000) is Step.TAKE


def test_a_lease_that_lasts_longer_than_ours_is_waited_for_longer():
    lease = a_lease("other", lease_duration_seconds=60)

    assert choose(after((0, (lease,))), US, 59_000) is Step.WAIT
    assert choose(after((0, (lease,))), US, 60_000) is Step.TAKE


def test_a_rival_elsewhere_keeps_us_out_and_makes_us_step_down():
    rival = a_lease("karpenter-1", namespace="kube-system")
    ours = after((0, (a_lease("us"), rival)))
    nobodys = after((0, (rival,)))

    assert choose(ours, US, 1_000) is Step.STEP_DOWN
    assert choose(nobodys, US, 1_000) is Step.WAIT
    assert find_rival(ours, US, 1_000).holder == "karpenter-1"


def test_a_rival_that_renews_nothing_is_dead_after_a_while():
    rival = a_lease("karpenter-1", namespace="kube-system")

    assert choose(after((0, (rival,))), US, 15_000) is Step.CREATE


def test_a_released_lease_elsewhere_is_no_rival():
    assert find_rival(after((0, (a_lease("", namespace="kube-system"),))), US, 0) is None
