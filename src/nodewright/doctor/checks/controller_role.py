"""The controller's own role: its service account must have one, and the role must let it in."""

import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import describe_cluster
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.identity import Identity, controller_identity, controller_role
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.resources.identity import ROLE_NOTE
from nodewright.install.resources.roles import trust
from nodewright.install.steps import Ask, Step

_PODS: Final = "pods.eks.amazonaws.com"


class Facts(msgspec.Struct, frozen=True):
    """Who the controller is to be, what its role says of that, and the issuers that IAM knows."""

    cluster: str
    issuer: str
    identity: Identity | None = None
    role: Json | None = None
    providers: tuple[str, ...] = ()


async def probe(look: Look) -> Facts:
    """Read the service account, its role and the issuers."""
    told = await describe_cluster(look)
    issuer = str(told.get("identity", {}).get("oidc", {}).get("issuer", ""))
    known = await controller_identity(look)
    facts = Facts(look.subject.cluster, issuer.removeprefix("https://"), known)
    if known is None:
        return facts
    providers: list[Any] = []
    if known.annotated and not known.associated:
        providers = await look.aws_all(
            "iam.ListOpenIDConnectProviders", "OpenIDConnectProviderList"
        )
    return msgspec.structs.replace(
        facts,
        role=await controller_role(look),
        providers=tuple(str(one["Arn"]) for one in providers),
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield what keeps the controller from being its role."""
    known = facts.identity
    if (
        known is None
        or known.controller.kind == "kwok"
        or known.controller.settings.get("CLOUD") == "kwok"
    ):
        return
    if not known.role:
        yield _without_role(facts, known)
        return
    if facts.role is None:
        yield _lost_role(known)
        return
    document = _trust_of(facts.role)
    if known.associated:
        if not _trusts(document, {"Service": _PODS}, ""):
            wanted = trust({"Service": _PODS}, "sts:AssumeRole", "sts:TagSession")
            yield _wrong_trust(facts, known, document, wanted)
        return
    provider = next((one for one in facts.providers if one.endswith(facts.issuer)), "")
    if not provider:
        yield _unknown_issuer(facts, known)
        return
    subject = f"system:serviceaccount:{known.controller.namespace}:{known.controller.account}"
    if not _trusts(document, {"Federated": provider}, subject):
        same = {f"{facts.issuer}:aud": "sts.amazonaws.com", f"{facts.issuer}:sub": subject}
        wanted = trust(
            {"Federated": provider},
            "sts:AssumeRoleWithWebIdentity",
            condition={"StringEquals": same},
        )
        yield _wrong_trust(facts, known, document, wanted)


def _trust_of(role: Json) -> Json:
    told = role.get("AssumeRolePolicyDocument") or {}
    found: Json = json.loads(unquote(told)) if isinstance(told, str) else told
    return found


def _trusts(document: Json, principal: dict[str, str], subject: str) -> bool:
    statements = document.get("Statement") or []
    for one in statements if isinstance(statements, list) else [statements]:
        who = one.get("Principal") or {}
        if one.get("Effect") != "Allow" or not isinstance(who, dict):
            continue
        kind, name = next(iter(principal.items()))
        named = who.get(kind) or []
        if name not in ([named] if isinstance(named, str) else named):
            continue
        said = json.dumps(one.get("Condition") or {})
        if not subject or f'"{subject}"' in said or ":sub" not in said:
            return True
    return False


def _without_role(facts: Facts, known: Identity) -> Finding:
    name = f"KarpenterControllerRole-{facts.cluster}"
    one = known.controller
    command = (
        f"aws eks create-pod-identity-association --cluster-name {facts.cluster} "
        f"--namespace {one.namespace} --service-account {one.account} --role-arn ROLE_ARN"
        f"  # such as {name}"
    )
    return Finding(
        objects=(known.account_title,),
        message=say(
            "{title} has no role: neither an association of Pod Identity nor an annotation",
            "{title}에 역할이 없습니다: Pod Identity 연결도 주석도 없음",
            title=known.account_title,
        ),
        cause=Text(
            "the association or the annotation was made for another namespace or account",
            "연결이나 주석이 다른 네임스페이스 또는 서비스 어카운트에 만들어짐",
        ),
        facts=(
            fact(known.account_title, f"annotation {ROLE_NOTE}", "none"),
            fact(f"EKS cluster {facts.cluster}", "pod identity associations", "none for it"),
        ),
        advice=(command,),
    )


def _lost_role(known: Identity) -> Finding:
    return Finding(
        objects=(known.account_title, known.role),
        message=say(
            "the role of {title} is not there: {role}",
            "{title}의 역할이 없습니다: {role}",
            title=known.account_title,
            role=known.role,
        ),
        cause=Text("the role was deleted or is named wrongly", "역할이 삭제되었거나 이름이 틀림"),
        facts=(fact(known.account_title, "role", known.role),),
        advice=("nodewright install --plan-out plan.json",),
    )


def _unknown_issuer(facts: Facts, known: Identity) -> Finding:
    url = f"https://{facts.issuer}"
    params = {"Url": url, "ClientIDList": ["sts.amazonaws.com"]}
    number = known.role.split(":")[4]
    partition = known.role.split(":")[1]
    arn = f"arn:{partition}:iam::{number}:oidc-provider/{facts.issuer}"
    made = Ask("iam.CreateOpenIDConnectProvider", params, ("EntityAlreadyExists",))
    undo = Ask(
        "iam.DeleteOpenIDConnectProvider", {"OpenIDConnectProviderArn": arn}, ("NoSuchEntity",)
    )
    return Finding(
        objects=(known.account_title, f"EKS cluster {facts.cluster}"),
        message=say(
            "IAM does not know the issuer of cluster {cluster}, so {title} cannot take its role on",
            "IAM이 클러스터 {cluster}의 발급자를 몰라 {title}이(가) 역할을 맡을 수 없습니다",
            cluster=facts.cluster,
            title=known.account_title,
        ),
        cause=Text("there is no OIDC provider for the cluster", "클러스터의 OIDC 공급자가 없음"),
        facts=(fact("IAM", "OIDC providers", ", ".join(facts.providers) or "none"),),
        mends=(Mend(Step("+", "oidc provider", facts.issuer, "", (made,)), (undo,)),),
    )


def _wrong_trust(facts: Facts, known: Identity, before: Json, wanted: Json) -> Finding:
    name = known.role_name

    def deed(document: Json) -> Ask:
        text = msgspec.json.encode(document).decode()
        return Ask("iam.UpdateAssumeRolePolicy", {"RoleName": name, "PolicyDocument": text})

    return Finding(
        objects=(f"IAM role {name}", known.account_title),
        message=say(
            "role {name} does not let {title} in",
            "역할 {name}이(가) {title}을(를) 허용하지 않습니다",
            name=name,
            title=known.account_title,
        ),
        cause=Text(
            "its trust names another namespace, account, issuer or service",
            "신뢰 정책에 다른 네임스페이스, 어카운트, 발급자 또는 서비스가 적혀 있음",
        ),
        facts=(
            fact(
                f"IAM role {name}", "AssumeRolePolicyDocument", json.dumps(before, sort_keys=True)
            ),
            fact(f"EKS cluster {facts.cluster}", "issuer", facts.issuer),
        ),
        mends=(
            Mend(Step("~", "iam role", name, "whom it trusts", (deed(wanted),)), (deed(before),)),
        ),
    )


CHECK = Check(
    code="NW-3033",
    section="identity",
    severity="error",
    title=Text("the controller gets its role", "컨트롤러가 자신의 역할을 맡음"),
    why=Text(
        "Every call of AWS is refused (AssumeRoleWithWebIdentity: AccessDenied), so nothing is done.",
        "모든 AWS 호출이 거부되어(AssumeRoleWithWebIdentity: AccessDenied) 아무 일도 하지 못합니다.",
    ),
    answer=Text(
        "The trust is put right and the issuer made known; which role an account without one should have is the owner's choice.",
        "신뢰 정책을 바로잡고 발급자를 등록합니다. 역할이 없는 어카운트에 어떤 역할을 줄지는 소유자가 정합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
