"""Types, families, categories and zones that nothing has."""

import pytest

from builders.manifests import a_pool_text, a_provisioner_text, a_requirement, codes_of, the_finding
from nodewright.catalog.table import bundled_table

TYPE = "node.kubernetes.io/instance-type"
FAMILY = "karpenter.k8s.aws/instance-family"
CATEGORY = "karpenter.k8s.aws/instance-category"
ZONE = "topology.kubernetes.io/zone"
NEW = a_requirement("karpenter.k8s.aws/instance-generation", "4", operator="Gt")


def test_categories_in_the_place_of_types_get_the_right_key():
    pool = a_provisioner_text(requirements=[a_requirement(TYPE, "c", "t", "m")])
    finding = the_finding("NW-3026", pool)

    assert finding.edits[0].value == CATEGORY
    assert finding.path == ("spec", "requirements", 0, "key")


def test_families_in_the_place_of_types_get_the_right_key():
    finding = the_finding("NW-3026", a_pool_text(requirements=[a_requirement(TYPE, "m5", "c6g")]))

    assert finding.edits[0].value == FAMILY


def test_an_unknown_type_is_answered_with_its_neighbour():
    finding = the_finding(
        "NW-2103", a_pool_text(requirements=[a_requirement(TYPE, "m5.large", "m5.lrge")])
    )

    assert (finding.help, finding.path[-1]) == ("did you mean m5.large?", 1)


def test_a_type_that_the_region_does_not_sell_is_a_warning():
    table = bundled_table()
    sold = {table.shapes[number].name for number in table.sheet("eu-west-3").types}
    foreign = min(set(table.shapes_by_name) - sold)
    pool = a_pool_text(requirements=[a_requirement(TYPE, "m5.large", foreign)])

    assert the_finding("NW-2103", pool, region="eu-west-3").severity == "warning"


@pytest.mark.parametrize(
    ("requirement", "code"),
    [
        (a_requirement(FAMILY, "m7h", "m7g"), "NW-2104"),
        (a_requirement(CATEGORY, "c", "q"), "NW-2105"),
        (a_requirement(ZONE, "eu-west-1", "eu-west-1a"), "NW-2106"),
        (a_requirement(ZONE, "eu-west-1a", "eu-west-1x"), "NW-2106"),
        (a_requirement(TYPE, "c1.medium"), "NW-3041"),
    ],
)
def test_a_name_that_nothing_has_is_found(requirement, code):
    assert codes_of(a_pool_text(requirements=[requirement, NEW]))[:1] == [code]


@pytest.mark.parametrize(
    "requirement",
    [
        a_requirement(TYPE, "m5.large", "c7g.2xlarge"),
        a_requirement(FAMILY, "m7g", "c7i-flex"),
        a_requirement(CATEGORY, "c", "m", "r"),
        a_requirement(ZONE, "eu-west-1a", "eu-west-1b"),
        a_requirement(ZONE, "us-west-2-lax-1a", "us-west-2a"),
        a_requirement("team", "anything", "at-all"),
    ],
)
def test_names_that_exist_are_fine(requirement):
    assert codes_of(a_pool_text(requirements=[requirement, NEW])) == []


def test_another_region_has_other_zones():
    pool = a_pool_text(requirements=[a_requirement(ZONE, "eu-west-1a"), NEW])

    assert "NW-2106" in codes_of(pool, region="us-east-1")
