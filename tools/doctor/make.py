"""Write a page for every check of doctor into the documentation.

$ .venv/bin/python tools/doctor/make.py
"""

from pathlib import Path

from nodewright.doctor.docs import doctor_documents

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "doctor"


def main() -> None:
    """Write every page and take away those of checks that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    documents = doctor_documents()
    for old in FOLDER.glob("*.md"):
        if old.name not in documents:
            old.unlink()
    for name, text in documents.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
