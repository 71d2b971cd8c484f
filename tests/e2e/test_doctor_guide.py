"""A cluster that was made by following an old guide word for word: doctor says what is dated about it.

The guide lies beside this repository, not in it: its manifests are applied as they stand.
"""

import pytest

from e2e.aws_rig import an_account
from e2e.doctor_rig import Patient
from e2e.test_standin_guides import FENCE, SEEDS, text_of
from nodewright.doctor.look import CALLS_MAX

SCENARIO = """\
title: A legacy Karpenter, installed by hand as a guide of its time says
region: ap-northeast-2
network: {zoneCount: 2}
clusters:
- name: shop
  authenticationMode: CONFIG_MAP
  scaler: karpenter-legacy
  nodeGroups:
  - {name: main, template: groups}
"""
# A zone without a subnet, categories for types, no generation, two terms for one, the flat policy; and what
# time has made of it: no queue yet, and images that are no longer made.
DATED = {"NW-3015", "NW-3021", "NW-3026", "NW-3028", "NW-3030", "NW-3032", "NW-3058"}
# The variable that nobody expanded: what its terms would find is not told beside it.
UNFILLED = {*DATED, "NW-3003"} - {"NW-3015"}

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.soak,
    pytest.mark.skipif(not SEEDS.is_dir(), reason="the guides are not at hand"),
]


def manifests_of(text):
    [found] = [
        one for one in FENCE.split(text) if one.strip().startswith("apiVersion: karpenter.sh")
    ]
    return found


@pytest.fixture(scope="module")
def patient(programs, tmp_path_factory):
    path = tmp_path_factory.mktemp("guide") / "scenario.yaml"
    path.write_text(SCENARIO)
    with an_account(programs, str(path), "guide") as account:
        yield Patient(account)


def test_a_guide_that_was_followed_word_for_word_gives_its_dated_parts(patient):
    patient.kubectl("apply", "-f", "-", stdin=manifests_of(text_of(4)).encode())

    found = [one.code for one in patient.examine().found]

    assert set(found) == UNFILLED
    assert found.count("NW-3003") == 1
    assert patient.call_count <= CALLS_MAX


def test_with_the_names_filled_in_the_rest_is_still_told(patient):
    text = manifests_of(text_of(4)).replace("${CLUSTER_NAME}", patient.name)
    patient.kubectl("apply", "-f", "-", stdin=text.encode())

    report = patient.examine()
    [zones] = [one.finding for one in report.found if one.code == "NW-3015"]

    assert {one.code for one in report.found} == DATED
    assert zones.objects == ("Provisioner/default", "AWSNodeTemplate/default")
    assert patient.call_count <= CALLS_MAX
