"""The documentation has a page of every command, with what its help says."""

from nodewright.cli.main import COMMANDS
from nodewright.cli.reference import command_documents
from tidy import tree

PAGES = command_documents()
VERBS = [one.name for one in COMMANDS if not one.name.startswith("-")]


def test_the_documentation_is_up_to_date():
    """If this fails: .venv/bin/python tools/reference/make.py."""
    folder = tree.ROOT / "docs" / "reference" / "commands"

    assert {one.name: one.read_text(encoding="utf-8") for one in folder.glob("*.md")} == PAGES


def test_every_command_has_its_page_with_examples():
    assert PAGES.keys() == {"index.md", *(f"{name}.md" for name in VERBS)}
    for name in VERBS:
        assert f"\n```console\n$ nodewright {name}" in PAGES[f"{name}.md"], name
        assert f"]({name}.md)" in PAGES["index.md"]


def test_blocks_are_closed():
    for page in PAGES.values():
        fences = [line for line in page.splitlines() if line.startswith("```")]
        assert fences[::2] == ["```console"] * (len(fences) // 2)
        assert fences[1::2] == ["```"] * (len(fences) // 2)
