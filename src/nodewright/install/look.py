"""Reads an account into values. Nothing is changed, and nothing is decided.

Things are asked for by the names that an installation would give them, so that an account with thousands of
roles is looked at as quickly as an empty one; only leftovers need a list of all roles.
"""

import asyncio
import difflib
from typing import Final

import msgspec

from nodewright.aws.tags import read_tags
from nodewright.install.asking import Asking
from nodewright.install.documents import read_document
from nodewright.install.found import (
    AccessEntry,
    Account,
    Association,
    Cluster,
    FargateProfile,
    Json,
    Leftover,
    NodeGroup,
    Policy,
    Profile,
    Queue,
    Role,
    Rule,
    Subnet,
    Tagged,
)
from nodewright.install.look_leftover_roles import Look
from nodewright.install.look_leftovers import look_leftovers
from nodewright.install.look_made import look_made
from nodewright.install.names import ACCOUNT, NAMESPACE, Names
from nodewright.install.resources.identity import AGENT
from nodewright.install.resources.network import choose_subnets
from nodewright.install.resources.queue import RULES
from nodewright.install.resources.roles import SPOT_ROLE, policy_parts
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

NO_CLUSTER: Final = "NW-9714"
NOT_READY: Final = "NW-9715"


async def look(asking: Asking, wish: Wish, region: str, now_ms: int) -> Account:
    """Read everything of an account that an installation depends on."""
    caller = await asking.ask("sts.GetCallerIdentity")
    names = Names(str(caller["Account"]), region, wish.cluster)
    cluster = await _cluster(asking, wish.cluster, region)
    wanted = [
        names.node_role, names.karpenter_node_role, names.controller_role, names.fargate_role,
        *([wish.node_role] if wish.node_role else []),
    ]  # fmt: skip
    found_roles, policies, queue, rules = await asyncio.gather(
        asyncio.gather(*(_role(asking, one) for one in dict.fromkeys(wanted))),
        asyncio.gather(*(_policy(asking, names, one) for one in policy_parts())),
        _queue(asking, names),
        _rules(asking, names),
    )
    provider, association, groups, entries = await asyncio.gather(
        _provider(asking, names, cluster.issuer),
        _association(asking, names),
        _groups(asking, cluster.vpc_id),
        _entries(asking, names, cluster),
    )
    fargate, spot, leftovers, made = await asyncio.gather(
        _fargate(asking, names),
        asking.find("iam.GetRole", RoleName=SPOT_ROLE),
        _leftovers(asking, region, now_ms),
        look_made(asking, names),
    )
    known = {one.name: one for one in found_roles if one is not None}
    profile = await _profile(asking, names.node_role)
    account = Account(
        account_id=names.account_id,
        caller=str(caller["Arn"]),
        region=region,
        cluster=cluster,
        roles=known,
        policies={one.name: one for one in policies if one is not None},
        profiles={profile.name: profile} if profile else {},
        provider=provider,
        association=association,
        queue=queue,
        rules=rules,
        groups=groups,
        entries=entries,
        fargate=fargate,
        has_spot_role=spot is not None,
        leftovers=leftovers,
        made_profiles=made[0],
        made_templates=made[1],
    )
    subnets = await _subnets(asking, choose_subnets(account))
    return msgspec.structs.replace(account, subnets=subnets)


async def _leftovers(asking: Asking, region: str, now_ms: int) -> tuple[Leftover, ...]:
    listed = await asking.list("eks.ListClusters", "clusters")
    clusters = frozenset(map(str, listed))
    roles = await Look(asking, clusters, region, now_ms).roles()
    return await look_leftovers(asking, clusters, roles)


async def _cluster(asking: Asking, name: str, region: str) -> Cluster:
    told = await asking.find("eks.DescribeCluster", name=name)
    if told is None:
        raise await _unknown(asking, name, region)
    one = told["cluster"]
    if one.get("status", "ACTIVE") != "ACTIVE":
        raise UserError(
            f"cluster {name} is {one['status']}, not ACTIVE", code=NOT_READY, advice="try later"
        )
    vpc = one["resourcesVpcConfig"]
    groups = await asking.list("eks.ListNodegroups", "nodegroups", clusterName=name)
    addons = await asking.list("eks.ListAddons", "addons", clusterName=name)
    ours = (AGENT,) if AGENT in addons and await _is_our_addon(asking, name) else ()
    return Cluster(
        name=name,
        arn=one["arn"],
        version=one["version"],
        endpoint=one.get("endpoint", ""),
        authority=one.get("certificateAuthority", {}).get("data", ""),
        issuer=one.get("identity", {}).get("oidc", {}).get("issuer", ""),
        mode=one.get("accessConfig", {}).get("authenticationMode", "CONFIG_MAP"),
        vpc_id=vpc.get("vpcId", ""),
        group_id=vpc.get("clusterSecurityGroupId", ""),
        subnets=tuple(vpc.get("subnetIds", ())),
        addons=tuple(sorted(addons)),
        our_addons=ours,
        node_groups=tuple(
            await asyncio.gather(*(_node_group(asking, name, one) for one in sorted(groups)))
        ),
        fargate_namespaces=await _fargate_namespaces(asking, name),
    )


