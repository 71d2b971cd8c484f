"""Volumes under a customer's key: the launch is accepted, and the machine ends by itself."""

import json

import pytest

from builders.standin import a_fleet, a_template, ids_of


def fleet_with_key(standin, network, name, key):
    device = {
        "DeviceName": "/dev/xvda",
        "Ebs": {"VolumeSize": 20, "VolumeType": "gp3", "Encrypted": True, "KmsKeyId": key},
    }
    template = a_template(standin, name, network.group, "net", BlockDeviceMappings=[device])
    asked = a_fleet(network)
    asked["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = (
        template
    )
    return asked


def told(ec2, fleet):
    return ec2.describe_instances(InstanceIds=ids_of(fleet))["Reservations"][0]["Instances"][0]


@pytest.fixture
def key(standin):
    return standin.client("kms").create_key()["KeyMetadata"]["Arn"]


def test_the_root_may_use_a_key(standin, ec2, network, key):
    fleet = ec2.create_fleet(**fleet_with_key(standin, network, "good-key", key))

    assert told(ec2, fleet)["State"]["Name"] == "running"


def test_a_disabled_key_ends_the_machine_at_once(standin, ec2, network, key):
    standin.client("kms").disable_key(KeyId=key)
    one = told(ec2, ec2.create_fleet(**fleet_with_key(standin, network, "off-key", key)))

    assert one["State"]["Name"] == "terminated"
    assert one["StateReason"]["Code"] == "Client.InvalidKMSKey.InvalidState"


def test_who_has_no_rights_on_the_key_gets_a_machine_that_ends(standin, network, key):
    iam, kms = standin.client("iam"), standin.client("kms")
    owner = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::123456789012:user/somebody-else"},
                "Action": "kms:*",
                "Resource": "*",
            }
        ],
    }
    kms.put_key_policy(KeyId=key, PolicyName="default", Policy=json.dumps(owner))
    iam.create_user(UserName="launcher")
    document = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["ec2:*", "iam:PassRole"], "Resource": "*"}],
    }
    iam.put_user_policy(UserName="launcher", PolicyName="ec2", PolicyDocument=json.dumps(document))
    made = iam.create_access_key(UserName="launcher")["AccessKey"]
    ec2 = standin.client("ec2", made["AccessKeyId"], made["SecretAccessKey"])
    one = told(ec2, ec2.create_fleet(**fleet_with_key(standin, network, "no-rights", key)))

    assert one["State"]["Name"] == "terminated"
    assert one["StateReason"]["Code"] == "Client.InternalError"
    assert one["StateReason"]["Message"] == "Client.InternalError: Client error on launch"


def test_volumes_are_encrypted_by_default_once_the_account_says_so(standin, ec2, network):
    template = a_template(standin, "plain", network.group, "net", BlockDeviceMappings=None)
    asked = a_fleet(network)
    asked["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = (
        template
    )

    def encrypted():
        device = told(ec2, ec2.create_fleet(**asked))["BlockDeviceMappings"][0]
        [volume] = ec2.describe_volumes(VolumeIds=[device["Ebs"]["VolumeId"]])["Volumes"]
        return volume["Encrypted"]

    before = encrypted()
    ec2.enable_ebs_encryption_by_default()
    after = encrypted()
    ec2.disable_ebs_encryption_by_default()

    assert (before, after) == (False, True)
