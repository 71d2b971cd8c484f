"""Images that a version has left behind."""

import pytest

from builders.manifests import a_class_text, a_template_text, a_workload_text, codes_of, the_finding

AL2 = a_class_text(amiSelectorTerms=[{"alias": "al2@latest"}])


def test_al2_ends_with_1_32():
    assert "NW-3058" in codes_of(AL2, kubernetes=33)
    assert codes_of(AL2, kubernetes=32) == []
    assert codes_of(AL2) == []


def test_the_alias_moves_where_nothing_else_speaks_of_al2():
    assert the_finding("NW-3058", AL2, kubernetes=34).edits[0].value == "al2023@latest"


def test_user_data_of_al2_must_be_rewritten_by_hand():
    text = a_class_text(amiSelectorTerms=[{"alias": "al2@latest"}], userData="echo hi")

    assert the_finding("NW-3058", text, kubernetes=34).edits == ()


def test_al2_was_the_default_of_old_templates():
    assert "NW-3058" in codes_of(a_template_text(), kubernetes=34)
    assert "NW-3058" not in codes_of(a_template_text(amiFamily="Bottlerocket"), kubernetes=34)


def test_windows_2025_begins_with_1_35():
    text = a_class_text(amiSelectorTerms=[{"alias": "windows2025@latest"}])

    assert "NW-3058" in codes_of(text, kubernetes=34)
    assert codes_of(text, kubernetes=35) == []


@pytest.mark.parametrize(("hops", "codes"), [(1, ["NW-3058"]), (None, ["NW-3058"]), (2, [])])
def test_a_hop_limit_of_one_shuts_the_load_balancer_controller_out(hops, codes):
    options = {"metadataOptions": {"httpPutResponseHopLimit": hops}} if hops else {}
    controller = a_workload_text(name="aws-load-balancer-controller")

    assert codes_of(a_class_text(**options), controller) == codes


def test_a_controller_that_knows_its_vpc_needs_no_metadata():
    container = {"name": "c", "args": ["--aws-vpc-id=vpc-1"]}
    controller = a_workload_text(name="aws-load-balancer-controller", containers=[container])

    assert codes_of(a_class_text(), controller) == []
