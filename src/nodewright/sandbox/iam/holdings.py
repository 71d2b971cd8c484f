"""What the account holds, as the table of actions asks for it: things by kind and name.

Most of it is in moto's objects, the rest in the stand-in's own stores. A kind that nobody keeps by
name is taken as being there; its tags are looked up by its id.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError
from nodewright.sandbox.aws.ec2.machines import machines
from nodewright.sandbox.aws.ec2.spec import read_template
from nodewright.sandbox.aws.ec2.tags import tags_of
from nodewright.sandbox.aws.ec2.volumes import find_key
from nodewright.sandbox.aws.eks.clusters import extras
from nodewright.sandbox.iam.actions.needs import Ask, Thing, arn_of, read_tags
from nodewright.sandbox.iam.context import Values

# Where moto keeps a kind of EC2's things by id.
_SHELVES: Final = {
    "image": "amis",
    "network-interface": "enis",
    "snapshot": "snapshots",
    "volume": "volumes",
    "vpc": "vpcs",
}
# Kinds that the stand-in keeps itself, in a store of each region.
_STORES: Final = {
    "capacity-reservation": "reservations",
    "fleet": "fleets",
    "spot-instances-request": "spot",
}
# What the stand-in keeps of a cluster, and under which name its ARN is.
_CHILDREN: Final = {
    "access-entry": ("entries", "accessEntryArn"),
    "addon": ("addons", "addonArn"),
    "podidentityassociation": ("associations", "associationArn"),
}


class Holdings:
    """The things of one account as one call in a region sees them; each is looked up once."""

    def __init__(self, account: Account, region: str) -> None:
        self._account = account
        self._region = region
        self._ask = Ask("", "", {}, region, account.account_id, account.partition)
        self._found: dict[tuple[str, str], Thing | None] = {}

    def find(self, kind: str, name: str) -> Thing | None:
        """Give an existing thing by kind (`ec2:instance`) and id or name."""
        if (kind, name) not in self._found:
            self._found[kind, name] = self._look(kind, name)
        return self._found[kind, name]

    def _look(self, kind: str, name: str) -> Thing | None:
        service, _, sort = kind.partition(":")
        finders: dict[str, Callable[[str, str], Thing | None]] = {
            "ec2": self._ec2,
            "iam": self._iam,
            "eks": self._eks,
            "sqs": self._queue,
            "events": self._rule,
            "kms": self._key,
        }
        return finders[service](sort, name)

    def template(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give the data of a launch template; none if there is no such one, which EC2 will say."""
        try:
            return read_template(self._account, self._region, wanted).data
        except AwsError:
            return {}

    def profile_role(self, profile: str) -> str:
        """Give the ARN of the role in an instance profile; empty if there is none."""
        for one in self._backend("iam").instance_profiles.values():
            if profile in (one.name, one.arn) and one.roles:
                return str(one.roles[0].arn)
        return ""

    def _backend(self, service: str) -> Any:
        return self._account.inside.backend(service, self._region)

    def _ec2(self, sort: str, name: str) -> Thing | None:
        backend, kind = self._backend("ec2"), f"ec2:{sort}"
        facts: dict[str, Values] = {}
        if sort == "instance":
            machine = machines(self._account).get(name)
            if machine is None:
                return None
            facts = {"ec2:InstanceType": machine.key[0], "ec2:AvailabilityZone": machine.key[1]}
        elif sort == "launch-template":
            name = str(backend.launch_template_name_to_ids.get(name, name))
            if name not in backend.launch_templates:
                return None
        elif sort == "subnet":
            subnet = next((zone[name] for zone in backend.subnets.values() if name in zone), None)
            if subnet is None:
                return None
            facts = {"ec2:AvailabilityZone": str(subnet.availability_zone), "ec2:SubnetID": name}
        elif sort == "security-group":
            group = _group(backend, name)
            if group is None:
                return None
            name = str(group.id)
        elif sort in _STORES:
            if name not in self._account.store(f"{_STORES[sort]}/{self._region}", dict[str, Any]):
                return None
        elif sort in _SHELVES and name not in getattr(backend, _SHELVES[sort]):
            return None
        tags = tags_of(self._account, self._region, name)
        return Thing(arn_of(self._ask, kind, name), tags, facts)

    def _iam(self, sort: str, name: str) -> Thing | None:
        backend = self._backend("iam")
        shelves: dict[str, Iterable[Any]] = {
            "role": backend.roles.values(),
            "user": backend.users.values(),
            "group": backend.groups.values(),
            "instance-profile": backend.instance_profiles.values(),
            "policy": backend.managed_policies.values(),
            "oidc-provider": backend.open_id_providers.values(),
        }
        for one in shelves.get(sort, ()):
            if name in (one.arn, getattr(one, "name", None)):
                tags = backend.tagger.get_tag_dict_for_resource(one.arn)
                return Thing(str(one.arn), {**tags, **_own_tags(one)})
        return None

    def _eks(self, sort: str, name: str) -> Thing | None:
        clusters = self._backend("eks").clusters
        if sort == "any":
            for cluster in clusters.values():
                if cluster.arn == name:
                    return Thing(name, read_tags(cluster.tags))
            return None
        cluster_name, _, child = name.partition("/") if sort != "cluster" else (name, "", "")
        cluster = clusters.get(cluster_name)
        if cluster is None or sort == "cluster":
            return Thing(str(cluster.arn), read_tags(cluster.tags)) if cluster else None
        if sort in _CHILDREN:
            shelf, arn_name = _CHILDREN[sort]
            own = getattr(extras(self._account, self._region, cluster_name), shelf).get(child)
            return Thing(str(own[arn_name]), read_tags(own.get("tags"))) if own else None
        if sort == "nodegroup":
            group = cluster.nodegroups.get(child)
            return Thing(str(group.arn), read_tags(group.tags)) if group else None
        profile = cluster.fargate_profiles.get(child)
        return Thing(str(profile.fargate_profile_arn), read_tags(profile.tags)) if profile else None

    def _queue(self, _: str, name: str) -> Thing | None:
        queue = self._backend("sqs").queues.get(name)
        return Thing(str(queue.queue_arn), read_tags(queue.tags)) if queue else None

    def _rule(self, _: str, name: str) -> Thing | None:
        backend = self._backend("events")
        arn = arn_of(self._ask, "events:rule", name)
        for bus in backend.event_buses.values():
            for rule in bus.rules.values():
                if rule.arn == arn:
                    return Thing(arn, backend.tagger.get_tag_dict_for_resource(arn))
        return None

    def _key(self, _: str, name: str) -> Thing | None:
        key = find_key(self._account, self._region, name)
        if key is None:
            return None
        tags = self._backend("kms").tagger.get_tag_dict_for_resource(key.id)
        return Thing(str(key.arn), tags)


def _group(backend: Any, name: str) -> Any:
    for groups in backend.groups.values():
        for one in groups.values():
            if name in (one.id, one.name):
                return one
    return None


def _own_tags(one: Any) -> dict[str, str]:
    """Give the tags that moto keeps on an object of IAM, in either of its two forms."""
    written = getattr(one, "tags", None) or []
    if isinstance(written, Mapping):
        return read_tags(list(written.values()))
    return read_tags(written)
