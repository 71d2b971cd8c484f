from nodewright.sim.faults import Fault, Faults
from nodewright.sim.ground import Ground


def wait(ground, milliseconds):
    ground.loop.run_until_complete(ground.loop.sleep_ms(milliseconds))


def test_a_fault_strikes_at_its_rate_and_in_its_time():
    ground = Ground(1)
    faults = Faults(ground, [Fault("api.error", rate=0.25, from_ms=1_000, until_ms=2_000)])

    def share():
        return sum(faults.happens("api.error") for _ in range(1_000)) / 1_000

    before = share()
    wait(ground, 1_500)
    during = share()
    wait(ground, 1_000)

    assert (before, share()) == (0, 0)
    assert 0.2 < during < 0.3


def test_a_fault_that_is_not_planned_never_strikes():
    assert not Faults(Ground(1)).happens("api.error")


def test_single_moments_are_kept():
    ground = Ground(1)
    faults = Faults(ground, [Fault("controller.kill", at_ms=(500, 100))])
    stream = faults.stream("controller.kill")
    first = faults.next_ms("controller.kill", stream)
    wait(ground, 200)
    second = faults.next_ms("controller.kill", stream)
    wait(ground, 400)

    start = ground.loop.now_ms() - 600
    assert (first, second) == (start + 100, start + 500)
    assert faults.next_ms("controller.kill", stream) is None


def test_the_end_of_trouble_is_known():
    ground = Ground(1)
    start = ground.loop.now_ms()
    ending = [Fault("api.error", rate=0.1, until_ms=50), Fault("controller.kill", at_ms=(70,))]

    assert Faults(ground, ending).end_ms() == start + 70
    assert Faults(ground, [Fault("api.error", rate=0.1)]).end_ms() is None
    assert Faults(ground).end_ms() is None


def test_what_strikes_is_written_down():
    ground = Ground(1)
    Faults(ground, [Fault("api.error", rate=1.0)]).happens("api.error", "patch x")

    (line,) = ground.history.lines
    assert (line.actor, line.verb, line.subject) == ("fault", "api.error", "patch x")
