"""Reports: the published shape is a promise, and every form says the same in both languages."""

import json

import msgspec
import pytest

from nodewright.doctor.finding import Finding, Mend, Text
from nodewright.doctor.mending import check_wanted, plan_mending, undo_lines
from nodewright.doctor.pages import as_html, as_markdown
from nodewright.doctor.report import Found, Passed, Report, Unknown, publish
from nodewright.install.steps import Merge, Step
from nodewright.model.errors import UserError

PATH = "/apis/karpenter.sh/v1/nodepools/default"
STEP = Step("~", "nodepool", "default", "", (Merge(PATH, {"spec": {"weight": 2}}),))
MENDED = Finding(
    ("NodePool/default",),
    Text("it is <wrong>", "잘못됨"),
    Text("a cause", "원인"),
    (Text("NodePool/default spec.weight: 1", "NodePool/default spec.weight: 1"),),
    (Mend(STEP, (Merge(PATH, {"spec": {"weight": 1}}),)),),
)
CHOSEN = Finding(
    ("Node/n",), Text("choose", "선택"), Text("c", "다"), advice=("kubectl get nodes",)
)
WHY = Text("It matters.", "중요합니다.")
REPORT = Report(
    "shop",
    (
        Found("NW-3001", "pools", "error", WHY, MENDED),
        Found("NW-3002", "nodes", "warning", WHY, CHOSEN),
    ),
    (Unknown("NW-3003", "queue", Text("not allowed", "허용되지 않음")),),
    (Passed("NW-3004", "chart", Text("fine", "정상")),),
)


def test_the_published_shape_is_a_promise():
    document = json.loads(msgspec.json.encode(publish(REPORT)))

    assert list(document) == ["findings", "unknown", "passed"]
    first = document["findings"][0]
    assert list(first) == [
        "code", "severity", "objects", "facts", "message", "cause", "fix", "fixable",
    ]  # fmt: skip
    assert first["fixable"] is True
    assert first["fix"] == [
        'kubectl patch --type merge nodepools default -p \'{"spec":{"weight":2}}\''
    ]
    assert document["findings"][1]["fix"] == ["kubectl get nodes"]
    assert document["unknown"] == [{"code": "NW-3003", "why": "not allowed"}]
    assert document["passed"] == ["NW-3004"]


def test_a_report_speaks_korean():
    assert publish(REPORT, "ko").findings[0].message == "잘못됨"
    assert "원인" in as_markdown(REPORT, "ko")


def test_a_page_of_html_takes_no_text_for_marks():
    page = as_html(REPORT)

    assert "it is &lt;wrong&gt;" in page
    assert "<wrong>" not in page
    assert page.count("<h2") == 4


def test_the_areas_show_their_gravest_finding():
    signs = {section: REPORT.sign(section) for section in REPORT.sections}

    assert signs == {"pools": "✗", "nodes": "!", "queue": "?", "chart": "✓"}


def test_a_plan_mends_what_has_one_answer_and_says_what_has_none():
    plan = plan_mending(REPORT, "111122223333", "us-west-2")

    assert plan.steps == (STEP,)
    assert plan.notes == ("NW-3002 has no single right answer; its commands are in the report",)
    assert undo_lines(REPORT, (STEP,)) == (
        'kubectl patch --type merge nodepools default -p \'{"spec":{"weight":1}}\'',
    )
    assert undo_lines(REPORT, ()) == ()


def test_a_code_without_one_answer_is_not_mended_by_name():
    check_wanted(REPORT, ("NW-3001",))
    with pytest.raises(UserError, match="NW-3002 has no single right answer"):
        check_wanted(REPORT, ("NW-3002",))


def test_a_second_patch_of_one_object_waits_for_the_next_run():
    other = Step("~", "nodepool", "default", "more", (Merge(PATH, {"spec": {"weight": 3}}),))
    second = Finding(("NodePool/default",), Text("b", "나"), Text("c", "다"), mends=(Mend(other),))
    report = Report("shop", (REPORT.found[0], Found("NW-3005", "pools", "error", WHY, second)))

    plan = plan_mending(report, "", "")

    assert plan.steps == (STEP,)
    assert plan.notes == ("NW-3005 changes nodepool default, too: its plan comes next",)
