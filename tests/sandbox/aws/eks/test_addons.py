"""Add-ons and versions."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of


@pytest.fixture(scope="module")
def cluster(make_cluster):
    return make_cluster("addons", version="1.34")["name"]


def test_an_addon_is_installed_changed_and_taken_away(eks, cluster):
    eks.create_addon(clusterName=cluster, addonName="eks-pod-identity-agent")
    told = eks.describe_addon(clusterName=cluster, addonName="eks-pod-identity-agent")["addon"]
    update = eks.update_addon(
        clusterName=cluster, addonName="eks-pod-identity-agent", addonVersion="v1.3.8-eksbuild.1"
    )["update"]
    listed = eks.list_addons(clusterName=cluster)["addons"]
    eks.delete_addon(clusterName=cluster, addonName="eks-pod-identity-agent")
    with pytest.raises(ClientError) as raised:
        eks.describe_addon(clusterName=cluster, addonName="eks-pod-identity-agent")

    assert told["status"] == "ACTIVE"
    assert update["type"] == "AddonUpdate"
    assert listed == ["eks-pod-identity-agent"]
    assert error_of(raised) == "ResourceNotFoundException"


def test_an_unknown_addon_is_refused(eks, cluster):
    with pytest.raises(ClientError) as raised:
        eks.create_addon(clusterName=cluster, addonName="nothing")

    assert error_of(raised) == "InvalidParameterException"


def test_what_could_be_installed_fits_the_version(eks):
    [one] = eks.describe_addon_versions(addonName="kube-proxy", kubernetesVersion="1.34")["addons"]
    [version] = one["addonVersions"]

    assert version["addonVersion"].startswith("v1.34.")
    assert version["compatibilities"][0]["clusterVersion"] == "1.34"
    assert len(eks.describe_addon_versions()["addons"]) > 5


def test_versions_age(standin, eks):
    told = {
        one["clusterVersion"]: one for one in eks.describe_cluster_versions()["clusterVersions"]
    }
    everything = eks.describe_cluster_versions(includeAll=True)["clusterVersions"]
    [default] = eks.describe_cluster_versions(defaultOnly=True)["clusterVersions"]

    assert told["1.36"]["versionStatus"] == "STANDARD_SUPPORT"
    assert len(everything) > len(told)
    assert default["clusterVersion"] == "1.34"
