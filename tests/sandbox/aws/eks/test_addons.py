"""Add-ons and versions."""

from datetime import UTC, datetime

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of
from nodewright.sandbox.aws.ec2.images import KUBERNETES
from nodewright.sandbox.aws.eks.addons import cluster_version


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


def test_versions_are_told_the_newest_first_with_one_default(eks):
    everything = eks.describe_cluster_versions(includeAll=True)["clusterVersions"]
    [default] = eks.describe_cluster_versions(defaultOnly=True)["clusterVersions"]

    assert [one["clusterVersion"] for one in everything] == list(reversed(KUBERNETES))
    assert default["clusterVersion"] == "1.34"


@pytest.mark.parametrize(
    ("day", "status"),
    [
        ("2026-11-01", "STANDARD_SUPPORT"),
        ("2027-11-01", "EXTENDED_SUPPORT"),
        ("2029-11-01", "UNSUPPORTED"),
    ],
)
def test_a_version_ages(day, status):
    now = datetime.fromisoformat(day).replace(tzinfo=UTC)

    assert cluster_version("1.36", now)["versionStatus"] == status
