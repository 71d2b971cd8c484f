"""The pages of the documentation are those of the checks."""

from nodewright.doctor.docs import doctor_documents
from tidy import tree

FOLDER = tree.ROOT / "docs" / "reference" / "doctor"


def test_the_documentation_is_up_to_date():
    """If this fails: .venv/bin/python tools/reference/make.py."""
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}

    assert written == doctor_documents()
