"""Every module with handlers, imported so that they register themselves."""

from types import ModuleType
from typing import Final

from nodewright.sandbox.aws import cloudformation, iam, kms, pricing, quotas, ssm, sts, zonalshift
from nodewright.sandbox.aws.ec2 import (
    describe,
    encryption,
    fleet,
    imagecalls,
    placement,
    reservations,
    run,
    spotprices,
    spotrequests,
    status,
    tagcalls,
    types,
)
from nodewright.sandbox.aws.eks import access, addons, clusters, nodegroups, podidentity
from nodewright.sandbox.iam import handlers as policies

MODULES: Final[tuple[ModuleType, ...]] = (
    access, addons, cloudformation, clusters, describe, encryption, fleet, iam, imagecalls, kms, nodegroups, placement,
    podidentity, policies, pricing, quotas, reservations, run, spotprices, spotrequests, ssm, status,
    sts, tagcalls, types, zonalshift,
)  # fmt: skip