async def _unknown(asking: Asking, name: str, region: str) -> UserError:
    there = [str(one) for one in await asking.list("eks.ListClusters", "clusters")]
    near = difflib.get_close_matches(name, there, 1)
    if near:
        advice = f"did you mean {near[0]}?"
    elif there:
        advice = f"there are: {', '.join(sorted(there)[:5])}"
    else:
        advice = f"{region} has no cluster that you may see; is it another --region or --profile?"
    return UserError(f"there is no cluster {name} in {region}", code=NO_CLUSTER, advice=advice)


async def _is_our_addon(asking: Asking, cluster: str) -> bool:
    told = await asking.find("eks.DescribeAddon", clusterName=cluster, addonName=AGENT)
    tags = told["addon"].get("tags") or {} if told else {}
    return Names("", "", cluster).is_ours(tags)


async def _fargate_namespaces(asking: Asking, cluster: str) -> tuple[str, ...]:
    names = await asking.list("eks.ListFargateProfiles", "fargateProfileNames", clusterName=cluster)
    found: set[str] = set()
    for name in names:
        told = await asking.ask(
            "eks.DescribeFargateProfile", clusterName=cluster, fargateProfileName=name
        )
        found |= {str(one["namespace"]) for one in told["fargateProfile"].get("selectors") or ()}
    return tuple(sorted(found))


async def _node_group(asking: Asking, cluster: str, name: str) -> NodeGroup:
    told = await asking.ask("eks.DescribeNodegroup", clusterName=cluster, nodegroupName=name)
    one = told["nodegroup"]
    template = one.get("launchTemplate") or {}
    sizes = one.get("scalingConfig") or {}
    return NodeGroup(
        name=name,
        role=one.get("nodeRole", ""),
        subnets=tuple(one.get("subnets", ())),
        groups=await _template_groups(asking, template) if template.get("id") else (),
        instance_types=tuple(one.get("instanceTypes") or ()),
        capacity_type=one.get("capacityType", "ON_DEMAND"),
        ami_type=one.get("amiType", ""),
        desired=int(sizes.get("desiredSize", 0)),
        smallest=int(sizes.get("minSize", 0)),
        largest=int(sizes.get("maxSize", 1)),
        taints=tuple(one.get("taints") or ()),
    )


async def _template_groups(asking: Asking, template: Json) -> tuple[str, ...]:
    told = await asking.find(
        "ec2.DescribeLaunchTemplateVersions",
        LaunchTemplateId=template["id"],
        Versions=[str(template.get("version") or "$Default")],
    )
    versions = (told or {}).get("LaunchTemplateVersions") or ()
    for version in versions:
        data = version["LaunchTemplateData"]
        for card in data.get("NetworkInterfaces") or ():
            if card.get("Groups"):
                return tuple(card["Groups"])
        return tuple(data.get("SecurityGroupIds") or ())
    return ()


async def _role(asking: Asking, name: str) -> Role | None:
    told = await asking.find("iam.GetRole", RoleName=name)
    if told is None:
        return None
    attached = await asking.list("iam.ListAttachedRolePolicies", "AttachedPolicies", RoleName=name)
    profiles = await asking.list(
        "iam.ListInstanceProfilesForRole", "InstanceProfiles", RoleName=name
    )
    return Role(
        name=name,
        arn=told["Role"]["Arn"],
        tags=read_tags(told["Role"].get("Tags")),
        trust=read_document(told["Role"]["AssumeRolePolicyDocument"]),
        policies=tuple(sorted(one["PolicyArn"] for one in attached)),
        profiles=tuple(sorted(one["InstanceProfileName"] for one in profiles)),
    )


async def _policy(asking: Asking, names: Names, part: str) -> Policy | None:
    name = names.policy(part)
    arn = names.iam(f"policy/{name}")
    told = await asking.find("iam.GetPolicy", PolicyArn=arn)
    if told is None:
        return None
    current = told["Policy"]["DefaultVersionId"]
    versions = await asking.list("iam.ListPolicyVersions", "Versions", PolicyArn=arn)
    said = await asking.ask("iam.GetPolicyVersion", PolicyArn=arn, VersionId=current)
    old = [one for one in versions if one["VersionId"] != current]
    return Policy(
        name=name,
        arn=arn,
        tags=read_tags(told["Policy"].get("Tags")),
        document=read_document(said["PolicyVersion"]["Document"]),
        old_versions=tuple(
            str(one["VersionId"])
            for one in sorted(old, key=lambda one: int(one["VersionId"].lstrip("v")))
        ),
    )


async def _profile(asking: Asking, name: str) -> Profile | None:
    told = await asking.find("iam.GetInstanceProfile", InstanceProfileName=name)
    if told is None:
        return None
    one = told["InstanceProfile"]
    roles = tuple(str(role["RoleName"]) for role in one["Roles"])
    return Profile(name, one["Arn"], read_tags(one.get("Tags")), roles)


