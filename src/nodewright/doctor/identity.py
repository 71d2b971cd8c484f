"""Who the controller is to AWS, and what that lets it do. Read once for all checks.

Its role follows from an association of Pod Identity, or from the annotation of its service account. What the
role may do is asked of IAM itself, so that every policy, boundary and condition counts.
"""

from typing import Any, Final

import msgspec

from nodewright.aws.cluster import partition_of
from nodewright.doctor.cluster import Controller, find_controller
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.resources.identity import ROLE_NOTE

LAUNCHING: Final = ("ec2:CreateFleet", "ec2:CreateLaunchTemplate", "ec2:RunInstances")
PARAMETERS: Final = "ssm:GetParameter"
ENDING: Final = "ec2:TerminateInstances"
_THINGS: Final = {
    PARAMETERS: "parameter/aws/service/eks/optimized-ami/recommended/image_id",
    ENDING: "instance/i-0123456789abcdef0",
    "ec2:CreateFleet": "fleet/*",
    "ec2:CreateLaunchTemplate": "launch-template/*",
    "ec2:RunInstances": "instance/*",
}


class Identity(msgspec.Struct, frozen=True):
    """The controller's service account, and the role that it gets by association or by annotation."""

    controller: Controller
    associated: str = ""
    annotated: str = ""
    account: Json | None = None

    @property
    def role(self) -> str:
        """The ARN of the role that counts: an association beats an annotation."""
        return self.associated or self.annotated

    @property
    def role_name(self) -> str:
        """The name of that role."""
        return self.role.rpartition("/")[2]

    @property
    def account_title(self) -> str:
        """How findings name the service account."""
        return f"ServiceAccount/{self.controller.namespace}/{self.controller.account}"

    @property
    def account_path(self) -> str:
        """Where the API has the service account."""
        space, name = self.controller.namespace, self.controller.account
        return f"/api/v1/namespaces/{space}/serviceaccounts/{name}"


async def associations(look: Look) -> list[Json]:
    """Give the associations of Pod Identity of the cluster."""
    return await look.aws_all(
        "eks.ListPodIdentityAssociations", "associations", clusterName=look.subject.cluster
    )


async def controller_identity(look: Look) -> Identity | None:
    """Give who the controller is; nothing where none runs."""
    return await look.shared("controller identity", _controller_identity)


async def _controller_identity(look: Look) -> Identity | None:
    controller = await find_controller(look)
    if controller is None:
        return None
    found = Identity(controller)
    account = await look.get(found.account_path)
    notes = ((account or {}).get("metadata") or {}).get("annotations") or {}
    role = ""
    for one in await associations(look):
        if (one["namespace"], one["serviceAccount"]) == (controller.namespace, controller.account):
            told = await look.aws(
                "eks.DescribePodIdentityAssociation",
                clusterName=look.subject.cluster,
                associationId=one["associationId"],
            )
            role = str((told or {}).get("association", {}).get("roleArn", ""))
    return Identity(controller, role, str(notes.get(ROLE_NOTE, "")), account)


async def controller_role(look: Look) -> Json | None:
    """Give the controller's role as IAM has it; nothing where it is not there."""
    known = await controller_identity(look)
    if known is None or not known.role:
        return None
    told = await look.aws("iam.GetRole", RoleName=known.role_name)
    return (told or {}).get("Role")


async def is_refused(look: Look, action: str) -> bool:
    """Tell whether the controller's role may not do something to a thing that carries its tags."""
    role = await controller_role(look)
    if role is None:
        return False
    arn, cluster = str(role["Arn"]), look.subject.cluster
    made = {
        f"kubernetes.io/cluster/{cluster}": "owned",
        "eks:eks-cluster-name": cluster,
        "karpenter.sh/nodepool": "default",
        "karpenter.k8s.aws/ec2nodeclass": "default",
    }
    context = {f"aws:RequestTag/{key}": value for key, value in made.items()}
    if action == ENDING:
        tags = {**made, "Name": "ip-10-0-0-1.ec2.internal"}
        kinds = ("aws", "ec2")
        context = {f"{kind}:ResourceTag/{k}": v for kind in kinds for k, v in tags.items()}
    told = await look.aws(
        "iam.SimulatePrincipalPolicy",
        PolicySourceArn=arn,
        ActionNames=[action],
        ResourceArns=[_thing(look, arn, action)],
        ContextEntries=[
            {"ContextKeyName": key, "ContextKeyValues": [value], "ContextKeyType": "string"}
            for key, value in {**context, "aws:RequestedRegion": look.subject.region}.items()
        ],
    )
    results: list[Any] = (told or {}).get("EvaluationResults") or []
    return any(one["EvalDecision"] != "allowed" for one in results)


def _thing(look: Look, role: str, action: str) -> str:
    """Name something that an action is done to."""
    service, number, region = action.partition(":")[0], role.split(":")[4], look.subject.region
    owner = "" if action == PARAMETERS else number
    return f"arn:{partition_of(region)}:{service}:{region}:{owner}:{_THINGS[action]}"


def allow(role: str, name: str, statement: Json) -> tuple[Json, Json]:
    """Give the calls that add an inline policy of one statement to a role, and take it away again."""
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}
    text = msgspec.json.encode(document).decode()
    named = {"RoleName": role, "PolicyName": name}
    return {**named, "PolicyDocument": text}, named
