"""EBS encryption by default: a switch and a key for each region."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import Call
from nodewright.sandbox.aws.registry import handles

MANAGED_KEY: Final = "alias/aws/ebs"


def encrypts_by_default(account: Account, region: str) -> bool:
    """Tell whether every new volume is encrypted."""
    return region in account.store("ebs/encrypted", set[str])


def default_key(account: Account, region: str) -> str:
    """Give the key of volumes that name none."""
    return account.store("ebs/keys", dict[str, str]).get(region, MANAGED_KEY)


@handles("ec2", "GetEbsEncryptionByDefault")
def get_encryption(account: Account, call: Call) -> dict[str, Any]:
    """Answer whether volumes are encrypted by default."""
    return {"EbsEncryptionByDefault": encrypts_by_default(account, call.region)}


@handles("ec2", "EnableEbsEncryptionByDefault")
def enable_encryption(account: Account, call: Call) -> dict[str, Any]:
    """Turn encryption by default on."""
    account.store("ebs/encrypted", set[str]).add(call.region)
    return {"EbsEncryptionByDefault": True}


@handles("ec2", "DisableEbsEncryptionByDefault")
def disable_encryption(account: Account, call: Call) -> dict[str, Any]:
    """Turn encryption by default off."""
    account.store("ebs/encrypted", set[str]).discard(call.region)
    return {"EbsEncryptionByDefault": False}


@handles("ec2", "GetEbsDefaultKmsKeyId", "ResetEbsDefaultKmsKeyId")
def get_key(account: Account, call: Call) -> dict[str, Any]:
    """Answer the default key, after taking back a customer's one if asked."""
    if call.operation.startswith("Reset"):
        account.store("ebs/keys", dict[str, str]).pop(call.region, None)
    return {"KmsKeyId": default_key(account, call.region)}


@handles("ec2", "ModifyEbsDefaultKmsKeyId")
def set_key(account: Account, call: Call) -> dict[str, Any]:
    """Set the default key."""
    key = str(call.params["KmsKeyId"])
    account.store("ebs/keys", dict[str, str])[call.region] = key
    return {"KmsKeyId": key}
