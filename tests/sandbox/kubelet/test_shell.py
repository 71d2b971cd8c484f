"""Scripts are read as far as a boot needs them."""

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sandbox.kubelet.boot import BootError
from nodewright.sandbox.kubelet.shell import Command, read_commands


def words(script):
    return [command.words for command in read_commands(script)]


@given(st.lists(st.text(st.characters(exclude_characters="\r"), max_size=20), min_size=1))
def test_quoted_words_read_back(texts):
    line = "run " + " ".join(shlex.quote(text) for text in texts)

    assert words(f"#!/bin/bash\n{line}\n") == [("run", *texts)]


@given(st.text(max_size=200))
def test_no_script_breaks_the_reader(script):
    try:
        found = words(script)
    except BootError:
        return
    assert all(found)


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("a b; c && d || e | f", [("a", "b"), ("c",), ("d",), ("e",), ("f",)]),
        ("a \\\n  b", [("a", "b")]),
        ("NAME=x\nrun ${NAME}-1 \"$NAME\" '$NAME'", [("run", "x-1", "x", "$NAME")]),
        ("export A=1 B=2\nrun $A$B", [("run", "12")]),
        ("run $(date +%s) `id` z", [("run", "", "", "z")]),
        ("# nothing\nrun # and more", [("run",)]),
        ("cat <<EOF > f\nrun away\nEOF\nrun", [("cat", ">", "f"), ("run",)]),
        ("if true; then run; fi", [("true",), ("run",)]),
        ("for i in 1 2; do run; done", [("i", "in", "1", "2"), ("run",)]),
        ("sudo run\r\nthen run", [("run",), ("run",)]),
        ('run "a\\"b" a\\ b', [("run", 'a"b', "a b")]),
        ("run 'two\nlines'", [("run", "two\nlines")]),
    ],
)
def test_commands_are_cut_as_the_shell_cuts_them(script, wanted):
    assert words(script) == wanted


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ("echo 'open", "looking for matching `''"),
        ('echo "open', "looking for matching `\"'"),
        ("echo $(open", "looking for matching `)'"),
        ("if true; then run", "unexpected end of file"),
        ("run; fi", "unexpected token `fi'"),
    ],
)
def test_commands_before_a_mistake_have_run(mistake, said):
    reader = read_commands(f"first\n{mistake}")

    assert next(reader) == Command(("first",), 1)
    with pytest.raises(BootError, match=f"line 2: .*{re.escape(said)}"):
        list(reader)
