"""Services of type LoadBalancer that nobody serves well: the in-tree controller has them, or nobody.

The in-tree controller acts with the node role and makes classic load balancers; under Pod Identity it has
no rights at all. What serves them today is the AWS Load Balancer Controller with a role of its own.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.balancer_role import ACCOUNT, SPACE, identity_mends
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import (
    BALANCERS,
    DEPLOYMENTS,
    SERVICES,
    describe_cluster,
    name_of,
    notes_of,
)
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.names import Names
from nodewright.install.resources.identity import AGENT
from nodewright.install.steps import Merge, Step

_TYPE: Final = "service.beta.kubernetes.io/aws-load-balancer-type"
_EXTERNAL: Final = ("external", "nlb-ip")
_ROLE: Final = "eks.amazonaws.com/role-arn"
_CLASSIC_MAX: Final = 3


class Facts(msgspec.Struct, frozen=True):
    """The services, who is there to serve them, and what the in-tree controller has made."""

    names: Names
    vpc_id: str = ""
    services: tuple[Json, ...] = ()
    has_controller: bool = False
    has_role: bool = False
    has_agent: bool = False
    classic: tuple[str, ...] = ()


async def probe(look: Look) -> Facts:
    """Read services of type LoadBalancer; AWS is asked only where there are any."""
    services = [
        one for one in await look.all(SERVICES) if one["spec"].get("type") == "LoadBalancer"
    ]
    subject = look.subject
    if not services:
        return Facts(Names("", subject.region, subject.cluster))
    told = await describe_cluster(look)
    account = str(told.get("arn", "::::")).split(":")[4]
    here = [one for one in await look.all(DEPLOYMENTS) if one["metadata"]["name"] == BALANCERS]
    space = str(here[0]["metadata"]["namespace"]) if here else SPACE
    addons = await look.aws_all("eks.ListAddons", "addons", clusterName=subject.cluster)
    return Facts(
        names=Names(account, subject.region, subject.cluster),
        vpc_id=str(told.get("resourcesVpcConfig", {}).get("vpcId", "")),
        services=tuple(services),
        has_controller=bool(here),
        has_role=await _has_role(look, space),
        has_agent=AGENT in addons,
        classic=await _classic(look),
    )


async def _has_role(look: Look, space: str) -> bool:
    account = await look.get(f"/api/v1/namespaces/{space}/serviceaccounts/{ACCOUNT}")
    if account and notes_of(account).get(_ROLE):
        return True
    found = await look.aws_all(
        "eks.ListPodIdentityAssociations", "associations", clusterName=look.subject.cluster
    )
    return any((one["namespace"], one["serviceAccount"]) == (space, ACCOUNT) for one in found)


async def _classic(look: Look) -> tuple[str, ...]:
    """Say how the machines of classic load balancers of this cluster are doing."""
    found = await look.aws_all("elb.DescribeLoadBalancers", "LoadBalancerDescriptions")
    named = [str(one["LoadBalancerName"]) for one in found]
    if not named:
        return ()
    told = await look.aws("elb.DescribeTags", LoadBalancerNames=named[:20])
    owned = f"kubernetes.io/cluster/{look.subject.cluster}"
    mine = [
        str(one["LoadBalancerName"])
        for one in (told or {}).get("TagDescriptions") or ()
        if any(tag["Key"] == owned for tag in one.get("Tags") or ())
    ]
    said = []
    for name in mine[:_CLASSIC_MAX]:
        health = await look.aws("elb.DescribeInstanceHealth", LoadBalancerName=name)
        states = (health or {}).get("InstanceStates") or []
        good = sum(one["State"] == "InService" for one in states)
        said.append(f"{name}: {good} of {len(states)} machines InService")
    return tuple(said)


def _is_external(service: Json) -> bool:
    return (
        bool(service["spec"].get("loadBalancerClass")) or notes_of(service).get(_TYPE) in _EXTERNAL
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield the services, with what is missing for them."""
    old = [one for one in facts.services if not _is_external(one)]
    if not facts.services or not (old or not facts.has_controller or not facts.has_role):
        return
    missing = [
        word
        for word, there in (
            (f"add-on {AGENT}", facts.has_agent or facts.has_role),
            (f"Deployment {BALANCERS}", facts.has_controller),
            (f"a role for ServiceAccount {SPACE}/{ACCOUNT}", facts.has_role),
            (f"annotation {_TYPE}: external", not old),
        )
        if not there
    ]
    told = old or list(facts.services)
    yield Finding(
        objects=tuple(f"Service/{name_of(one)}" for one in told),
        message=say(
            "Services of type LoadBalancer that the load balancer controller does not serve: {count}",
            "LoadBalancer 타입 서비스 {count}개를 로드 밸런서 컨트롤러가 처리하지 않습니다",
            count=len(told),
        ),
        cause=say(
            "missing: {missing}",
            "빠진 것: {missing}",
            missing="; ".join(missing),
        ),
        facts=(
            *(
                fact(
                    f"Service/{name_of(one)}",
                    f"metadata.annotations[{_TYPE}]",
                    notes_of(one).get(_TYPE, "none"),
                )
                for one in told[:3]
            ),
            *(fact("classic load balancer", "", line) for line in facts.classic),
        ),
        mends=tuple(_mends(facts, old)),
        advice=tuple(_advice(facts, old)),
    )


