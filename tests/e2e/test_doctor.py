"""Doctor on a real control plane and an account that enforces policies: each fault is found alone, and mended."""

import subprocess
import sys
import time

import pytest

from e2e import doctor_faults_aws, doctor_faults_kube
from e2e.aws_rig import an_account
from e2e.doctor_rig import Patient
from nodewright.doctor.look import CALLS_MAX
from nodewright.doctor.registry import all_checks

pytestmark = pytest.mark.e2e
FAULTS = [*doctor_faults_kube.FAULTS, *doctor_faults_aws.FAULTS]
TWO = ("NW-3017", "NW-3044")
PARTIAL_S = 30
SAMPLE = ("NW-3025", "NW-3048")
PARAMS = [
    pytest.param(one, id=one.title, marks=() if one.code in SAMPLE else pytest.mark.soak)
    for one in FAULTS
]


@pytest.fixture(scope="module")
def patient(programs):
    with an_account(programs, "karpenter-v1", "doctor") as account:
        found = Patient(account)
        found.make_healthy()
        yield found


def codes(report):
    return sorted({one.code for one in report.found})


def test_a_healthy_cluster_has_nothing_wrong_and_costs_few_calls(patient):
    report = patient.examine(later_min=60)

    assert codes(report) == []
    assert [(one.code, one.why.en) for one in report.unknown] == []
    assert len(report.passed) > 30
    assert patient.call_count <= CALLS_MAX


def test_every_check_has_a_fault_here_and_every_fix_is_tried():
    # Helm is no part of a cluster: that check has a test of its own.
    checks = [one for one in all_checks() if one.code != "NW-3039"]
    mended = {one.code for one in FAULTS if one.is_fixable}

    assert {one.code for one in FAULTS} == {one.code for one in checks}
    assert mended == {one.code for one in checks if one.is_fixable}


@pytest.mark.parametrize("fault", PARAMS)
def test_a_fault_is_found_alone_and_mended(patient, fault):
    fault.hurt(patient)
    try:
        report = patient.examine(later_min=fault.later_min)
        assert codes(report) == [fault.code]
        assert all(one.finding.commands for one in report.found)
        fixable = {one.finding.is_fixable for one in report.found}
        assert fixable == {fault.is_fixable}
        assert all(bool(one.finding.undo_commands) == fault.is_fixable for one in report.found)
        if fault.is_fixable:
            patient.mend(report)
            assert codes(patient.examine(later_min=fault.later_min)) == []
    finally:
        fault.heal(patient)


@pytest.mark.soak
def test_two_faults_at_once_are_two_findings(patient):
    first, second = (next(one for one in FAULTS if one.code == code) for code in TWO)
    first.hurt(patient)
    try:
        second.hurt(patient)
        assert codes(patient.examine()) == sorted(TWO)
    finally:
        second.heal(patient)
        first.heal(patient)


def test_what_may_not_be_seen_is_unknown_and_never_fine(patient):
    patient.strike("eks.ListAccessEntries", kind="deny")
    try:
        report = patient.examine("NW-3025", "NW-3028")
    finally:
        patient.calm()

    assert codes(report) == []
    assert [one.code for one in report.unknown] == ["NW-3025"]
    assert "eks:ListAccessEntries" in report.unknown[0].why.en
    assert [one.code for one in report.passed] == ["NW-3028"]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        ("ec2.*", {"kind": "throttle"}),
        ("ec2.*", {"kind": "slow", "delayMs": 60_000}),
        ("eks.*", {"kind": "slow", "delayMs": 60_000}),
        ("*", {"kind": "slow", "delayMs": 60_000}),
    ],
    ids=["throttled", "hanging", "no-name", "all"],
)
def test_a_throttled_or_hanging_service_leaves_the_rest_in_time(patient, calls, fault):
    patient.strike(calls, **fault)
    began = time.monotonic()
    try:
        report = patient.examine_in_time()
    finally:
        patient.calm()

    assert time.monotonic() - began < PARTIAL_S
    assert report.unknown
    assert report.cluster == patient.name
    assert "NW-3028" in {one.code for one in report.passed}


@pytest.mark.soak
def test_the_helm_of_this_machine_is_asked_for_its_version(patient, tmp_path):
    helm = tmp_path / "helm"
    helm.write_text("#!/bin/sh\necho v3.7.1\n")
    helm.chmod(0o755)

    assert codes(patient.examine("NW-3039", environment={"PATH": str(tmp_path)})) == ["NW-3039"]


def test_a_person_mends_by_one_command_and_is_told_the_way_back(patient):
    fault = next(one for one in FAULTS if one.code == "NW-3026")
    fault.hurt(patient)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "nodewright", "doctor", "--fix", "NW-3026", "--yes"],
            env=patient.account.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    finally:
        fault.heal(patient)

    assert done.returncode == 0, done.stderr
    assert "undo: kubectl patch --type merge nodepools default" in done.stderr
    assert "nothing is wrong" in done.stdout
