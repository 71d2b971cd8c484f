"""`nodewright doctor` on a ready-made account, with a table for a cluster."""

import copy
import json
from contextlib import asynccontextmanager

import pytest

from builders.awsclients import a_gateway
from builders.installs import a_site
from nodewright.app import doctoring
from nodewright.cli.main import run
from nodewright.doctor.calls import TABLE
from nodewright.install.asking import Asking
from nodewright.sandbox.aws.faults import Switch

POOL = "/apis/karpenter.sh/v1/nodepools/default"


@pytest.fixture(scope="module")
def site():
    with a_site("karpenter-v1") as made:
        yield made


@pytest.fixture(autouse=True)
def cluster(site, monkeypatch):
    """Let the command find the account and the table."""

    @asynccontextmanager
    async def opened(_self):
        gateway = a_gateway(site.standin, ("test", "test"))
        asking = Asking(gateway, TABLE)
        try:
            yield doctoring.Site(asking, site.table, gateway._clock, "us-west-2", "shop")
        finally:
            gateway.close()

    monkeypatch.setattr(doctoring.Doctor, "open", opened)


def test_a_finding_is_shown_with_its_facts_and_its_fix(capsys):
    assert run(["doctor", "pools"]) == 1

    said = capsys.readouterr().out
    assert "i NW-3028" in said
    assert "nodewright doctor --fix NW-3028" in said
    assert "areas: node pools !" in said


def test_json_is_in_english_whatever_the_locale_and_korean_when_asked(capsys, monkeypatch):
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")

    assert run(["doctor", "NW-3028", "-o", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["findings"][0]["code"] == "NW-3028"
    assert "no generation is required" in document["findings"][0]["message"]

    run(["doctor", "NW-3028"])
    assert "세대 하한이 없어" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("form", "word"), [("markdown", "# Nodewright doctor: shop"), ("html", "<h1>")]
)
def test_a_report_is_written_for_tickets(form, word, capsys):
    assert run(["doctor", "NW-3028", "-o", form]) == 1

    assert word in capsys.readouterr().out


def test_what_is_not_allowed_is_unknown_and_a_run_that_saw_nothing_has_failed(site, capsys):
    site.standin.account.faults.set("eks.ListAccessEntries", Switch("deny"))
    try:
        assert run(["doctor", "NW-3025"]) == 2
    finally:
        site.standin.account.faults.clear()

    assert "? NW-3025" in capsys.readouterr().out


def test_a_reason_is_said_once_for_all_checks_that_it_keeps_from_an_answer(site, capsys):
    site.standin.account.faults.set("eks.DescribeCluster", Switch("deny"))
    try:
        assert run(["doctor", "NW-3013", "NW-3015", "NW-3025"]) == 2
    finally:
        site.standin.account.faults.clear()

    said = capsys.readouterr().out
    assert said.count("you may not do eks:DescribeCluster") == 1
    assert "NW-3015, NW-3025" in " ".join(said.split())


def test_nothing_is_changed_where_nobody_can_be_asked(site, capsys):
    before = site.state()

    assert run(["doctor", "--fix", "NW-3028"]) == 1

    assert site.state() == before
    assert "--yes applies the plan" in capsys.readouterr().err


def test_a_fix_is_planned_applied_checked_again_and_told_with_its_way_back(site, capsys):
    before = site.table.objects[POOL]
    try:
        assert run(["doctor", "--fix", "NW-3028", "--yes"]) == 0
        assert run(["doctor", "--fix", "NW-3028", "--yes"]) == 0
    finally:
        site.table.objects[POOL] = before

    said = capsys.readouterr()
    assert "~ nodepool  default" in said.out
    assert "nothing is wrong" in said.out
    assert said.err.count("undo: kubectl patch --type merge nodepools default") == 1


def test_two_faults_of_one_object_are_mended_by_two_plans_of_one_command(site, capsys):
    before = site.table.objects[POOL]
    broken = copy.deepcopy(before)
    requirements = broken["spec"]["template"]["spec"]["requirements"]
    requirements.append({"key": "efa", "operator": "In", "values": ["true"]})
    site.table.objects[POOL] = broken
    try:
        assert run(["doctor", "--fix", "pools", "--yes"]) == 0
    finally:
        site.table.objects[POOL] = before

    said = capsys.readouterr()
    assert "NW-3028 changes nodepool default, too: its plan comes next" in said.out
    assert "nothing is wrong" in said.out
    assert said.err.count("undo: kubectl patch --type merge nodepools default") == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["bananas"], "NW-9731"),
        (["node"], "NW-9001"),
        (["pod", "a", "b"], "NW-9001"),
        (["--watch", "-o", "html"], "NW-9001"),
        (["--cluster", "no such name"], "NW-9701"),
        (["node", "nobody"], "NW-9734"),
    ],
)
def test_bad_words_are_refused_with_one_sentence(words, code, capsys):
    assert run(["doctor", *words]) == 2

    assert f"error[{code}]" in capsys.readouterr().err
