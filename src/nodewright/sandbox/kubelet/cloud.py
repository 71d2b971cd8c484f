"""The machine's and the control plane's view of AWS, through boto3 like any other client.

What many machines share (a subnet, a group, a role, a cluster) is asked once for each look around, and
forgotten with it: what a person mends meanwhile is seen at the next look.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import boto3
from botocore.client import Config
from botocore.exceptions import ClientError

from nodewright.sandbox.kubelet.access import Entry
from nodewright.sandbox.kubelet.instance import Instance, read_instance
from nodewright.sandbox.kubelet.judge import Cluster
from nodewright.sandbox.kubelet.network import Group, Route, Site
from nodewright.sandbox.kubelet.rights import ALL
from nodewright.sandbox.kubelet.survey import read_group, route_of, service_of

# The key of the stand-in's own parts; what is asked with it is neither logged nor refused.
INSIDER_KEY: Final = "AKIASTANDININSIDER00"
_PAGE: Final = 1000
_ALLOWED: Final = "allowed"
_GONE: Final = frozenset({"NoSuchEntity", "ResourceNotFoundException", "NoSuchEntityException"})


class Keys:
    """Where the stand-in is, and with which key to ask it."""

    def __init__(self, url: str, region: str, key: str) -> None:
        self.url = url
        self.region = region
        self._session = boto3.session.Session(
            aws_access_key_id=key, aws_secret_access_key=key, region_name=region
        )
        self._clients: dict[str, Any] = {}

    def client(self, service: str) -> Any:
        """Give a client that neither waits long nor gives up at the first trouble."""
        if service not in self._clients:
            # Made once: reading a service's model takes longer than most calls.
            config = Config(connect_timeout=5, read_timeout=30, retries={"max_attempts": 3})
            self._clients[service] = self._session.client(
                service, endpoint_url=self.url, config=config
            )
        return self._clients[service]


class Cloud:
    """AWS as one look around sees it."""

    def __init__(self, keys: Keys) -> None:
        self._region = keys.region
        self._ec2 = keys.client("ec2")
        self._eks = keys.client("eks")
        self._iam = keys.client("iam")
        self._kept: dict[tuple[str, str], Any] = {}

    def look_anew(self) -> None:
        """Forget what was asked before."""
        self._kept.clear()

    def instances(self) -> tuple[Instance, ...]:
        """Give all machines of the account in this region, ended ones too."""
        pages = self._ec2.get_paginator("describe_instances").paginate(
            PaginationConfig={"PageSize": _PAGE}
        )
        return tuple(
            read_instance(told)
            for page in pages
            for reservation in page["Reservations"]
            for told in reservation["Instances"]
        )

    def user_data(self, instance_id: str) -> str:
        """Give a machine's user data as EC2 keeps it: in base64."""
        told = self._ec2.describe_instance_attribute(InstanceId=instance_id, Attribute="userData")
        return str(told.get("UserData", {}).get("Value") or "")

    def image_name(self, image_id: str) -> str:
        """Give the name of an image, or nothing where it is gone."""

        def ask() -> str:
            found = self._ec2.describe_images(
                Filters=[{"Name": "image-id", "Values": [image_id]}], IncludeDeprecated=True
            )["Images"]
            return str(found[0].get("Name", "")) if found else ""

        return self._once("image", image_id, ask)

    def disks(self, instance: Instance) -> tuple[tuple[str, int], ...]:
        """Give device and size in GiB of each volume of a machine."""
        sizes = self._once("sizes", "all", self._sizes)
        return tuple(
            (device, sizes[volume]) for device, volume in instance.volumes if volume in sizes
        )

    def _sizes(self) -> dict[str, int]:
        # All at once: a thousand machines that boot together would ask a thousand times.
        pages = self._ec2.get_paginator("describe_volumes").paginate(
            PaginationConfig={"PageSize": _PAGE}
        )
        return {one["VolumeId"]: int(one["Size"]) for page in pages for one in page["Volumes"]}

    def zone_id(self, subnet_id: str) -> str:
        """Give the id of a subnet's zone."""
        return str(self._subnet(subnet_id).get("AvailabilityZoneId", ""))

    def cluster(self, name: str) -> dict[str, Any] | None:
        """Give what EKS says of a cluster."""

        def ask() -> dict[str, Any] | None:
            try:
                found: dict[str, Any] = self._eks.describe_cluster(name=name)["cluster"]
            except ClientError as error:
                _raise_unless_gone(error)
                return None
            return found

        return self._once("cluster", name, ask)

    def entries(self, cluster: str) -> dict[str, Entry]:
        """Give a cluster's access entries by principal."""

        def ask() -> dict[str, Entry]:
            pages = self._eks.get_paginator("list_access_entries").paginate(clusterName=cluster)
            names = [name for page in pages for name in page["accessEntries"]]
            return {name: self._entry(cluster, name) for name in names}

        return self._once("entries", cluster, ask)

    def _entry(self, cluster: str, principal: str) -> Entry:
        told = self._eks.describe_access_entry(clusterName=cluster, principalArn=principal)
        entry = told["accessEntry"]
        return Entry(entry["type"], entry.get("username", ""), tuple(entry["kubernetesGroups"]))

    def has_association(self, cluster: str, namespace: str, account: str) -> bool:
        """Tell whether a service account has a role by Pod Identity."""

        def ask() -> bool:
            told = self._eks.list_pod_identity_associations(
                clusterName=cluster, namespace=namespace, serviceAccount=account
            )
            return bool(told["associations"])

        return self._once("association", f"{cluster}/{namespace}/{account}", ask)

    def role_of(self, profile: str) -> str:
        """Give the ARN of the role in an instance profile, or nothing."""

        def ask() -> str:
            name = profile.rpartition("/")[2]
            try:
                roles = self._iam.get_instance_profile(InstanceProfileName=name)
            except ClientError as error:
                _raise_unless_gone(error)
                return ""
            return next((str(one["Arn"]) for one in roles["InstanceProfile"]["Roles"]), "")

        return self._once("profile", profile, ask) if profile else ""

    def allowed(self, role: str) -> frozenset[str]:
        """Give which of the actions that a node needs its role may take."""

        def ask() -> frozenset[str]:
            told = self._iam.simulate_principal_policy(PolicySourceArn=role, ActionNames=list(ALL))
            return frozenset(
                one["EvalActionName"]
                for one in told["EvaluationResults"]
                if one["EvalDecision"] == _ALLOWED
            )

        return self._once("rights", role, ask)

    def site(self, instance: Instance, cluster: Mapping[str, Any] | None) -> Site:
        """Give where a machine stands, and where the control plane does."""
        config = (cluster or {}).get("resourcesVpcConfig", {})
        control = tuple(
            dict.fromkeys(
                (*_known(config.get("clusterSecurityGroupId")), *config.get("securityGroupIds", ()))
            )
        )
        subnet = self._subnet(instance.subnet_id)
        return Site(
            address=instance.address,
            subnet_id=instance.subnet_id,
            free_count=int(subnet.get("AvailableIpAddressCount", 0)),
            route=self._route(instance),
            groups=tuple(self._group(one) for one in instance.group_ids),
            control_groups=tuple(self._group(one) for one in control),
            endpoints=self._endpoints(instance.vpc_id),
            has_public_address=bool(instance.public_address),
            has_name=bool(instance.dns_name),
            has_dns=self._has_dns(instance.vpc_id),
            is_api_private=bool(config.get("endpointPrivateAccess", False)),
            is_api_public=bool(config.get("endpointPublicAccess", True)),
            control_ranges=tuple(
                str(self._subnet(one)["CidrBlock"]) for one in config.get("subnetIds", ())
            ),
        )

    def _subnet(self, subnet_id: str) -> dict[str, Any]:
        def ask() -> dict[str, Any]:
            found: dict[str, Any] = self._ec2.describe_subnets(SubnetIds=[subnet_id])["Subnets"][0]
            return found

        return self._once("subnet", subnet_id, ask)

    def _group(self, group_id: str) -> Group:
        def ask() -> Group:
            found = self._ec2.describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
            return read_group(found[0])

        return self._once("group", group_id, ask)

    def _route(self, instance: Instance) -> Route:
        vpc = [{"Name": "vpc-id", "Values": [instance.vpc_id]}]
        tables = self._once(
            "tables",
            instance.vpc_id,
            lambda: self._ec2.describe_route_tables(Filters=vpc)["RouteTables"],
        )
        live = self._once("gateways", instance.vpc_id, lambda: self._gateways(instance.vpc_id))
        return route_of(instance.subnet_id, tables, live)

    def _gateways(self, vpc_id: str) -> frozenset[str]:
        return frozenset(self._find_gateways(vpc_id))

    def _find_gateways(self, vpc_id: str) -> Iterator[str]:
        told = self._ec2.describe_nat_gateways(Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])
        for one in told["NatGateways"]:
            if one["State"] == "available":
                yield one["NatGatewayId"]
        attached = [{"Name": "attachment.vpc-id", "Values": [vpc_id]}]
        for one in self._ec2.describe_internet_gateways(Filters=attached)["InternetGateways"]:
            yield one["InternetGatewayId"]

    def _endpoints(self, vpc_id: str) -> frozenset[str]:
        def ask() -> frozenset[str]:
            found = self._ec2.describe_vpc_endpoints(
                Filters=[{"Name": "vpc-id", "Values": [vpc_id]}]
            )["VpcEndpoints"]
            return frozenset(
                service_of(one, self._region) for one in found if one["State"] == "available"
            )

        return self._once("endpoints", vpc_id, ask)

    def _has_dns(self, vpc_id: str) -> bool:
        def ask() -> bool:
            told = self._ec2.describe_vpc_attribute(VpcId=vpc_id, Attribute="enableDnsSupport")
            return bool(told["EnableDnsSupport"]["Value"])

        return self._once("dns", vpc_id, ask)

    def _once[T](self, kind: str, name: str, ask: Callable[[], T]) -> T:
        key = (kind, name)
        if key not in self._kept:
            self._kept[key] = ask()
        found: T = self._kept[key]
        return found


def read_cluster(told: Mapping[str, Any]) -> Cluster:
    """Read the answer of DescribeCluster."""
    return Cluster(
        name=told["name"],
        endpoint=told.get("endpoint", ""),
        authority=told.get("certificateAuthority", {}).get("data", ""),
        version=told.get("version", ""),
    )


def mode_of(told: Mapping[str, Any]) -> str:
    """Give a cluster's authentication mode; one that was made before there were any has the map."""
    return str(told.get("accessConfig", {}).get("authenticationMode", "CONFIG_MAP"))


def _raise_unless_gone(error: ClientError) -> None:
    if error.response["Error"]["Code"] not in _GONE:
        raise error


def _known(value: str | None) -> tuple[str, ...]:
    return (value,) if value else ()
