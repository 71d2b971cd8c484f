"""A node's state is one word, since when, and what it waits for."""

import pytest

from builders import a_managed_node, a_node, a_pod
from builders.lives import MINUTE_MS, a_claim, ago, with_conditions, with_meta, with_spec
from builders.world import NOW_MS
from nodewright.core.scheduling.hosts import Joined
from nodewright.view.nodes import Parts, State, is_slow, read_part, read_state

NODE, CLAIM = a_managed_node("n")
FRESH, _ = a_managed_node("fresh", initialized=False)


@pytest.mark.parametrize(
    ("one", "word", "detail"),
    [
        (Joined(None, a_claim()), "Created", "waits to be launched"),
        (Joined(None, a_claim(true=("Launched",))), "Launched", "waits to be registered"),
        (
            Joined(FRESH, a_claim(true=("Launched", "Registered"))),
            "Registered",
            "waits to be initialized",
        ),
        (Joined(NODE, CLAIM), "Ready", ""),
        (
            Joined(with_spec(NODE, unschedulable=True), CLAIM),
            "Cordoned",
            "no new pods are put on it",
        ),
        (Joined(with_conditions(NODE, Ready="Unknown"), CLAIM), "NotReady", "Ready"),
        (Joined(NODE, with_meta(CLAIM, deletion_timestamp=ago(1))), "Draining", "its pods leave"),
        (
            Joined(
                NODE, with_conditions(with_meta(CLAIM, deletion_timestamp=ago(1)), Drained="True")
            ),
            "Terminating",
            "its machine ends",
        ),
        (Joined(a_node("m", deleted=ago(1)), None), "Deleting", ""),
    ],
)
def test_every_moment_of_a_life_has_its_word(one, word, detail):
    state = read_state(one)

    assert (state.word, state.detail) == (word, detail)


def test_a_step_that_failed_is_a_fault_and_says_why():
    claim = with_conditions(a_claim(), Launched="False")
    state = read_state(Joined(None, claim))

    assert state.is_fault
    assert state.detail == "Launched"


def test_only_what_is_on_its_way_can_be_slow():
    long_ago = NOW_MS - 60 * MINUTE_MS

    assert is_slow(State("Launched", long_ago), NOW_MS)
    assert is_slow(State("Draining", long_ago), NOW_MS)
    assert not is_slow(State("Draining", NOW_MS), NOW_MS)
    assert not is_slow(State("Ready", long_ago), NOW_MS)
    assert not is_slow(State("Launched"), NOW_MS)


def test_pods_share_a_node_by_what_they_ask_for_and_amounts_that_cannot_be_read_count_for_nothing():
    half = a_pod("half", cpu="2", memory="8Gi", node=NODE)
    broken = a_pod("broken", cpu="many", node=NODE)
    part = read_part(Joined(NODE, CLAIM), [half, broken])

    assert (part.cpu, part.pods, part.pods_max) == (2000, 2, 110)
    assert part.share_out(1000) == {"default/half": 500}


def test_a_node_is_read_again_only_when_it_or_a_pod_is_another_object():
    parts, one, pod = Parts(), Joined(NODE, CLAIM), a_pod("p", node=NODE)
    first = parts.of("n", one, [pod])

    assert parts.of("n", Joined(NODE, CLAIM), [pod]) is first
    assert parts.of("n", one, [a_pod("p", node=NODE)]) is not first
    assert parts.of("n", one, []) is not first
