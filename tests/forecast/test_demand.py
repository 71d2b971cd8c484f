from forecast.small import MINUTE_MS, a_trace
from nodewright.forecast.demand import walk


def test_demand_follows_what_comes_and_goes():
    cpu = {}
    for at_ms, demand in walk(a_trace()):
        cpu[at_ms // MINUTE_MS] = demand.totals.get("cpu", 0) // 1000
    overhead = demand.overhead()

    assert cpu == {0: 4, 5: 10, 6: 11, 9: 5, 15: 4, 20: 2}
    assert overhead == {"cpu": 100}
