"""Write a page for every command into the documentation: `.venv/bin/python tools/commands/make.py`."""

from pathlib import Path

from nodewright.cli.reference import command_documents

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "commands"


def main() -> None:
    """Write every page and take away those of commands that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    documents = command_documents()
    for old in FOLDER.glob("*.md"):
        if old.name not in documents:
            old.unlink()
    for name, text in documents.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