async def _provider(asking: Asking, names: Names, issuer: str) -> Tagged | None:
    arn = names.iam(f"oidc-provider/{issuer.removeprefix('https://')}")
    told = await asking.ask("iam.ListOpenIDConnectProviders")
    if arn not in {one["Arn"] for one in told["OpenIDConnectProviderList"]}:
        return None
    one = await asking.ask("iam.GetOpenIDConnectProvider", OpenIDConnectProviderArn=arn)
    return Tagged(issuer, arn, read_tags(one.get("Tags")))


async def _association(asking: Asking, names: Names) -> Association | None:
    listed = await asking.list(
        "eks.ListPodIdentityAssociations",
        "associations",
        clusterName=names.cluster,
        namespace=NAMESPACE,
        serviceAccount=ACCOUNT,
    )
    for one in listed:
        number = str(one["associationId"])
        told = await asking.ask(
            "eks.DescribePodIdentityAssociation", clusterName=names.cluster, associationId=number
        )
        found = told["association"]
        return Association(
            number, found["associationArn"], dict(found.get("tags") or {}), found["roleArn"]
        )
    return None


async def _queue(asking: Asking, names: Names) -> Queue | None:
    told = await asking.find("sqs.GetQueueUrl", QueueName=names.queue)
    if told is None:
        return None
    url = str(told["QueueUrl"])
    said = await asking.ask("sqs.GetQueueAttributes", QueueUrl=url, AttributeNames=["All"])
    tags = await asking.ask("sqs.ListQueueTags", QueueUrl=url)
    attributes = said.get("Attributes") or {}
    return Queue(
        name=names.queue,
        arn=attributes.get("QueueArn", ""),
        tags=dict(tags.get("Tags") or {}),
        url=url,
        policy=attributes.get("Policy", ""),
    )


async def _rules(asking: Asking, names: Names) -> tuple[Rule, ...]:
    arn = names.here("sqs", names.queue)
    sending = await asking.list("events.ListRuleNamesByTarget", "RuleNames", TargetArn=arn)
    wanted = {*map(str, sending), *map(names.rule, RULES)}
    found = await asyncio.gather(*(_rule(asking, one) for one in sorted(wanted)))
    return tuple(one for one in found if one is not None)


async def _rule(asking: Asking, name: str) -> Rule | None:
    told = await asking.find("events.DescribeRule", Name=name)
    if told is None:
        return None
    targets = await asking.list("events.ListTargetsByRule", "Targets", Rule=name)
    tags = await asking.ask("events.ListTagsForResource", ResourceARN=told["Arn"])
    return Rule(
        name=name,
        arn=told["Arn"],
        tags=read_tags(tags.get("Tags")),
        pattern=msgspec.json.decode(told.get("EventPattern") or "{}"),
        targets={str(one["Id"]): str(one["Arn"]) for one in targets},
    )


async def _groups(asking: Asking, vpc_id: str) -> tuple[Tagged, ...]:
    here = [{"Name": "vpc-id", "Values": [vpc_id]}]
    told = await asking.list("ec2.DescribeSecurityGroups", "SecurityGroups", Filters=here)
    return tuple(
        Tagged(one["GroupId"], one.get("GroupName", ""), read_tags(one.get("Tags")))
        for one in sorted(told, key=lambda one: str(one["GroupId"]))
    )


async def _subnets(asking: Asking, ids: tuple[str, ...]) -> tuple[Subnet, ...]:
    told = await asking.list("ec2.DescribeSubnets", "Subnets", SubnetIds=list(ids))
    return tuple(
        Subnet(
            name=one["SubnetId"],
            tags=read_tags(one.get("Tags")),
            zone=one["AvailabilityZone"],
            is_public=bool(one.get("MapPublicIpOnLaunch")),
        )
        for one in sorted(told, key=lambda one: str(one["SubnetId"]))
    )


async def _entries(asking: Asking, names: Names, cluster: Cluster) -> dict[str, AccessEntry]:
    if cluster.mode == "CONFIG_MAP":
        return {}
    listed = await asking.list("eks.ListAccessEntries", "accessEntries", clusterName=cluster.name)
    found = await asyncio.gather(*(_entry(asking, names, one) for one in sorted(listed)))
    return {one.name: one for one in found if one is not None}


async def _entry(asking: Asking, names: Names, principal: str) -> AccessEntry | None:
    told = await asking.find(
        "eks.DescribeAccessEntry", clusterName=names.cluster, principalArn=principal
    )
    if told is None:
        return None
    one = told["accessEntry"]
    return AccessEntry(
        principal, one.get("accessEntryArn", ""), dict(one.get("tags") or {}), one["type"]
    )


async def _fargate(asking: Asking, names: Names) -> FargateProfile | None:
    told = await asking.find(
        "eks.DescribeFargateProfile",
        clusterName=names.cluster,
        fargateProfileName=names.fargate_profile,
    )
    if told is None:
        return None
    one = told["fargateProfile"]
    return FargateProfile(
        names.fargate_profile,
        one.get("fargateProfileArn", ""),
        dict(one.get("tags") or {}),
        one.get("status", ""),
    )
