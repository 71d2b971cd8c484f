"""Private subnets without a way out: neither NAT nor the endpoints that a node needs to start."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import describe_cluster
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.placed import placed_classes
from nodewright.install.found import Json

NEEDED: Final = ("ec2", "ecr.api", "ecr.dkr", "s3", "sts", "ssm", "sqs", "eks")
_THERE: Final = "available"
_EVERYWHERE: Final = ("0.0.0.0/0", "::/0")


class Facts(msgspec.Struct, frozen=True):
    """The subnets of classes, how they are routed, and the endpoints of the VPC."""

    vpc: str
    region: str
    subnets: tuple[str, ...]
    tables: tuple[Json, ...]
    endpoints: tuple[str, ...]


async def probe(look: Look) -> Facts:
    """Read routes and endpoints."""
    told = await describe_cluster(look)
    vpc = str(told.get("resourcesVpcConfig", {}).get("vpcId", ""))
    here = [{"Name": "vpc-id", "Values": [vpc]}]
    subnets = {str(each["SubnetId"]) for one in await placed_classes(look) for each in one.subnets}
    tables = await look.aws_all("ec2.DescribeRouteTables", "RouteTables", Filters=here)
    endpoints = await look.aws_all("ec2.DescribeVpcEndpoints", "VpcEndpoints", Filters=here)
    prefix = f"com.amazonaws.{look.subject.region}."
    names = (
        str(one["ServiceName"]).removeprefix(prefix)
        for one in endpoints
        if str(one.get("State", _THERE)).lower() == _THERE
    )
    return Facts(
        vpc, look.subject.region, tuple(sorted(subnets)), tuple(tables), tuple(sorted(names))
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield subnets from which a starting node reaches nothing."""
    missing = [one for one in NEEDED if one not in facts.endpoints]
    closed = [one for one in facts.subnets if not _has_way_out(one, facts.tables)]
    if not closed or not missing:
        return
    yield Finding(
        objects=tuple(closed),
        message=say(
            "{count} subnets have no route to the Internet, and {missing} endpoints are missing",
            "서브넷 {count}개에 인터넷 경로가 없고 엔드포인트 {missing}개가 빠져 있습니다",
            count=len(closed),
            missing=len(missing),
        ),
        cause=Text(
            "no NAT gateway and no VPC endpoints for what a node asks when it starts",
            "NAT 게이트웨이도, 노드가 시작할 때 필요한 VPC 엔드포인트도 없음",
        ),
        facts=(
            *(fact(one, "default route", "none") for one in closed),
            fact(facts.vpc, "endpoints missing", ", ".join(missing)),
        ),
        advice=tuple(
            f"aws ec2 create-vpc-endpoint --vpc-id {facts.vpc} --service-name com.amazonaws.{facts.region}.{one}"
            + (
                ""
                if one == "s3"
                else " --vpc-endpoint-type Interface --subnet-ids " + " ".join(closed)
            )
            for one in missing
        ),
    )


def _has_way_out(subnet: str, tables: tuple[Json, ...]) -> bool:
    own = [
        one
        for one in tables
        if any(each.get("SubnetId") == subnet for each in one.get("Associations") or ())
    ]
    main = [
        one for one in tables if any(each.get("Main") for each in one.get("Associations") or ())
    ]
    return any(
        (each.get("DestinationCidrBlock") or each.get("DestinationIpv6CidrBlock")) in _EVERYWHERE
        and each.get("State", "active") == "active"
        for one in own or main
        for each in one.get("Routes") or ()
    )


CHECK = Check(
    code="NW-3009",
    section="network",
    severity="error",
    title=Text("private subnets have a way out", "프라이빗 서브넷에 나가는 길이 있음"),
    why=Text(
        "A starting node asks EC2, ECR, S3 and EKS; where none is reached it never joins.",
        "시작하는 노드는 EC2, ECR, S3, EKS에 물어보며, 닿지 못하면 클러스터에 들어오지 못합니다.",
    ),
    answer=Text(
        "A NAT gateway or endpoints: both cost money, so the owner chooses.",
        "NAT 게이트웨이와 엔드포인트 모두 비용이 들므로 소유자가 선택합니다.",
    ),
    probe=probe,
    judge=judge,
)
