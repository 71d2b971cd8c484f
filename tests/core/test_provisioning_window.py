"""The batch window: who opens it, who keeps it open, and when it closes."""

from nodewright.core.provisioning_window import AGAIN_MS, Window, WindowSettings

SETTINGS = WindowSettings(idle_ms=1_000, most_ms=10_000)


def due(window):
    return window.due_ms(SETTINGS)


def test_nobody_waiting_opens_nothing():
    assert due(Window().see([], 0)) is None


def test_the_first_pod_opens_it_and_a_new_one_keeps_it_open():
    window = Window().see(["a"], 0)

    assert due(window) == 1_000
    assert due(window.see(["a", "b"], 900)) == 1_900


def test_the_same_pod_again_does_not_keep_it_open():
    assert due(Window().see(["a"], 0).see(["a"], 900)) == 1_000


def test_a_look_that_comes_late_does_not_make_it_longer():
    window = Window().see(["a"], 400, came_ms=100)

    assert due(window) == 1_100
    assert due(window.see(["a", "b"], 900, came_ms=500)) == 1_500


def test_it_closes_at_its_limit_however_many_come():
    window = Window()
    for second in range(12):
        window = window.see([f"pod-{number}" for number in range(second + 1)], second * 1_000)

    assert due(window) == 10_000


def test_a_pod_that_still_waits_after_a_while_opens_the_next():
    closed = Window().see(["a"], 0).close(1_000)

    assert due(closed.see(["a"], 1_000 + AGAIN_MS - 1)) is None
    assert due(closed.see(["a"], 1_000 + AGAIN_MS)) == 1_000 + AGAIN_MS + 1_000


def test_a_pod_whose_claim_failed_does_not_wait_for_its_turn():
    closed = Window().see(["a", "b"], 0).close(1_000)

    assert due(closed.forget({"a"}).see(["a", "b"], 2_000)) == 3_000


def test_a_pod_that_went_and_came_back_is_new():
    closed = Window().see(["a"], 0).close(1_000).see([], 2_000)

    assert due(closed.see(["a"], 3_000)) == 4_000
