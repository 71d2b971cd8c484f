"""The table file: what is written is read back, and a file that is no table is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.shapes import a_shape, a_sheet
from nodewright.catalog.table import (
    MAGIC,
    Source,
    bundled_table,
    open_table,
    read_table,
    write_table,
)
from nodewright.model.errors import UserError

SOURCE = Source("prices", "a package", "2026-01-02", "MIT")


def a_file():
    shapes = (a_shape(), a_shape("m5.xlarge", vcpu=4))
    return write_table((SOURCE,), shapes, [a_sheet(*shapes)])


def test_what_is_written_is_read_back():
    shapes = (a_shape(), a_shape("m5.xlarge", vcpu=4))
    table = read_table(a_file(), "here")
    assert table.shapes == shapes
    assert table.sources == (SOURCE,)
    assert table.regions == ("xx-test-1",)
    assert table.sheet("xx-test-1") == a_sheet(*shapes)


def test_the_same_facts_give_the_same_bytes():
    assert a_file() == a_file()


def test_an_unknown_region_is_refused_and_the_known_ones_are_named():
    with pytest.raises(UserError, match="no region 'mars-1'") as caught:
        bundled_table().sheet("mars-1")
    assert "eu-west-1" in caught.value.advice


@pytest.mark.parametrize("content", [b"", b"GIF89a", MAGIC, MAGIC + b"\x00\x00\x00\x05hello"])
def test_a_file_that_is_no_table_is_refused(content, tmp_path):
    path = tmp_path / "mine.table"
    path.write_bytes(content)
    with pytest.raises(UserError, match="not an instance catalog"):
        open_table(path)


@given(st.integers(len(MAGIC) + 4, len(a_file()) - 1))
def test_a_file_cut_short_is_refused_not_misread(length):
    with pytest.raises(UserError, match="not an instance catalog"):
        _read_all(read_table(a_file()[:length], "here"))


def _read_all(table):
    assert table.shapes
    return [table.sheet(region) for region in table.regions]


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        open_table(tmp_path / "none.table")


def test_every_bundled_sheet_is_whole():
    table = bundled_table()
    for region in table.regions:
        sheet = table.sheet(region)
        columns = (
            sheet.zone_masks,
            sheet.prices,
            sheet.price_sources,
            sheet.price_is_estimate,
        )
        assert {len(column) for column in columns} == {len(sheet.types)}
        assert all(0 < mask < 1 << len(sheet.zones) for mask in sheet.zone_masks)
        assert all(price == -1 or 0 < price < 2_000_000_000_000 for price in sheet.prices)
        names = [table.shapes[number].name for number in sheet.types]
        assert names == sorted(set(names))
        assert all(zone.startswith(region) for zone in sheet.zones)


def test_every_source_of_the_bundled_table_has_a_date_and_a_package():
    for source in bundled_table().sources:
        assert source.package
        assert source.date >= "2024-01-01"
