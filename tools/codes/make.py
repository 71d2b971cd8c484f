"""Write a page for every scheduling verdict into the documentation, from the table of words.

$ .venv/bin/python tools/codes/make.py
"""

from pathlib import Path

from nodewright.app.codes import code_documents

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "codes"


def main() -> None:
    """Write every page and take away those of codes that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    documents = code_documents()
    for old in FOLDER.glob("*.md"):
        if old.name not in documents:
            old.unlink()
    for name, text in documents.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
