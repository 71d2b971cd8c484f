"""Keys by id and by ARN."""


def test_a_key_is_switched_by_its_arn(standin):
    kms = standin.client("kms")
    arn = kms.create_key()["KeyMetadata"]["Arn"]
    kms.disable_key(KeyId=arn)
    off = kms.describe_key(KeyId=arn)["KeyMetadata"]["KeyState"]
    kms.enable_key(KeyId=arn)

    assert off == "Disabled"
    assert kms.describe_key(KeyId=arn)["KeyMetadata"]["KeyState"] == "Enabled"
