"""Doctor on a real control plane and an account that enforces policies: each fault is found alone, and mended."""

import pytest

from e2e import doctor_faults_aws, doctor_faults_kube
from e2e.aws_rig import an_account
from e2e.doctor_rig import Patient
from nodewright.doctor.look import CALLS_MAX

pytestmark = pytest.mark.e2e
FAULTS = [*doctor_faults_kube.FAULTS, *getattr(doctor_faults_aws, "FAULTS", [])]
SAMPLE = ("NW-3017", "NW-3025", "NW-3048")
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


@pytest.mark.parametrize("fault", PARAMS)
def test_a_fault_is_found_alone_and_mended(patient, fault):
    fault.hurt(patient)
    try:
        report = patient.examine(later_min=fault.later_min)
        assert codes(report) == [fault.code]
        assert all(one.finding.commands for one in report.found)
        fixable = {one.finding.is_fixable for one in report.found}
        assert fixable == {fault.is_fixable}
        if fault.is_fixable:
            patient.mend(report)
            assert codes(patient.examine(later_min=fault.later_min)) == []
    finally:
        fault.heal(patient)
