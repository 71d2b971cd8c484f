"""The documentation has a page of every kind, with every field of its definition."""

from nodewright.crds.definitions import CURRENT, KWOK, LEGACY
from nodewright.crds.reference import resource_documents
from tidy import tree

PAGES = resource_documents()


def test_the_documentation_is_up_to_date():
    """If this fails: .venv/bin/python tools/crds/make.py."""
    folder = tree.ROOT / "docs" / "reference" / "resources"

    assert {one.name: one.read_text(encoding="utf-8") for one in folder.glob("*.md")} == PAGES


def test_every_kind_is_listed():
    for one in (*CURRENT, *LEGACY, *KWOK):
        assert f"[`{one.kind.kind}`]({one.kind.kind.lower()}.md)" in PAGES["index.md"]


def test_a_field_says_what_it_is_and_what_may_stand_in_it():
    (row,) = [one for one in PAGES["nodepool.md"].splitlines() if "`spec.weight`" in one]

    assert "Pools of greater weight are tried first" in row
    assert "at least 1; at most 100" in row


def test_fields_of_lists_and_maps_have_their_path():
    assert "`spec.disruption.budgets[].nodes`" in PAGES["nodepool.md"]
    assert "`spec.template.spec.requirements[].operator`" in PAGES["nodepool.md"]


def test_no_field_is_without_an_explanation():
    for name, page in PAGES.items():
        for row in page.splitlines()[6:]:
            assert name == "index.md" or not row.endswith(("|  |", "| Required. |")), row
