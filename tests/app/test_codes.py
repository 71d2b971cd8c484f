"""Every code has a page, and the documentation's pages are those of the table."""

import re

import pytest

from nodewright.app.codes import code_documents, find_page
from nodewright.doctor.codes import PAGES as EXAMINING
from nodewright.install.codes import PAGES
from nodewright.model.keeping import Keeping
from nodewright.model.reason import Reason
from tidy import tree

FOLDER = tree.ROOT / "docs" / "reference" / "codes"


@pytest.mark.parametrize("reason", [*Reason, *Keeping])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_reason_has_a_page(reason, language):
    page = find_page(reason.code, language)

    assert page.title
    assert page.why.endswith(".")
    assert page.what.endswith(".")


@pytest.mark.parametrize("reason", [*Reason, *Keeping])
def test_a_reason_and_its_page_have_the_same_name(reason):
    assert find_page(reason.code).title == reason.sentence


def test_findings_of_lint_have_pages_too():
    assert find_page("NW-2101").title == "unknown field"
    assert find_page("NW-0000") is None


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_refusal_of_an_installation_has_a_page(language):
    room = tree.ROOT / "src" / "nodewright"
    files = [*(room / "install").rglob("*.py"), *(room / "cli").glob("*install*.py")]
    text = "".join(path.read_text("utf-8") for path in files if path.name != "codes.py")
    raised = set(
        re.findall(r"NW-97\d\d", text + (room / "app" / "installing.py").read_text("utf-8"))
    )

    assert raised == set(PAGES)
    for code in raised:
        page = find_page(code, language)
        assert page.why.endswith(".")
        assert page.what.endswith(".")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_refusal_of_doctor_has_a_page_of_its_own(language):
    room = tree.ROOT / "src" / "nodewright"
    files = [*(room / "doctor").rglob("*.py"), room / "app" / "doctoring.py"]
    text = "".join(path.read_text("utf-8") for path in files if path.name != "codes.py")
    raised = set(re.findall(r"NW-97\d\d", text))

    assert raised == set(EXAMINING)
    assert raised.isdisjoint(PAGES)
    for code in raised:
        assert find_page(code, language).what.endswith(".")


def test_the_documentation_is_up_to_date():
    """If this fails: .venv/bin/python tools/reference/make.py."""
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}

    assert written == code_documents()


def test_checks_of_doctor_have_pages_in_both_languages():
    assert find_page("NW-3026").title == "a category or family in the place of an instance type"
    assert "instance-category" in find_page("NW-3026").what
    assert find_page("NW-3025").title == "node roles are let into the cluster"
    assert find_page("NW-3025", "ko").title == "노드 역할이 클러스터에 등록되어 있음"
