"""Which IAM actions a call needs, on which resources, and what the request says about itself.

One table by `service.Operation`; each service fills its part. A call that is not in it needs the
action of its own name on `*`.
"""

from collections.abc import Iterable
from typing import Final

from nodewright.sandbox.iam.actions import ec2, eks, iam, launch, messaging, reading, tokens
from nodewright.sandbox.iam.actions.needs import Ask, Lookup, Need, Rule, need, prefix_of

RULES: Final[dict[str, Rule]] = {
    **ec2.RULES,
    **launch.RULES,
    **iam.RULES,
    **eks.RULES,
    **messaging.RULES,
    **reading.RULES,
    **tokens.RULES,
}

# Anybody with valid credentials may ask these; no policy can forbid it.
ALWAYS_ALLOWED: Final = frozenset({"sts.GetCallerIdentity"})
# Asked without AWS credentials: the trust document of the role is the only judge.
WITHOUT_CALLER: Final = frozenset({"sts.AssumeRoleWithWebIdentity", "sts.AssumeRoleWithSAML"})


def needs_of(ask: Ask, lookup: Lookup) -> tuple[Need, ...]:
    """Give everything that policies must allow for a call, in the order in which AWS would look."""
    name = f"{ask.service}.{ask.operation}"
    if name in ALWAYS_ALLOWED or name in WITHOUT_CALLER:
        return ()
    rule = RULES.get(name)
    found: Iterable[Need] = rule(ask, lookup) if rule else ()
    needs = tuple(dict.fromkeys(found))
    return needs or (need(ask, f"{prefix_of(ask.service)}:{ask.operation}"),)
