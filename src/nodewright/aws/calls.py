"""Every call that is made of AWS, with what a policy must allow for it.

Calls are made by naming an entry of this table, so none can be made that it does not have; a test
holds that each entry is used. The scope says which statement of the policy carries the action, and
with it the resources and conditions: nothing is allowed wider than that.
"""

from enum import Enum
from typing import Final

import msgspec


class Scope(Enum):
    """The statements of the controller's policies, under Karpenter's names for them."""

    LAUNCH_USES = "AllowScopedEC2InstanceAccessActions"
    LAUNCH_TEMPLATES = "AllowScopedEC2LaunchTemplateAccessActions"
    LAUNCH_MAKES = "AllowScopedEC2InstanceActionsWithTags"
    CREATION_TAGGING = "AllowScopedResourceCreationTagging"
    TAGGING = "AllowScopedResourceTagging"
    DELETION = "AllowScopedDeletion"
    PASSING = "AllowPassingInstanceRole"
    PROFILE_CREATION = "AllowScopedInstanceProfileCreationActions"
    PROFILE_TAGGING = "AllowScopedInstanceProfileTagActions"
    PROFILE_CHANGES = "AllowScopedInstanceProfileActions"
    PROFILE_READS = "AllowInstanceProfileReadActions"
    PROFILE_LISTS = "AllowUnscopedInstanceProfileListAction"
    CLUSTER = "AllowAPIServerEndpointDiscovery"
    QUEUE = "AllowInterruptionQueueActions"
    SHIFTS = "AllowZonalShiftStatusReadOnly"
    JOURNAL = "AllowJournalCopies"
    REGION = "AllowRegionalReadActions"
    PARAMETERS = "AllowSSMReadActions"
    PRICES = "AllowPricingReadActions"


_LOOKS: Final = ("Describe", "Get", "List")


class Call(msgspec.Struct, frozen=True):
    """One operation of AWS, and the actions that it needs, each under its statement."""

    service: str
    operation: str
    needs: tuple[tuple[Scope, str], ...]

    @property
    def name(self) -> str:
        """How metrics and logs name it."""
        return f"{self.service}.{self.operation}"

    @property
    def is_look(self) -> bool:
        """Whether it changes nothing; receiving a message hides it from others, so it does."""
        return self.operation.startswith(_LOOKS)


def _plain(service: str, operation: str, scope: Scope) -> Call:
    return Call(service, operation, ((scope, f"{service}:{operation}"),))


def _launching(action: str) -> tuple[tuple[Scope, str], ...]:
    scopes = (Scope.LAUNCH_USES, Scope.LAUNCH_TEMPLATES, Scope.LAUNCH_MAKES)
    return tuple((scope, action) for scope in scopes)


_TAGS: Final = (Scope.CREATION_TAGGING, "ec2:CreateTags")

CREATE_FLEET: Final = Call(
    "ec2",
    "CreateFleet",
    (
        *_launching("ec2:CreateFleet"),
        *_launching("ec2:RunInstances"),
        _TAGS,
        (Scope.PASSING, "iam:PassRole"),
    ),
)
CREATE_LAUNCH_TEMPLATE: Final = Call(
    "ec2",
    "CreateLaunchTemplate",
    ((Scope.LAUNCH_MAKES, "ec2:CreateLaunchTemplate"), _TAGS),
)
RUN_INSTANCES: Final = Call(
    "ec2",
    "RunInstances",
    (*_launching("ec2:RunInstances"), _TAGS, (Scope.PASSING, "iam:PassRole")),
)
CREATE_TAGS: Final = _plain("ec2", "CreateTags", Scope.TAGGING)
DELETE_LAUNCH_TEMPLATE: Final = _plain("ec2", "DeleteLaunchTemplate", Scope.DELETION)
TERMINATE_INSTANCES: Final = _plain("ec2", "TerminateInstances", Scope.DELETION)
DESCRIBE_CAPACITY_RESERVATIONS: Final = _plain("ec2", "DescribeCapacityReservations", Scope.REGION)
DESCRIBE_IMAGES: Final = _plain("ec2", "DescribeImages", Scope.REGION)
DESCRIBE_INSTANCE_STATUS: Final = _plain("ec2", "DescribeInstanceStatus", Scope.REGION)
DESCRIBE_INSTANCE_TYPES: Final = _plain("ec2", "DescribeInstanceTypes", Scope.REGION)
DESCRIBE_INSTANCES: Final = _plain("ec2", "DescribeInstances", Scope.REGION)
DESCRIBE_LAUNCH_TEMPLATES: Final = _plain("ec2", "DescribeLaunchTemplates", Scope.REGION)
DESCRIBE_PLACEMENT_GROUPS: Final = _plain("ec2", "DescribePlacementGroups", Scope.REGION)
DESCRIBE_SECURITY_GROUPS: Final = _plain("ec2", "DescribeSecurityGroups", Scope.REGION)
DESCRIBE_SPOT_PRICES: Final = _plain("ec2", "DescribeSpotPriceHistory", Scope.REGION)
DESCRIBE_SPOT_REQUESTS: Final = _plain("ec2", "DescribeSpotInstanceRequests", Scope.REGION)
DESCRIBE_SUBNETS: Final = _plain("ec2", "DescribeSubnets", Scope.REGION)
DESCRIBE_TYPE_OFFERINGS: Final = _plain("ec2", "DescribeInstanceTypeOfferings", Scope.REGION)
DESCRIBE_CLUSTER: Final = _plain("eks", "DescribeCluster", Scope.CLUSTER)
GET_MANAGED_RESOURCE: Final = _plain("arc-zonal-shift", "GetManagedResource", Scope.SHIFTS)
GET_PARAMETER: Final = _plain("ssm", "GetParameter", Scope.PARAMETERS)
GET_PRODUCTS: Final = _plain("pricing", "GetProducts", Scope.PRICES)
ADD_ROLE: Final = _plain("iam", "AddRoleToInstanceProfile", Scope.PROFILE_CHANGES)
REMOVE_ROLE: Final = _plain("iam", "RemoveRoleFromInstanceProfile", Scope.PROFILE_CHANGES)
CREATE_PROFILE: Final = Call(
    "iam",
    "CreateInstanceProfile",
    (
        (Scope.PROFILE_CREATION, "iam:CreateInstanceProfile"),
        (Scope.PROFILE_TAGGING, "iam:TagInstanceProfile"),
        (Scope.PASSING, "iam:PassRole"),
    ),
)
DELETE_PROFILE: Final = _plain("iam", "DeleteInstanceProfile", Scope.PROFILE_CHANGES)
GET_PROFILE: Final = _plain("iam", "GetInstanceProfile", Scope.PROFILE_READS)
LIST_PROFILES: Final = _plain("iam", "ListInstanceProfiles", Scope.PROFILE_LISTS)
DELETE_MESSAGES: Final = Call("sqs", "DeleteMessageBatch", ((Scope.QUEUE, "sqs:DeleteMessage"),))
PUT_OBJECT: Final = _plain("s3", "PutObject", Scope.JOURNAL)
GET_QUEUE_URL: Final = _plain("sqs", "GetQueueUrl", Scope.QUEUE)
RECEIVE_MESSAGE: Final = _plain("sqs", "ReceiveMessage", Scope.QUEUE)

CALLS: Final[dict[str, Call]] = {
    name: one for name, one in sorted(globals().items()) if isinstance(one, Call)
}
"""The whole table, by the names of its entries."""
