"""Short builders of policies, callers and requests."""

from nodewright.sandbox.iam.context import context
from nodewright.sandbox.iam.evaluate import Layers, Request, evaluate
from nodewright.sandbox.iam.parse import Use, parse_policy
from nodewright.sandbox.iam.principals import Caller, Kind

ACCOUNT = "123456789012"
OTHER_ACCOUNT = "111122223333"


def a_statement(action="*", resource="*", effect="Allow", **more):
    """Give one statement as decoded JSON; `more` are further elements."""
    return {"Effect": effect, "Action": action, "Resource": resource, **more}


def a_policy(*statements, name="p", use=Use.IDENTITY, version="2012-10-17"):
    """Read a policy of some statements."""
    return parse_policy({"Version": version, "Statement": list(statements)}, use, name)


def a_resource_policy(*statements, name="r"):
    """Read a policy of a resource."""
    return a_policy(*statements, name=name, use=Use.RESOURCE)


def a_trust(action="sts:AssumeRole", effect="Allow", **more):
    """Read a trust document of one statement."""
    return a_policy({"Effect": effect, "Action": action, **more}, name="trust", use=Use.TRUST)


def a_user(name="ada", account=ACCOUNT, **more):
    """Give a user."""
    return Caller(Kind.USER, f"arn:aws:iam::{account}:user/{name}", account, name=name, **more)


def a_session(role="worker", session="s1", account=ACCOUNT, **more):
    """Give a session of a role."""
    return Caller(
        Kind.ROLE,
        f"arn:aws:sts::{account}:assumed-role/{role}/{session}",
        account,
        name=role,
        role_arn=f"arn:aws:iam::{account}:role/{role}",
        **more,
    )


def decide(layers, caller=None, action="sqs:SendMessage", resource="arn:aws:sqs:r:1:q", **keys):
    """Evaluate one request; keys are written with `__` for `:`."""
    known = context({key.replace("__", ":"): value for key, value in keys.items()})
    return evaluate(Request(caller or a_user(), action, resource, known), layers)


def allowed(*policies, **request):
    """Tell whether identity policies alone allow a request."""
    return decide(Layers(identity=policies), **request).allowed
