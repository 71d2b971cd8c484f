from msgspec.structs import replace

from nodewright.forecast.measured import Measured
from nodewright.forecast.setup import Setup, default_objects, types_on_sale
from nodewright.forecast.tuning import Limits, choose, diff_pools, judge, turn_all


def runs(*costs, wait=300, evicted=10):
    return [
        Measured("p", seed, 86_400_000, cost, waits={wait: 1}, evicted=evicted)
        for seed, cost in enumerate(costs)
    ]


NO_LIMITS = Limits()
NOW = runs(10.0, 11.0, 12.0)


def tried(value, *costs, limits=NO_LIMITS, **more):
    return judge(("knob", value), runs(*costs, **more), NOW, limits)


def test_a_setting_is_taken_where_it_is_surely_cheaper():
    base = tried("now", 10.0, 11.0, 12.0)
    sure = tried("sure", 9.0, 10.0, 11.1)
    lucky = tried("lucky", 2.0, 11.0, 12.0)

    assert sure.saving.mean > sure.saving.half > 0
    assert choose([sure, lucky], base) is sure
    assert choose([lucky], base) is None


def test_limits_hold_and_come_before_cost():
    limits = Limits(wait_p95_s=60.0, moves_per_day=50.0)
    slow = tried("slow", 5.0, 6.0, 7.0, wait=900, limits=limits)
    restless = tried("restless", 5.0, 6.0, 7.0, evicted=60, limits=limits)
    dear = tried("dear", 15.0, 16.0, 17.0, limits=limits)

    assert not slow.keeps_limits
    assert not restless.keeps_limits
    assert choose([slow, restless], dear) is None
    assert choose([dear, slow], replace(slow, value="now")) is dear


def test_every_knob_changes_pools_that_can_still_be_had():
    before = default_objects()
    made = [change(before) for _, settings in turn_all() for change in settings.values()]

    assert all(types_on_sale(Setup(objects)) for objects in made)
    assert len(types_on_sale(Setup(made[-1]))) > len(types_on_sale(Setup(before)))


def test_what_changes_is_shown_as_a_diff():
    before = default_objects()
    (name, settings), *_ = turn_all()

    text = diff_pools(before, settings["5m"](before))

    assert name == "consolidateAfter"
    assert "--- nodepool/default" in text
    assert "+    consolidateAfter: 5m" in text
    assert diff_pools(before, before) == ""
