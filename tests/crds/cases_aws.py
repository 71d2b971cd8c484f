"""Cases of EC2NodeClass; see `cases`."""

from collections.abc import Iterator
from typing import Any

from crds.cases import AWS, Case, Object, an_object


def a_class(without: tuple[str, ...] = (), **spec: Any) -> Object:
    whole = {
        "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "c"}}],
        "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "c"}}],
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "role": "r",
        **spec,
    }
    kept = {name: value for name, value in whole.items() if name not in without}
    return an_object("karpenter.k8s.aws/v1", "EC2NodeClass", kept)


def a_disk(**ebs: Any) -> Object:
    return a_class(blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": ebs}])


def an_interface(card: int, device: int, kind: str = "interface") -> Object:
    return {"networkCardIndex": card, "deviceIndex": device, "interfaceType": kind}


def classes() -> Iterator[Case]:
    yield Case("the least class", a_class())
    yield Case("class by profile", a_class(("role",), instanceProfile="p"))
    yield Case("custom family on alias", a_class(amiFamily="Custom"))
    yield Case("family of alias", a_class(amiFamily="AL2023"))
    yield Case("image by id", a_class(amiSelectorTerms=[{"id": "ami-1"}], amiFamily="AL2"))
    named = [{"name": "x", "owner": "self"}, {"ssmParameter": "/a/b"}]
    yield Case("images by name and parameter", a_class(amiSelectorTerms=named, amiFamily="AL2"))
    yield Case("any kubelet", a_class(kubelet={"maxPods": -1, "what": {"ever": []}}))
    yield Case("raid", a_class(instanceStorePolicy="RAID0"))
    yield Case("disk by snapshot", a_disk(snapshotID="snap-1", volumeInitializationRate=100))
    for size in ("1Gi", "59000Gi", "64000G", "58Ti", "64T"):
        yield Case(f"disk of {size}", a_disk(volumeSize=size))
    nets = [an_interface(0, 0), an_interface(0, 1, "efa-only"), an_interface(1, 0, "efa-only")]
    yield Case("interfaces", a_class(networkInterfaces=nets))
    yield Case("tracking", a_class(connectionTracking={"udpTimeout": 30}))
    yield Case("hop limit", a_class(metadataOptions={"httpPutResponseHopLimit": 2}))
    yield Case("reservations", a_class(capacityReservationSelectorTerms=[{"id": "cr-1"}]))
    yield Case("placement group", a_class(placementGroupSelector={"name": "g"}))
    yield Case("role changes", a_class(role="b"), before=a_class())
    yield Case("role becomes profile", a_class(("role",), instanceProfile="p"), before=a_class())
    yield Case("tags", a_class(tags={"Name": "x", "empty": ""}))


def refused_classes() -> Iterator[Case]:
    for field, name in (
        ("subnetSelectorTerms", "subnet"),
        ("securityGroupSelectorTerms", "sg"),
        ("amiSelectorTerms", "ami"),
    ):
        yield Case(f"no {field}", a_class((field,)), field)
        yield Case(f"empty {field}", a_class(**{field: []}), field)
        many = [{"id": f"{name}-{n}"} for n in range(31)]
        yield Case(f"31 {field}", a_class(**{field: many}, amiFamily="AL2023"), field)
        for term, part in (
            ({}, "at least one of"),
            ({"tags": {"a": "b"}, "id": f"{name}-1"}, "already names one thing"),
            ({"tags": {"": "b"}}, "no empty key or value"),
            ({"tags": {"a": ""}}, "no empty key or value"),
            ({"tags": {f"k{n}": "v" for n in range(21)}}, f"{field}[0].tags"),
            ({"id": "x-1"}, f"{field}[0].id"),
        ):
            one = a_class(**{field: [term]}, amiFamily="AL2023")
            yield Case(f"{field}: {str(term)[:40]}", one, part)
    yield from refused_images()
    yield from refused_identity()
    yield from refused_devices()


def refused_images() -> Iterator[Case]:
    for name, terms, part in (
        ("two aliases", [{"alias": "al2@latest"}, {"alias": "al2023@latest"}], "the only term"),
        ("alias and id", [{"alias": "al2@latest", "id": "ami-1"}], "already names one thing"),
        ("unknown alias", [{"alias": "ubuntu@latest"}], "unknown family before the @"),
        ("no version", [{"alias": "al2023"}], "amiSelectorTerms[0].alias"),
        ("pinned windows", [{"alias": "windows2022@v1"}], "cannot be pinned"),
        ("long alias", [{"alias": "al2023@" + "v" * 24}], "amiSelectorTerms[0].alias"),
        ("owner alone", [{"owner": "self"}], "at least one of"),
        ("id and owner", [{"id": "ami-1", "owner": "self"}], "already names one thing"),
    ):
        yield Case(f"images: {name}", a_class(amiSelectorTerms=terms), part)
    yield Case("no family", a_class(amiSelectorTerms=[{"id": "ami-1"}]), "set amiFamily")
    yield Case("other family", a_class(amiFamily="AL2"), "not the family of the alias")
    yield Case("unknown family", a_class(amiFamily="Ubuntu"), "spec.amiFamily")


def refused_identity() -> Iterator[Case]:
    yield Case("no role", a_class(("role",)), "exactly one of role")
    yield Case("role and profile", a_class(instanceProfile="p"), "exactly one of role")
    yield Case("empty role", a_class(role=""), "role may not be empty")
    empty = a_class(("role",), instanceProfile="")
    yield Case("empty profile", empty, "instanceProfile may not be empty")
    for tag in (
        "eks:eks-cluster-name",
        "kubernetes.io/cluster/x",
        "karpenter.sh/nodepool",
        "karpenter.sh/nodeclaim",
        f"{AWS}/ec2nodeclass",
    ):
        yield Case(f"tag {tag}", a_class(tags={tag: "x"}), "set by the autoscaler")
    yield Case("empty tag", a_class(tags={"": "x"}), "a tag needs a key")
    for name, group in (("both", {"id": "pg-1", "name": "g"}), ("none", {})):
        one = a_class(placementGroupSelector=group)
        yield Case(f"placement group: {name}", one, "exactly one of id and name")
    for term, part in (
        ({"ownerID": "123456789012"}, "at least one of"),
        ({"id": "cr-1", "ownerID": "123456789012"}, "already names one thing"),
        ({"tags": {"a": "b"}, "ownerID": "12"}, "ownerID"),
        ({"instanceMatchCriteria": "closed"}, "instanceMatchCriteria"),
    ):
        one = a_class(capacityReservationSelectorTerms=[term])
        yield Case(f"reservation {term}", one, part)


def refused_devices() -> Iterator[Case]:
    for size in ("0Gi", "59001Gi", "64001G", "59Ti", "65T", "20", "20GB"):
        yield Case(f"disk of {size}", a_disk(volumeSize=size), "ebs.volumeSize")
    yield Case("disk without size", a_disk(encrypted=True), "volumeSize or a snapshotID")
    rate = a_disk(volumeSize="1Gi", volumeInitializationRate=100)
    yield Case("rate without snapshot", rate, "needs a snapshotID")
    slow = a_disk(snapshotID="s", volumeInitializationRate=99)
    yield Case("slow rate", slow, "volumeInitializationRate")
    yield Case("disk type", a_disk(volumeSize="1Gi", volumeType="gp9"), "ebs.volumeType")
    roots = [{"deviceName": f"/dev/{n}", "rootVolume": True} for n in "ab"]
    yield Case("two roots", a_class(blockDeviceMappings=roots), "one block device")
    disks = [{"deviceName": f"/dev/{n}"} for n in range(51)]
    yield Case("51 disks", a_class(blockDeviceMappings=disks), "blockDeviceMappings")
    yield Case("store policy", a_class(instanceStorePolicy="RAID1"), "instanceStorePolicy")
    for name, nets, part in (
        ("no primary", [an_interface(0, 1)], "must hold the primary"),
        ("twice", [an_interface(0, 0), an_interface(0, 0, "efa-only")], "same card and device"),
        (
            "two efa",
            [an_interface(0, 0), an_interface(0, 1, "efa-only"), an_interface(0, 2, "efa-only")],
            "only one efa-only",
        ),
        ("kind", [an_interface(0, 0, "trunk")], "interfaceType"),
    ):
        yield Case(f"interfaces: {name}", a_class(networkInterfaces=nets), part)
    yield Case("no timeout", a_class(connectionTracking={}), "connectionTracking needs")
    for timeouts in ({"udpTimeout": 29}, {"udpStreamTimeout": 181}, {"tcpEstablishedTimeout": 59}):
        one = a_class(connectionTracking=timeouts)
        yield Case(f"timeout {timeouts}", one, f"connectionTracking.{next(iter(timeouts))}")
    for options in (
        {"httpPutResponseHopLimit": 65},
        {"httpTokens": "maybe"},
        {"httpEndpoint": "on"},
        {"httpProtocolIPv6": "on"},
    ):
        yield Case(f"metadata {options}", a_class(metadataOptions=options), "metadataOptions.http")
    yield Case("prefixes", a_class(ipPrefixCount=-1), "ipPrefixCount")
    nested = a_class(cpuOptions={"nestedVirtualization": "maybe"})
    yield Case("nested", nested, "nestedVirtualization")


CASES = (*classes(), *refused_classes())
