"""Who one is, and becoming somebody else."""

import base64
import json

import pytest
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import ClientError

from builders.standin import error_of

ISSUER = "oidc.eks.us-west-2.amazonaws.com/id/ABC"


def token(**claims):
    told = {"iss": f"https://{ISSUER}", "aud": ["sts.amazonaws.com"], "exp": 4_000_000_000}
    body = base64.urlsafe_b64encode(json.dumps({**told, **claims}).encode()).decode()
    return f"e30.{body.rstrip('=')}.sig"


@pytest.fixture(scope="module")
def role(standin):
    iam = standin.client("iam")
    arn = iam.create_open_id_connect_provider(
        Url=f"https://{ISSUER}", ClientIDList=["sts.amazonaws.com"], ThumbprintList=["0" * 40]
    )["OpenIDConnectProviderArn"]
    statement = {
        "Effect": "Allow",
        "Principal": {"Federated": arn},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {
            "StringEquals": {
                f"{ISSUER}:aud": "sts.amazonaws.com",
                f"{ISSUER}:sub": "system:serviceaccount:nodewright:nodewright",
            }
        },
    }
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    return iam.create_role(RoleName="controller", AssumeRolePolicyDocument=document)["Role"]["Arn"]


@pytest.fixture
def anonymous(standin):
    import boto3

    return boto3.client(
        "sts",
        endpoint_url=standin.server.url,
        region_name="us-west-2",
        config=Config(signature_version=UNSIGNED, retries={"total_max_attempts": 1}),
    )


def assume(anonymous, role, **claims):
    return anonymous.assume_role_with_web_identity(
        RoleArn=role, RoleSessionName="me", WebIdentityToken=token(**claims)
    )


def test_an_unknown_key_is_the_root(standin):
    told = standin.client("sts").get_caller_identity()

    assert told["Arn"] == "arn:aws:iam::123456789012:root"


def test_a_users_key_is_the_user(standin):
    iam = standin.client("iam")
    iam.create_user(UserName="ann")
    key = iam.create_access_key(UserName="ann")["AccessKey"]
    told = standin.client("sts", key["AccessKeyId"], key["SecretAccessKey"]).get_caller_identity()

    assert told["Arn"] == "arn:aws:iam::123456789012:user/ann"


def test_a_service_accounts_token_becomes_its_role(standin, anonymous, role):
    answer = assume(anonymous, role, sub="system:serviceaccount:nodewright:nodewright")
    made = answer["Credentials"]
    sts = standin.client("sts", made["AccessKeyId"], made["SecretAccessKey"], made["SessionToken"])

    assert answer["AssumedRoleUser"]["Arn"] == sts.get_caller_identity()["Arn"]
    assert answer["SubjectFromWebIdentityToken"] == "system:serviceaccount:nodewright:nodewright"


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"sub": "system:serviceaccount:kube-system:nodewright"}, "AccessDenied"),
        ({"sub": "system:serviceaccount:nodewright:nodewright", "aud": "x"}, "AccessDenied"),
        ({"iss": "https://elsewhere"}, "InvalidIdentityToken"),
        ({"exp": 1}, "ExpiredTokenException"),
    ],
)
def test_a_token_that_the_role_does_not_trust_is_refused(anonymous, role, claims, code):
    with pytest.raises(ClientError) as raised:
        assume(anonymous, role, **claims)

    assert error_of(raised) == code


def test_a_session_ends(standin, anonymous, role):
    made = assume(anonymous, role, sub="system:serviceaccount:nodewright:nodewright")["Credentials"]
    sts = standin.client("sts", made["AccessKeyId"], made["SecretAccessKey"], made["SessionToken"])
    standin.account.clock.skip(3_600_000)
    with pytest.raises(ClientError) as raised:
        sts.get_caller_identity()

    assert error_of(raised) == "ExpiredToken"
