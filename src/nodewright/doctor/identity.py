"""Who the controller is to AWS, and what that lets it do. Read once for all checks.

Its role follows from an association of Pod Identity, or from the annotation of its service account. What the
role may do is asked of IAM itself, so that every policy, boundary and condition counts.
"""

from typing import Any, Final

import msgspec

from nodewright.doctor.cluster import Controller, find_controller
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.resources.identity import ROLE_NOTE

LAUNCHING: Final = ("ec2:CreateFleet", "ec2:CreateLaunchTemplate", "ec2:RunInstances")
PARAMETERS: Final = "ssm:GetParameter"
ENDING: Final = "ec2:TerminateInstances"


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


async def refused_actions(look: Look) -> frozenset[str]:
    """Name the actions of launching and looking up images that the controller's role may not do."""
    return await look.shared("refused actions", _refused_actions)


async def _refused_actions(look: Look) -> frozenset[str]:
    role = await controller_role(look)
    if role is None:
        return frozenset()
    cluster = look.subject.cluster
    tags = {
        f"aws:RequestTag/kubernetes.io/cluster/{cluster}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": cluster,
        "aws:RequestTag/karpenter.sh/nodepool": "default",
    }
    return await simulate(look, str(role["Arn"]), (PARAMETERS, *LAUNCHING), tags)


async def refuses_ending(look: Look) -> bool:
    """Tell whether the controller's role may not end a machine that it has made."""
    role = await controller_role(look)
    if role is None:
        return False
    tags = {
        f"aws:ResourceTag/kubernetes.io/cluster/{look.subject.cluster}": "owned",
        "aws:ResourceTag/eks:eks-cluster-name": look.subject.cluster,
        "aws:ResourceTag/karpenter.sh/nodepool": "default",
        "aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass": "default",
        "ec2:ResourceTag/karpenter.sh/nodepool": "default",
        "ec2:ResourceTag/Name": "ip-10-0-0-1.ec2.internal",
        "aws:ResourceTag/Name": "ip-10-0-0-1.ec2.internal",
    }
    return bool(await simulate(look, str(role["Arn"]), (ENDING,), tags))


async def simulate(
    look: Look, role: str, actions: tuple[str, ...], tags: dict[str, str]
) -> frozenset[str]:
    """Name the actions that a role may not do on things with such tags."""
    context: list[Any] = [
        {"ContextKeyName": key, "ContextKeyValues": [value], "ContextKeyType": "string"}
        for key, value in {**tags, "aws:RequestedRegion": look.subject.region}.items()
    ]
    told = await look.aws(
        "iam.SimulatePrincipalPolicy",
        PolicySourceArn=role,
        ActionNames=list(actions),
        ContextEntries=context,
    )
    return frozenset(
        str(one["EvalActionName"])
        for one in (told or {}).get("EvaluationResults") or ()
        if one["EvalDecision"] != "allowed"
    )


def allow(role: str, name: str, statement: Json) -> tuple[Json, Json]:
    """Give the calls that add an inline policy of one statement to a role, and take it away again."""
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}
    text = msgspec.json.encode(document).decode()
    named = {"RoleName": role, "PolicyName": name}
    return {**named, "PolicyDocument": text}, named
