"""Who may take a role."""

import msgspec

from nodewright.sandbox.accounts.roles import TRUST_EC2, TRUST_PODS, document, trust_account

PROVIDER = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/1"


def test_a_service_account_is_trusted_by_its_full_name():
    trust = trust_account(PROVIDER, "karpenter", "karpenter")

    assert trust["Principal"] == {"Federated": PROVIDER}
    assert trust["Condition"]["StringEquals"] == {
        "oidc.example/id/1:aud": "sts.amazonaws.com",
        "oidc.example/id/1:sub": "system:serviceaccount:karpenter:karpenter",
    }


def test_a_document_is_what_iam_reads():
    found = msgspec.json.decode(document(TRUST_EC2, TRUST_PODS))

    assert found["Version"] == "2012-10-17"
    assert [one["Principal"]["Service"] for one in found["Statement"]] == [
        "ec2.amazonaws.com",
        "pods.eks.amazonaws.com",
    ]
