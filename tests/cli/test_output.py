"""One value, four looks; the result alone on standard output."""

import json

import msgspec
import pytest
import yaml

from nodewright.cli.output import Cell, Column, Table, emit, say


class Found(msgspec.Struct, frozen=True):
    name: str
    count: int


VALUE = [Found("ä-node", 2), Found("b", 10)]
TABLE = Table(
    columns=(Column("NAME"), Column("COUNT", right=True)),
    rows=(("ä-node", "2"), (Cell("b", "green"), "10")),
    notes=("2 found [all]",),
)


def shown(output, capsys):
    emit(VALUE, output, lambda: TABLE)
    return capsys.readouterr().out


def test_json_and_yaml_hold_the_whole_value(capsys):
    plain = [{"name": "ä-node", "count": 2}, {"name": "b", "count": 10}]

    assert json.loads(shown("json", capsys)) == plain
    assert yaml.safe_load(shown("yaml", capsys)) == plain


def test_csv_has_the_columns_of_the_table(capsys):
    assert shown("csv", capsys) == "name,count\nä-node,2\nb,10\n"


def test_a_piped_table_is_plain_aligned_text(capsys):
    lines = shown("table", capsys).splitlines()

    assert [line.rstrip() for line in lines] == [
        "NAME    COUNT",
        "ä-node      2",
        "b          10",
        "2 found [all]",
    ]


def test_a_piped_table_is_never_cut(capsys):
    wide = Table(columns=(Column("A"), Column("B")), rows=(("x" * 300, "end"),))
    emit(None, "table", lambda: wide)

    assert "x" * 300 + "  end" in capsys.readouterr().out.replace("   ", "  ")


@pytest.mark.parametrize("output", ["json", "yaml"])
def test_the_table_is_not_built_for_programs(output, capsys):
    def refuse():
        raise AssertionError

    emit(VALUE, output, refuse)


def test_a_sentence_for_a_person_stays_off_standard_output(capsys):
    say("wait")

    assert capsys.readouterr() == ("", "wait\n")
