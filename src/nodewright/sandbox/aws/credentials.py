"""Who calls: access keys of users, sessions of roles, and the root for any key that nobody knows.

A session is an access key that begins with ASIA, made by STS or by pod identity, and ends in time.
That an unknown key is the root lets a test begin without making a user first.
"""

import msgspec

from nodewright.sandbox.aws.account import INSIDER_KEY, Account
from nodewright.sandbox.aws.call import AwsError, Principal

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


class Session(msgspec.Struct, frozen=True):
    """Temporary credentials."""

    access_key: str
    secret: str
    token: str
    expires_ms: int
    principal: Principal


def identify(account: Account, access_key: str) -> Principal:
    """Tell whose access key this is."""
    arn = f"arn:{account.partition}:iam::{account.account_id}:root"
    if access_key == INSIDER_KEY:
        return Principal("insider", arn, account.account_id, user_id=account.account_id)
    session = sessions(account).get(access_key)
    if session is not None:
        if session.expires_ms <= account.clock.now_ms():
            raise AwsError(
                "ExpiredToken", "The security token included in the request is expired", 403
            )
        return session.principal
    if access_key.startswith("ASIA"):
        raise AwsError(
            "InvalidClientTokenId", "The security token included in the request is invalid.", 403
        )
    for user in account.inside.backend("iam", account.region).users.values():
        if any(key.access_key_id == access_key for key in user.access_keys):
            return Principal("user", user.arn, account.account_id, user.name, user_id=user.id)
    return Principal("root", arn, account.account_id, user_id=account.account_id)


def sessions(account: Account) -> dict[str, Session]:
    """Give all sessions by access key."""
    return account.store("sessions", dict[str, Session])


def open_session(account: Account, principal: Principal, duration_s: int) -> Session:
    """Make temporary credentials for a principal."""
    number = account.number()
    key = f"ASIA{_letters(number, 16)}"
    session = Session(
        access_key=key,
        secret=f"secret-{number:032d}",
        token=f"token-{number:032d}",
        expires_ms=account.clock.now_ms() + duration_s * 1000,
        principal=principal,
    )
    sessions(account)[key] = session
    return session


def _letters(number: int, length: int) -> str:
    letters = ""
    for _ in range(length):
        number, digit = divmod(number, len(_ALPHABET))
        letters = _ALPHABET[digit] + letters
    return letters
