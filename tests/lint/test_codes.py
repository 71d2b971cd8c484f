"""The table of codes is whole: what rules yield is in it, and what is in it is yielded."""

import re
from pathlib import Path

import nodewright.lint
from nodewright.lint.codes import CODES
from nodewright.model.validation import Problem

ROOM = Path(nodewright.lint.__file__).parent
MODEL = ROOM.parent / "model"


def test_every_code_that_a_rule_names_is_in_the_table():
    named = {
        code
        for path in (ROOM / "rules").glob("*.py")
        for code in re.findall(r"NW-\d{4}", path.read_text())
    }

    assert named <= set(CODES)


def test_every_code_of_validation_is_in_the_table():
    named = {
        code
        for path in MODEL.glob("*.py")
        for code in re.findall(r"NW-[23]\d{3}", path.read_text())
    }

    assert named | {Problem((), "").code} <= set(CODES)


def test_every_code_of_the_table_is_used():
    used = "".join(
        path.read_text() for folder in (ROOM / "rules", MODEL) for path in folder.glob("*.py")
    )

    assert [code for code in CODES if code not in used] == []
