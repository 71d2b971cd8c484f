"""Pod identity: associations, and credentials by EKS or by the agent's address."""

import base64
import json
import urllib.request

import boto3
import pytest
from botocore.exceptions import ClientError

from builders.standin import ONCE, error_of


def token(namespace, name):
    claims = {"sub": f"system:serviceaccount:{namespace}:{name}", "aud": "pods.eks.amazonaws.com"}
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{body}.sig"


@pytest.fixture(scope="module")
def cluster(make_cluster):
    return make_cluster("pods")["name"]


@pytest.fixture(scope="module")
def association(eks, cluster, roles):
    return eks.create_pod_identity_association(
        clusterName=cluster, namespace="kube-system", serviceAccount="app", roleArn=roles["pod"]
    )["association"]


def test_an_association_is_listed_described_and_unique(eks, cluster, association, roles):
    [listed] = eks.list_pod_identity_associations(clusterName=cluster, namespace="kube-system")[
        "associations"
    ]
    told = eks.describe_pod_identity_association(
        clusterName=cluster, associationId=association["associationId"]
    )["association"]
    with pytest.raises(ClientError) as raised:
        eks.create_pod_identity_association(
            clusterName=cluster, namespace="kube-system", serviceAccount="app",
            roleArn=roles["pod"],
        )  # fmt: skip

    assert listed["associationId"] == told["associationId"]
    assert told["roleArn"] == roles["pod"]
    assert error_of(raised) == "ResourceInUseException"


def test_a_pod_becomes_its_role(standin, cluster, association):
    answer = standin.client("eks-auth").assume_role_for_pod_identity(
        clusterName=cluster, token=token("kube-system", "app")
    )
    made = answer["credentials"]
    sts = standin.client("sts", made["accessKeyId"], made["secretAccessKey"], made["sessionToken"])

    assert answer["subject"] == {"namespace": "kube-system", "serviceAccount": "app"}
    assert ":assumed-role/pod/" in sts.get_caller_identity()["Arn"]


def test_the_agents_address_gives_credentials_to_boto3(
    standin, cluster, association, tmp_path, monkeypatch
):
    path = tmp_path / "token"
    path.write_text(token("kube-system", "app"))
    url = f"{standin.server.url}/v1/credentials/{cluster}"
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url)
    monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", str(path))
    sts = boto3.Session().client(
        "sts", endpoint_url=standin.server.url, region_name="us-west-2", config=ONCE
    )

    assert ":assumed-role/pod/" in sts.get_caller_identity()["Arn"]


def test_without_an_association_there_is_nothing_to_get(standin, cluster):
    with pytest.raises(ClientError) as raised:
        standin.client("eks-auth").assume_role_for_pod_identity(
            clusterName=cluster, token=token("default", "nobody")
        )
    request = urllib.request.Request(
        f"{standin.server.url}/v1/credentials/{cluster}",
        headers={"Authorization": token("default", "nobody")},
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    refused.value.close()

    assert error_of(raised) == "ResourceNotFoundException"
    assert refused.value.code == 404


def test_a_role_that_does_not_trust_pods_is_not_given(standin, eks, cluster, roles):
    eks.create_pod_identity_association(
        clusterName=cluster, namespace="x", serviceAccount="y", roleArn=roles["closed"]
    )
    with pytest.raises(ClientError) as raised:
        standin.client("eks-auth").assume_role_for_pod_identity(
            clusterName=cluster, token=token("x", "y")
        )

    assert error_of(raised) == "AccessDeniedException"


def test_an_association_can_be_moved_and_taken_away(eks, cluster, roles):
    number = eks.create_pod_identity_association(
        clusterName=cluster, namespace="a", serviceAccount="b", roleArn=roles["pod"]
    )["association"]["associationId"]
    moved = eks.update_pod_identity_association(
        clusterName=cluster, associationId=number, roleArn=roles["node"]
    )["association"]
    eks.delete_pod_identity_association(clusterName=cluster, associationId=number)

    assert moved["roleArn"] == roles["node"]
    assert (
        eks.list_pod_identity_associations(clusterName=cluster, namespace="a")["associations"] == []
    )
