"""The adapter's way to a stand-in: a clock that does not wait, and chance that is always the same."""

import json

from nodewright.aws.gateway import Gateway
from nodewright.aws.session import Access, Clients


class Hurried:
    """A clock on which every wait is over at once, and is remembered."""

    def __init__(self, now_ms=1_700_000_000_000):
        self.now = now_ms
        self.slept = []

    def now_ms(self):
        return self.now

    async def sleep_ms(self, duration_ms):
        self.slept.append(duration_ms)
        self.now += duration_ms


class Even:
    """Chance that always draws the least."""

    def integer(self, low, high):
        assert low <= high
        return low

    def fraction(self):
        return 0.0


def a_gateway(standin, keys=("test", "test"), meter=None, **access):
    """A gateway to a running stand-in."""
    reach = Access(region=standin.account.region, endpoint=standin.server.url, keys=keys, **access)
    more = {} if meter is None else {"meter": meter}
    return Gateway(Clients(reach), Hurried(), Even(), **more)


def a_user(standin, name, documents):
    """Make a user who may do what the documents allow, and give their keys."""
    iam = standin.client("iam")
    iam.create_user(UserName=name)
    for part, document in documents.items():
        made = iam.create_policy(PolicyName=f"{name}-{part}", PolicyDocument=json.dumps(document))
        iam.attach_user_policy(UserName=name, PolicyArn=made["Policy"]["Arn"])
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return key["AccessKeyId"], key["SecretAccessKey"]
