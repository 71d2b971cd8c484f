"""Waits grow, are jittered, and have an end."""

from hypothesis import given
from hypothesis import strategies as st

from nodewright.kube.backoff import Backoff
from nodewright.kube.machine import MachineRandom


@given(st.integers(0, 1000), st.integers(1, 1000), st.integers(0, 30))
def test_every_wait_lies_between_half_and_the_whole_of_its_step(seed, first_ms, failures):
    backoff = Backoff(MachineRandom(seed), first_ms, 60_000)
    for _ in range(failures):
        backoff.next_ms()
    step_ms = min(60_000, first_ms * 2 ** min(failures, 10))

    assert step_ms // 2 <= backoff.next_ms() <= step_ms


def test_what_the_server_asks_for_is_the_least():
    backoff = Backoff(MachineRandom(1), 100, 1000)

    assert backoff.next_ms(at_least_ms=5_000) == 5_000


def test_success_starts_again_with_the_first_wait():
    backoff = Backoff(MachineRandom(1), 100, 10_000)
    for _ in range(6):
        backoff.next_ms()
    backoff.reset()

    assert backoff.next_ms() <= 100
