"""How a result looks: one value, shown as a table for people or as JSON, YAML or CSV for programs.

The result goes to standard output and nothing else does; `say` puts a sentence for a person on
standard error. A table keeps its natural width where nobody's screen limits it (a pipe, a file), and
colour, which only ever repeats a word, is left out there and under `NO_COLOR`.
"""

import csv
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from cyclopts import Parameter

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

type Format = Literal["table", "json", "yaml"]
type ListFormat = Literal["table", "json", "yaml", "csv"]

OutputOption = Annotated[
    Format, Parameter(name=["--output", "-o"], help="How to print the result.")
]
"""The `-o` of a command whose result is one thing."""

ListOutputOption = Annotated[
    ListFormat, Parameter(name=["--output", "-o"], help="How to print the result.")
]
"""The `-o` of a command whose result is a list."""

_WIDE: Final = 10_000


class Column(msgspec.Struct, frozen=True):
    """The head of a table's column; numbers stand to the right."""

    title: str
    right: bool = False


class Cell(msgspec.Struct, frozen=True):
    """A text with a colour that repeats what the text says."""

    text: str
    style: str = ""


type Row = Sequence[str | Cell]


class Table(msgspec.Struct, frozen=True):
    """What a person sees of a list: columns, rows, and lines that stand under them."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def emit(value: object, output: ListFormat, table: "Callable[[], Table | RenderableType]") -> None:
    """Print a result in the wanted format; the table is built only when it is asked for."""
    match output:
        case "json":
            sys.stdout.write(as_json(value))
        case "yaml":
            sys.stdout.write(as_yaml(value))
        case "csv":
            shown = table()
            assert isinstance(shown, Table), "only a list has rows to print as csv"
            write_csv(shown)
        case "table":
            shown = table()
            if isinstance(shown, Table):
                show_table(shown)
            else:
                # What is laid out fits; what does not is a command to be copied in one piece.
                screen().print(shown, crop=False)


def as_json(value: object) -> str:
    """Write a value as indented JSON, keys in the order of its fields."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def as_yaml(value: object) -> str:
    """Write a value as YAML, keys in the order of its fields."""
    import yaml

    plain = msgspec.to_builtins(value)
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text = yaml.dump(plain, Dumper=dumper, sort_keys=False, allow_unicode=True, width=_WIDE)
    return str(text)


def write_csv(table: Table) -> None:
    """Write a table's head and rows as comma-separated values."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(column.title.lower() for column in table.columns)
    writer.writerows([_text(cell) for cell in row] for row in table.rows)


def show_table(table: Table) -> None:
    """Show a table in aligned columns without frames, then its notes."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    console = screen()
    if not console.is_terminal:
        _write_aligned(table)
        return
    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        shown.add_column(column.title, justify="right" if column.right else "left")
    for row in table.rows:
        shown.add_row(*(Text(_text(cell), style=_style(cell)) for cell in row))
    console.print(shown)
    for note in table.notes:
        console.print(note, markup=False, highlight=False)


def _write_aligned(table: Table) -> None:
    """Write a table for a pipe or a file: thousands of rows, no colour, nothing to fit into."""
    from rich.cells import cell_len

    lines = [[column.title for column in table.columns]]
    lines += [[_text(cell) for cell in row] for row in table.rows]
    widths = [max(map(cell_len, cells)) for cells in zip(*lines, strict=True)]
    for line in lines if table.columns else ():
        padded = []
        for cell, width, column in zip(line, widths, table.columns, strict=True):
            room = " " * (width - cell_len(cell))
            padded.append(room + cell if column.right else cell + room)
        sys.stdout.write("  ".join(padded).rstrip() + "\n")
    sys.stdout.writelines(f"{note}\n" for note in table.notes)


def screen() -> "Console":
    """Give the console for results: the terminal's width, or no limit where there is none."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=_WIDE)
    return console


def say(sentence: str) -> None:
    """Tell a person something that is not part of the result."""
    print(sentence, file=sys.stderr)  # noqa: T201 - the one place that talks beside the result


def _text(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else cell.text


def _style(cell: str | Cell) -> str:
    return "" if isinstance(cell, str) else cell.style
