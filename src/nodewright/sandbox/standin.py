"""The AWS stand-in of a sandbox as its user sees it: how to reach it, and what to fill it with.

It is an optional part of the package. Whoever asks for it without having it is told what to install.
"""

import base64
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final

from nodewright.model.errors import UserError
from nodewright.sandbox.accounts import scenario
from nodewright.sandbox.cluster import Sandbox
from nodewright.sandbox.folder import Record
from nodewright.sandbox.programs import SERVICE_RANGE

DEFAULT_SCENARIO: Final = "fresh"
_PARTS: Final = ("moto", "flask")


def require_standin() -> None:
    """Refuse to go on where the optional part of the package is not installed."""
    missing = [name for name in _PARTS if find_spec(name) is None]
    if missing:
        raise UserError(
            f"the AWS stand-in is not installed: there is no {missing[0]}",
            code="NW-9114",
            advice="install it with: pip install 'nodewright[sandbox]'",
        )


def environment(record: Record) -> dict[str, str]:
    """Give the environment in which boto3 and aws-cli talk to a sandbox's stand-in."""
    if not record.aws_url:
        return {}
    return {
        "AWS_ENDPOINT_URL": record.aws_url,
        "AWS_REGION": record.aws_region,
        "AWS_DEFAULT_REGION": record.aws_region,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def fill(sandbox: Sandbox, wanted: scenario.Scenario, say: Callable[[str], None]) -> None:
    """Make a scenario's account in a sandbox that runs."""
    # Late, because boto3 takes longer to import than most commands to run.
    from nodewright.sandbox.accounts.make import ControlPlane, make_account
    from nodewright.sandbox.kubelet.cloud import INSIDER_KEY, Keys

    record = sandbox.record
    authority = (sandbox.folder.certificates / "authority.crt").read_bytes()
    plane = ControlPlane(
        endpoint=record.server,
        authority=base64.b64encode(authority).decode(),
        version=record.kubernetes_version,
        service_range=SERVICE_RANGE,
        kubectl=sandbox.kubectl,
    )
    keys = Keys(record.aws_url, record.aws_region, INSIDER_KEY)
    make_account(wanted, keys, plane, say)
