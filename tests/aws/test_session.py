"""Who we are to AWS, and where."""

import json

import pytest

from nodewright.aws.session import Access, Clients
from nodewright.model.errors import UserError


@pytest.fixture(autouse=True)
def bare(monkeypatch, tmp_path):
    """An environment that says nothing of AWS."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))


def test_without_a_region_the_user_is_told_what_to_set():
    with pytest.raises(UserError) as refused:
        Clients(Access())

    assert refused.value.code == "NW-3111"
    assert "AWS_REGION" in refused.value.advice


def test_the_environment_names_the_region(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")

    assert Clients(Access()).region == "eu-west-1"
    assert Clients(Access(region="cn-north-1")).region == "cn-north-1"


@pytest.mark.parametrize("data", ["", "somewhere"])
def test_an_unknown_profile_is_one_sentence(monkeypatch, data):
    monkeypatch.setenv("AWS_DATA_PATH", data)
    with pytest.raises(UserError, match="nobody"):
        Clients(Access(region="us-west-2", profile="nobody"))


def test_prices_are_asked_where_they_are_known():
    clients = Clients(Access(region="ap-northeast-2", keys=("a", "b")))

    assert clients.client("pricing").meta.region_name == "ap-south-1"
    assert clients.client("ec2").meta.region_name == "ap-northeast-2"
    assert clients.client("ec2") is clients.client("ec2")


def test_endpoints_follow_the_partition():
    clients = Clients(Access(region="cn-north-1", keys=("a", "b")))

    assert clients.client("ec2").meta.endpoint_url == "https://ec2.cn-north-1.amazonaws.com.cn"


def test_a_role_is_taken_on(standin):
    iam = standin.client("iam")
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    role = iam.create_role(RoleName="taken", AssumeRolePolicyDocument=json.dumps(trust))
    access = Access(
        region=standin.account.region,
        endpoint=standin.server.url,
        keys=("test", "test"),
        assume_role=role["Role"]["Arn"],
    )
    who = Clients(access).client("sts").get_caller_identity()["Arn"]

    assert who == "arn:aws:sts::123456789012:assumed-role/taken/nodewright"
