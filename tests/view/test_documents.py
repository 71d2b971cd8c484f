"""Documents write money in dollars, times as RFC 3339 and amounts as quantities."""

import msgspec

from nodewright.model.instance import NANO
from nodewright.view.documents import write_value
from nodewright.view.values import (
    Amount,
    LimitRow,
    MoneyView,
    Next,
    NodeRow,
    Origin,
    PodRow,
    PoolRow,
    Verb,
    View,
)


def test_a_row_is_written_by_the_endings_of_its_fields():
    row = NodeRow(
        "n",
        cpu=Amount(1500, 4000),
        memory=Amount(0, 1024**3 * 1000, 0),
        price_nanousd_hour=NANO // 8,
        made_ms=0,
        next=Next(Verb.KEEP, "NW-4202", until_ms=1),
    )
    written = write_value(row)

    assert written["cpu"] == {"requested": "1500m", "allocatable": "4", "used": None}
    assert written["memory"] == {"requested": "0", "allocatable": "1Gi", "used": "0"}
    assert written["pricePerHour"] == 0.125
    assert written["idlePerHour"] is None
    assert written["made"] == "1970-01-01T00:00:00.000Z"
    assert written["next"]["verb"] == "keep"
    assert written["next"]["until"] == "1970-01-01T00:00:00.001Z"


def test_limits_and_pods_are_in_the_units_of_their_resource():
    pool = write_value(PoolRow("p", limits=(LimitRow("memory", 1024**3 * 1000, 0),)))

    assert pool["limits"] == [{"resource": "memory", "limit": "1Gi", "used": "0"}]
    assert write_value(PodRow("a/b", cpu=250, cpu_used=None))["cpu"] == "250m"
    assert write_value(PodRow("a/b"))["cpuUsed"] is None
    assert write_value(MoneyView(saved_today_nanousd=NANO))["savedToday"] == 1.0


def test_a_whole_view_is_json():
    view = View(0, Origin("snapshot"), nodes=(NodeRow("n"),))

    assert msgspec.json.decode(msgspec.json.encode(write_value(view)))["nodes"][0]["name"] == "n"
