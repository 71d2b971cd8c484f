"""Callers of the AWS stand-in: users, roles and pods with policies, and what they launch."""

import base64
import json

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from builders.controller_policies import ACCOUNT, REGION

IMAGE = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"
OWNED = {
    "kubernetes.io/cluster/demo": "owned",
    "eks:eks-cluster-name": "demo",
    "karpenter.sh/nodepool": "default",
    "karpenter.k8s.aws/ec2nodeclass": "default",
}
FOREIGN = {"kubernetes.io/cluster/other": "owned", "karpenter.sh/nodepool": "default"}
# Clients of one session read each service's model once.
SESSION = boto3.Session()
ISSUER = "oidc.eks.us-west-2.amazonaws.com/id/1"


class Cloud:
    """A stand-in and clients of it for different callers."""

    def __init__(self, server):
        self.account, self.url = server.account, server.url

    def client(self, service, key="test", secret="test", token=None, region=REGION):
        return SESSION.client(
            service,
            region,
            endpoint_url=self.url,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            aws_session_token=token,
            config=Config(retries={"total_max_attempts": 1}),
        )

    def user(self, *documents, name="ada"):
        """Make a user with inline policies; give what makes clients for it."""
        iam = self.client("iam")
        iam.create_user(UserName=name)
        for number, document in enumerate(documents):
            iam.put_user_policy(
                UserName=name, PolicyName=f"p{number}", PolicyDocument=json.dumps(document)
            )
        key = iam.create_access_key(UserName=name)["AccessKey"]
        return lambda service, **more: self.client(
            service, key["AccessKeyId"], key["SecretAccessKey"], **more
        )

    def role(self, name, trust, *documents, **more):
        """Make a role that trusts a principal; give its ARN."""
        iam = self.client("iam")
        made = iam.create_role(
            RoleName=name, AssumeRolePolicyDocument=json.dumps(document(trust)), **more
        )
        for number, one in enumerate(documents):
            iam.put_role_policy(
                RoleName=name, PolicyName=f"p{number}", PolicyDocument=json.dumps(one)
            )
        return made["Role"]["Arn"]

    def session(self, credentials):
        """Give what makes clients for temporary credentials."""
        return lambda service, **more: self.client(
            service,
            credentials["AccessKeyId"],
            credentials["SecretAccessKey"],
            credentials["SessionToken"],
            **more,
        )

    def controller(self, policy):
        """Make the controller's role with a policy and take it on as a pod does."""
        self.client("iam").create_open_id_connect_provider(
            Url=f"https://{ISSUER}", ClientIDList=["sts.amazonaws.com"], ThumbprintList=["a" * 40]
        )
        trust = web_trust("system:serviceaccount:nodewright:nodewright")
        # Inline policies are larger than a user may have, so it is a managed one.
        arn = self.role("controller", trust)
        iam = self.client("iam")
        made = iam.create_policy(PolicyName="controller", PolicyDocument=compact(policy))
        iam.attach_role_policy(RoleName="controller", PolicyArn=made["Policy"]["Arn"])
        token = a_token("system:serviceaccount:nodewright:nodewright")
        answer = self.client("sts").assume_role_with_web_identity(
            RoleArn=arn, RoleSessionName="pod", WebIdentityToken=token
        )
        return self.session(answer["Credentials"])

    def nodes(self):
        """Make what a launch needs: the node role in a profile; give image and subnet."""
        trust = {"Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
        self.role("KarpenterNodeRole-demo", trust)
        iam, ec2 = self.client("iam"), self.client("ec2")
        iam.create_instance_profile(InstanceProfileName="nodes")
        iam.add_role_to_instance_profile(
            InstanceProfileName="nodes", RoleName="KarpenterNodeRole-demo"
        )
        image = self.client("ssm").get_parameter(Name=IMAGE)["Parameter"]["Value"]
        subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
        return image, subnet


def document(*statements):
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", **one} for one in statements],
    }


def compact(policy):
    return json.dumps(policy, separators=(",", ":"))


def allowing(*actions, resource="*", **more):
    return document({"Action": list(actions), "Resource": resource, **more})


def web_trust(subject):
    provider = f"arn:aws:iam::{ACCOUNT}:oidc-provider/{ISSUER}"
    claims = {f"{ISSUER}:aud": "sts.amazonaws.com", f"{ISSUER}:sub": subject}
    return {
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": provider},
        "Condition": {"StringEquals": claims},
    }


def a_token(subject, audience="sts.amazonaws.com"):
    claims = {"iss": f"https://{ISSUER}", "sub": subject, "aud": [audience], "exp": 4_000_000_000}
    return f"e30.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.x"


def tags(wanted):
    return [{"Key": key, "Value": value} for key, value in wanted.items()]


def specifications(wanted, *kinds):
    return [{"ResourceType": kind, "Tags": tags(wanted)} for kind in kinds]


def refusal(call, /, **params):
    """Give the code and the message with which a call is refused."""
    with pytest.raises(ClientError) as error:
        call(**params)
    told = error.value.response["Error"]
    return told["Code"], told["Message"]


def launch_template(ec2, image, wanted=OWNED):
    ec2.create_launch_template(
        LaunchTemplateName="nodes",
        LaunchTemplateData={
            "ImageId": image,
            "IamInstanceProfile": {"Name": "nodes"},
            "TagSpecifications": specifications(wanted, "network-interface"),
        },
        TagSpecifications=specifications(wanted, "launch-template"),
    )


def launch(ec2, subnet, wanted=OWNED, **more):
    return ec2.create_fleet(
        Type="instant",
        TargetCapacitySpecification={
            "TotalTargetCapacity": 1,
            "DefaultTargetCapacityType": "on-demand",
        },
        LaunchTemplateConfigs=[
            {
                "LaunchTemplateSpecification": {
                    "LaunchTemplateName": "nodes",
                    "Version": "$Latest",
                },
                "Overrides": [{"InstanceType": "m5.large", "SubnetId": subnet}],
            }
        ],
        TagSpecifications=specifications(wanted, "fleet", "instance", "volume"),
        **more,
    )