def _mends(facts: Facts, old: list[Json]) -> Iterator[Mend]:
    if not facts.has_role:
        yield from identity_mends(facts.names, has_agent=facts.has_agent)
    for one in old:
        if _is_served(one):
            continue
        meta = one["metadata"]
        path = f"/api/v1/namespaces/{meta['namespace']}/services/{meta['name']}"
        was = notes_of(one).get(_TYPE)
        yield Mend(
            Step("~", "service", name_of(one), f"{_TYPE}: external", (_note(path, "external"),)),
            (_note(path, was),),
        )


def _note(path: str, value: str | None) -> Merge:
    return Merge(path, {"metadata": {"annotations": {_TYPE: value}}})


def _is_served(service: Json) -> bool:
    """Tell whether a load balancer was made for it already: its type must not change under it."""
    return bool(((service.get("status") or {}).get("loadBalancer") or {}).get("ingress"))


def _advice(facts: Facts, old: list[Json]) -> Iterator[str]:
    if not facts.has_controller:
        names = facts.names
        yield (
            f"helm upgrade --install {BALANCERS} {BALANCERS} --repo https://aws.github.io/eks-charts "
            f"-n {SPACE} --set clusterName={names.cluster} --set region={names.region} "
            f"--set vpcId={facts.vpc_id} --set serviceAccount.name={ACCOUNT}"
        )
    for one in old:
        if _is_served(one):
            meta = one["metadata"]
            where = f"-n {meta['namespace']} service {meta['name']}"
            yield f"# {name_of(one)} has a load balancer already: make it anew, its address changes"
            yield f"kubectl get {where} -o yaml > service.yaml"
            yield f"kubectl delete {where}"
            yield f"kubectl annotate --local -f service.yaml {_TYPE}=external -o yaml | kubectl apply -f -"


CHECK = Check(
    code="NW-3004",
    section="load-balancers",
    severity="warning",
    title=Text("Services of type LoadBalancer are served", "LoadBalancer 타입 서비스가 처리됨"),
    why=Text(
        "The in-tree controller acts with the node role, makes classic load balancers that are long out of "
        "service, and makes none at all under Pod Identity.",
        "인트리 컨트롤러는 노드 역할로 움직여 오래 응답하지 않는 클래식 로드 밸런서를 만들고, Pod Identity에서는 "
        "아예 만들지 못합니다.",
    ),
    answer=Text(
        "The role, its association and the annotations are made; the controller itself comes by Helm, with the "
        "command that is printed.",
        "역할, 연결, 애너테이션을 만듭니다. 컨트롤러는 출력된 Helm 명령으로 설치합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
