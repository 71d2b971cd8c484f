"""Two owned groups on one node."""

import pytest

from builders.manifests import a_class_text, a_template_text, codes_of, the_finding

OWNED = {"tags": {"kubernetes.io/cluster/prod": "owned"}}
DISCOVERY = {"tags": {"karpenter.sh/discovery": "prod"}}
BY_ID = {"id": "sg-0123456789abcdef0"}


def groups(*terms):
    return a_class_text(securityGroupSelectorTerms=list(terms))


def test_the_clusters_tag_alone_is_noted_with_the_way_to_add_a_group():
    finding = the_finding("NW-3002", groups(OWNED))

    assert finding.severity == "info"
    assert "second term by id" in finding.help


@pytest.mark.parametrize("terms", [(OWNED, DISCOVERY), (DISCOVERY, OWNED), (OWNED, {"name": "x"})])
def test_a_second_selector_beside_the_clusters_tag_is_a_warning(terms):
    assert the_finding("NW-3002", groups(*terms)).severity == "warning"


def test_an_extra_group_by_id_makes_it_no_worse():
    assert the_finding("NW-3002", groups(OWNED, BY_ID)).severity == "info"


@pytest.mark.parametrize("terms", [(DISCOVERY,), (DISCOVERY, BY_ID)])
def test_the_discovery_tag_is_fine(terms):
    assert codes_of(groups(*terms)) == []


def test_old_templates_are_looked_at_too():
    text = a_template_text(securityGroupSelector={"kubernetes.io/cluster/prod": "owned"})

    assert "NW-3002" in codes_of(text)
