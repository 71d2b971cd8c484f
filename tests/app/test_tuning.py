import pytest

from nodewright.app.tuning import Wanted, tune
from nodewright.app.workloads import Source
from nodewright.forecast.setup import Setup, default_objects
from nodewright.forecast.tuning import Limits


@pytest.mark.soak
def test_tuning_tries_every_knob_and_says_what_it_comes_to(tmp_path):
    source = Source("cron-storms:0.05", days=0.02)
    wanted = Wanted(source, Setup(default_objects()), Limits(wait_p95_s=600.0), (1, 2), 2, tmp_path)

    found = tune(wanted)

    assert {one.knob for one in found.tried} >= {"now", "consolidateAfter", "budgets", "families"}
    assert found.keeps_limits
    assert bool(found.diff) == any(one.is_taken for one in found.tried)
    assert found == tune(wanted)
