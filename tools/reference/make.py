"""Write the pages of the documentation that are made from tables: codes, checks, commands.

$ .venv/bin/python tools/reference/make.py
"""

from pathlib import Path

from nodewright.app.codes import code_documents
from nodewright.cli.reference import command_documents
from nodewright.doctor.docs import doctor_documents

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
PAGES = {"codes": code_documents, "commands": command_documents, "doctor": doctor_documents}


def main() -> None:
    """Write every page and take away those of what is gone."""
    for name, make in PAGES.items():
        folder, documents = FOLDER / name, make()
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.md"):
            if old.name not in documents:
                old.unlink()
        for page, text in documents.items():
            (folder / page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
