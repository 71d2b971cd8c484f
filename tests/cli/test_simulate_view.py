from forecast.test_page import a_forecast
from nodewright.cli.simulate_view import forecast_table


def test_policies_stand_side_by_side_with_their_intervals():
    table = forecast_table(a_forecast())
    rows = {row[0]: row[1:] for row in table.rows}

    assert [column.title for column in table.columns] == ["OVER ALL", "ours", "a<b"]
    assert rows["cost"] == ("$11.00 ± $12.71", "$12.25 ± $15.88")
    assert rows["pods wait, p95"] == ("90.0 s", "90.0 s")
    assert table.notes[-1] == "a<b costs 11.4% more than ours, which may be chance"
