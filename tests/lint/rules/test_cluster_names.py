"""Manifests of another cluster."""

from builders.manifests import a_class_text, codes_of, findings_of, the_finding

VALUES = "settings: {clusterName: prod, interruptionQueue: prod}\n"
OTHER = [{"tags": {"karpenter.sh/discovery": "dev"}}]


def test_a_tag_of_another_cluster_is_found():
    finding = the_finding("NW-3060", VALUES, a_class_text(subnetSelectorTerms=OTHER))

    assert "names the cluster dev, and test.yaml:1:12 names prod" in finding.message


def test_a_role_of_another_cluster_is_found():
    assert "NW-3060" in codes_of(VALUES, a_class_text(role="KarpenterNodeRole-dev"))


def test_one_name_everywhere_is_fine():
    assert codes_of(VALUES, a_class_text(role="KarpenterNodeRole-prod")) == []


def test_without_settings_each_class_must_agree_with_itself():
    every = {"subnetSelectorTerms": OTHER, "securityGroupSelectorTerms": OTHER}

    assert codes_of(a_class_text("a"), a_class_text("b", **every)) == []
    assert [one.path[1] for one in findings_of(a_class_text(subnetSelectorTerms=OTHER))] == [
        "securityGroupSelectorTerms"
    ]
