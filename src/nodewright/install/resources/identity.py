"""How the controller's pods become its role: by Pod Identity where the agent runs, else by IRSA.

Pods on Fargate cannot use Pod Identity. IRSA needs the cluster's issuer to be known to IAM; where it is not, it
is made known. With Pod Identity asked for and no agent there, the agent's add-on is installed.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.aws.tags import print_tags
from nodewright.install.found import Found, Json
from nodewright.install.names import ACCOUNT, NAMESPACE, Names
from nodewright.install.resources.roles import EXISTS, GONE, trust
from nodewright.install.steps import Ask, Step
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

AGENT: Final = "eks-pod-identity-agent"
ROLE_NOTE: Final = "eks.amazonaws.com/role-arn"
MISSING: Final = ("ResourceNotFoundException",)
IN_USE: Final = ("ResourceInUseException",)
_AUDIENCE: Final = "sts.amazonaws.com"
_NO_FARGATE: Final = "NW-9705"


def uses_pod_identity(found: Found, wish: Wish) -> bool:
    """Tell by which of the two the controller gets its role."""
    if wish.is_fargate:
        if wish.identity == "pod-identity":
            raise UserError(
                "pods on Fargate cannot use Pod Identity: its agent does not run there",
                code=_NO_FARGATE,
                advice="leave --identity out, or say --identity irsa",
            )
        return False
    if wish.identity == "auto":
        return AGENT in found.account.cluster.addons
    return wish.identity == "pod-identity"


def controller_trust(found: Found, wish: Wish, names: Names) -> Json:
    """Give the document by which the controller's pods take its role on."""
    if uses_pod_identity(found, wish):
        return trust({"Service": "pods.eks.amazonaws.com"}, "sts:AssumeRole", "sts:TagSession")
    issuer = found.account.cluster.issuer.removeprefix("https://")
    subject = f"system:serviceaccount:{NAMESPACE}:{ACCOUNT}"
    same = {f"{issuer}:aud": _AUDIENCE, f"{issuer}:sub": subject}
    return trust(
        {"Federated": provider_arn(found, names)},
        "sts:AssumeRoleWithWebIdentity",
        condition={"StringEquals": same},
    )


def provider_arn(found: Found, names: Names) -> str:
    """Name the provider of the cluster's issuer."""
    issuer = found.account.cluster.issuer.removeprefix("https://")
    return names.iam(f"oidc-provider/{issuer}")


def account_notes(found: Found, wish: Wish, names: Names) -> dict[str, str]:
    """Give the annotations of the controller's service account."""
    if uses_pod_identity(found, wish):
        return {}
    return {ROLE_NOTE: names.iam(f"role/{names.controller_role}")}


def plan_before_role(found: Found, wish: Wish, names: Names) -> Iterator[Step]:
    """Plan what must be there before the role: the issuer's provider, or the agent."""
    cluster = found.account.cluster
    if not uses_pod_identity(found, wish):
        arn = provider_arn(found, names)
        if found.account.provider is not None:
            yield Step("=", "oidc provider", _short(arn))
            return
        if not cluster.issuer:
            raise UserError(
                f"cluster {cluster.name} has no OIDC issuer",
                code=_NO_FARGATE,
                advice="use --identity pod-identity",
            )
        params: Json = {
            "Url": cluster.issuer,
            "ClientIDList": [_AUDIENCE],
            "Tags": print_tags(names.tags),
        }
        made = Ask("iam.CreateOpenIDConnectProvider", params, EXISTS)
        yield Step("+", "oidc provider", _short(arn), "so that IAM knows the cluster", (made,))
    elif AGENT not in cluster.addons:
        params = {"clusterName": cluster.name, "addonName": AGENT, "tags": names.tags}
        yield Step("+", "add-on", AGENT, "", (Ask("eks.CreateAddon", params, IN_USE),))
    else:
        yield Step("=", "add-on", AGENT)


def plan_association(found: Found, wish: Wish, names: Names) -> Iterator[Step]:
    """Plan the association of the service account with the role, where Pod Identity is used."""
    if not uses_pod_identity(found, wish):
        return
    role = names.iam(f"role/{names.controller_role}")
    known = found.account.association
    title = f"{NAMESPACE}/{ACCOUNT}"
    cluster = {"clusterName": names.cluster}
    if known is None:
        params = {
            **cluster,
            "namespace": NAMESPACE,
            "serviceAccount": ACCOUNT,
            "roleArn": role,
            "tags": names.tags,
        }
        made = Ask("eks.CreatePodIdentityAssociation", params, IN_USE)
        yield Step("+", "pod identity", title, names.controller_role, (made,))
    elif known.role != role:
        params = {**cluster, "associationId": known.name, "roleArn": role}
        changed = Ask("eks.UpdatePodIdentityAssociation", params)
        yield Step("~", "pod identity", title, names.controller_role, (changed,))
    else:
        yield Step("=", "pod identity", title)


def undo_identity(found: Found, names: Names) -> Iterator[Step]:
    """Take the association, the provider and the agent away that are ours."""
    account = found.account
    known = account.association
    if known is not None and names.is_ours(known.tags):
        params = {"clusterName": names.cluster, "associationId": known.name}
        gone = Ask("eks.DeletePodIdentityAssociation", params, MISSING)
        yield Step("-", "pod identity", f"{NAMESPACE}/{ACCOUNT}", "", (gone,))
    if AGENT in account.cluster.our_addons:
        params = {"clusterName": names.cluster, "addonName": AGENT}
        yield Step("-", "add-on", AGENT, "", (Ask("eks.DeleteAddon", params, MISSING),))
    provider = account.provider
    if provider is not None and names.is_ours(provider.tags):
        params = {"OpenIDConnectProviderArn": provider.arn}
        gone = Ask("iam.DeleteOpenIDConnectProvider", params, GONE)
        yield Step("-", "oidc provider", _short(provider.arn), "", (gone,))


def _short(arn: str) -> str:
    return arn.rpartition("/")[2]
