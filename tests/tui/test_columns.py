"""Columns give way by rank, and are no wider than what stands in them."""

from nodewright.tui.columns import Cell, Column, bar, narrow, place

NAME = Column("NAME", lambda row, _: row, width=20, rank=0)
SIDE = Column("SIDE", lambda row, _: row, width=10, rank=2)
MORE = Column("MORE", lambda row, _: row, width=10, rank=1, wide_only=True)
REST = Column("REST", lambda row, _: row)


def placed(width, **rest):
    return [(one.column.title, one.width) for one in place((NAME, SIDE, MORE, REST), width, **rest)]


def test_what_does_not_fit_gives_way_and_the_rest_gets_what_is_left():
    assert placed(80) == [("NAME", 20), ("SIDE", 10), ("REST", 45)]
    assert placed(45) == [("NAME", 20), ("REST", 21)]


def test_more_columns_stand_only_where_they_were_asked_for():
    assert placed(80, is_wide=True) == [("NAME", 20), ("SIDE", 10), ("MORE", 10), ("REST", 34)]


def test_a_column_is_as_wide_as_its_cells_up_to_its_width():
    widths = [one.width for one in narrow((NAME, SIDE, REST), ["abcdef", "a" * 15], 0)]

    assert widths == [15, 10, 0]


def test_a_bar_says_its_number_and_nothing_is_no_bar():
    assert bar(0.83).whole == "▇▇▇▇▇▇▇▇░░  83"
    assert (bar(0.95).style, bar(0.7).style, bar(0.2).style) == ("green", "yellow", "red")
    assert bar(None) == Cell("·")
    assert bar(1.4).whole == "▇▇▇▇▇▇▇▇▇▇ 140"
