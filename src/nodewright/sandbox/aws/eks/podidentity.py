"""Pod identity: associations of service accounts with roles, and the credentials that pods get by them.

Credentials come by EKS's own service (`eks-auth`) or from the address that the agent would answer on in
the cluster; both need the agent's add-on to be there, as in a cluster.
"""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.credentials import Session
from nodewright.sandbox.aws.eks.clusters import Extras, extras
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles
from nodewright.sandbox.aws.sts import become, read_token, service_trusts

AGENT: Final = "eks-pod-identity-agent"
SERVICE: Final = "pods.eks.amazonaws.com"
AUDIENCE: Final = "pods.eks.amazonaws.com"
_PAGE: Final = 100
_SUMMARY: Final = ("clusterName", "namespace", "serviceAccount", "associationArn", "associationId")


def find_association(more: Extras, namespace: str, service_account: str) -> dict[str, Any] | None:
    """Give the association of a service account, if it has one."""
    return next(
        (
            one
            for one in more.associations.values()
            if (one["namespace"], one["serviceAccount"]) == (namespace, service_account)
        ),
        None,
    )


def credentials_for(
    account: Account, region: str, name: str, token: str
) -> tuple[dict[str, Any], Session]:
    """Give the association and the session that a service account's token leads to."""
    more = extras(account, region, name)
    subject = str(read_token(token).get("sub", ""))
    parts = subject.split(":")
    if len(parts) != 4 or parts[:2] != ["system", "serviceaccount"]:
        raise AwsError("InvalidTokenException", "The token is not that of a service account")
    found = find_association(more, parts[2], parts[3])
    if found is None:
        raise AwsError(
            "ResourceNotFoundException",
            f"No pod identity association was found for {parts[2]}/{parts[3]}",
            404,
        )
    role = str(found["roleArn"])
    tags = {
        "eks-cluster-name": name,
        "eks-cluster-arn": f"arn:{account.partition}:eks:{region}:{account.account_id}:cluster/{name}",
        "kubernetes-namespace": parts[2],
        "kubernetes-service-account": parts[3],
    }
    if not all(
        service_trusts(account, role, SERVICE, action, tags)
        for action in ("sts:AssumeRole", "sts:TagSession")
    ):
        raise AwsError(
            "AccessDeniedException",
            f"Unauthorized Exception! EKS does not have permissions to assume the associated role {role}.",
        )
    return found, become(account, role, f"eks-{name}-{parts[3]}"[:64], tags)


@handles("eks", "CreatePodIdentityAssociation")
def create_association(account: Account, call: Call) -> dict[str, Any]:
    """Associate a service account with a role."""
    params = call.params
    name = str(params["clusterName"])
    more = extras(account, call.region, name)
    if find_association(more, str(params["namespace"]), str(params["serviceAccount"])):
        raise AwsError(
            "ResourceInUseException",
            "Association already exists: the service account has one on this cluster.",
            409,
        )
    now = moment(account.clock.now_ms())
    number = f"a-{account.number():017x}"
    more.associations[number] = {
        "clusterName": name,
        "namespace": str(params["namespace"]),
        "serviceAccount": str(params["serviceAccount"]),
        "roleArn": str(params["roleArn"]),
        "associationArn": f"arn:{account.partition}:eks:{call.region}:{account.account_id}"
        f":podidentityassociation/{name}/{number}",
        "associationId": number,
        "tags": dict(params.get("tags") or {}),
        "createdAt": now,
        "modifiedAt": now,
        "disableSessionTags": bool(params.get("disableSessionTags", False)),
    }
    return {"association": more.associations[number]}


@handles("eks", "ListPodIdentityAssociations")
def list_associations(account: Account, call: Call) -> dict[str, Any]:
    """List associations."""
    more = extras(account, call.region, str(call.params["clusterName"]))
    wanted = [
        (one, call.params[one]) for one in ("namespace", "serviceAccount") if call.params.get(one)
    ]
    found = [
        {name: one[name] for name in _SUMMARY}
        for one in more.associations.values()
        if all(one[name] == value for name, value in wanted)
    ]
    size = int(call.params.get("maxResults") or _PAGE)
    some, token = page(found, call.params.get("nextToken"), size, "InvalidParameterException")
    return with_token({"associations": some}, "nextToken", token)


@handles(
    "eks",
    "DescribePodIdentityAssociation",
    "UpdatePodIdentityAssociation",
    "DeletePodIdentityAssociation",
)
def one_association(account: Account, call: Call) -> dict[str, Any]:
    """Describe an association, after changing it or while taking it away."""
    more = extras(account, call.region, str(call.params["clusterName"]))
    number = str(call.params["associationId"])
    if number not in more.associations:
        raise AwsError("ResourceNotFoundException", f"The association {number} was not found.", 404)
    found = more.associations[number]
    if call.operation.startswith("Update"):
        if call.params.get("roleArn"):
            found["roleArn"] = str(call.params["roleArn"])
        found["modifiedAt"] = moment(account.clock.now_ms())
    if call.operation.startswith("Delete"):
        del more.associations[number]
    return {"association": found}


@handles("eks-auth", "AssumeRoleForPodIdentity")
def assume_for_pod(account: Account, call: Call) -> dict[str, Any]:
    """Give a pod the credentials of its association."""
    found, session = credentials_for(
        account, call.region, str(call.params["clusterName"]), str(call.params["token"])
    )
    return {
        "subject": {"namespace": found["namespace"], "serviceAccount": found["serviceAccount"]},
        "audience": AUDIENCE,
        "podIdentityAssociation": {
            "associationArn": found["associationArn"],
            "associationId": found["associationId"],
        },
        "assumedRoleUser": {
            "arn": session.principal.arn,
            "assumeRoleId": session.principal.user_id,
        },
        "credentials": {
            "accessKeyId": session.access_key,
            "secretAccessKey": session.secret,
            "sessionToken": session.token,
            "expiration": moment(session.expires_ms),
        },
    }
