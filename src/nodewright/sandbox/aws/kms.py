"""KMS calls for which moto takes a key's id but not its ARN."""

from typing import Any

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import Call
from nodewright.sandbox.aws.registry import handles


@handles("kms", "CancelKeyDeletion", "DisableKey", "EnableKey", "ScheduleKeyDeletion")
def switch_key(account: Account, call: Call) -> dict[str, Any]:
    """Change the state of a key, by id or ARN."""
    number = str(call.params["KeyId"]).rsplit("/", 1)[-1]
    asked = {**call.params, "KeyId": number}
    return account.inside.ask(call.region, "kms", call.operation, asked)
