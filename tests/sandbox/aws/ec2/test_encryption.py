"""EBS encryption by default."""


def test_the_switch_is_remembered(ec2):
    states = [ec2.get_ebs_encryption_by_default()["EbsEncryptionByDefault"]]
    ec2.enable_ebs_encryption_by_default()
    states.append(ec2.get_ebs_encryption_by_default()["EbsEncryptionByDefault"])
    ec2.disable_ebs_encryption_by_default()
    states.append(ec2.get_ebs_encryption_by_default()["EbsEncryptionByDefault"])

    assert states == [False, True, False]


def test_the_default_key_is_amazons_until_another_is_named(ec2):
    keys = [ec2.get_ebs_default_kms_key_id()["KmsKeyId"]]
    ec2.modify_ebs_default_kms_key_id(KmsKeyId="alias/mine")
    keys.append(ec2.get_ebs_default_kms_key_id()["KmsKeyId"])
    ec2.reset_ebs_default_kms_key_id()
    keys.append(ec2.get_ebs_default_kms_key_id()["KmsKeyId"])

    assert keys == ["alias/aws/ebs", "alias/mine", "alias/aws/ebs"]
