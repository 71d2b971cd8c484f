"""What an account shall hold, written down: its network, its clusters, and what was left behind.

A scenario is a YAML file. A few come with the program and go by their names; any other is a path. The
first cluster is the one whose control plane is real; others exist in EKS only.
"""

from importlib import resources
from pathlib import Path
from typing import Final, Literal

import msgspec
import yaml

from nodewright.model.errors import UserError

_CODE: Final = "NW-9113"
_FOLDER: Final = "scenarios"

type Template = Literal["none", "groups", "interfaces"]
type Mode = Literal["API", "API_AND_CONFIG_MAP", "CONFIG_MAP"]
type Scaler = Literal["none", "cluster-autoscaler", "karpenter-v1", "karpenter-legacy"]


class _Written(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A part of the file; a word that it does not know is a mistake."""


class NodeGroup(_Written, frozen=True):
    """A managed node group; `template` says where its launch template names security groups."""

    name: str
    instance_type: str = "m5.large"
    count: int = 2
    template: Template = "none"
    labels: dict[str, str] = {}


class Cluster(_Written, frozen=True):
    """An EKS cluster and what runs in it."""

    name: str
    authentication_mode: Mode = "API_AND_CONFIG_MAP"
    made_by: Literal["console", "eksctl"] = "console"
    private_endpoint: bool = True
    public_endpoint: bool = True
    oidc_provider: bool = True
    node_groups: tuple[NodeGroup, ...] = ()
    addons: tuple[str, ...] = ("vpc-cni", "kube-proxy", "coredns", "metrics-server")
    scaler: Scaler = "none"


class Network(_Written, frozen=True):
    """The VPC: one public and one private subnet in each zone, a NAT gateway or endpoints."""

    cidr: str = "10.20.0.0/16"
    zone_count: int = 3
    nat: bool = True
    endpoints: tuple[str, ...] = ()


class Scenario(_Written, frozen=True):
    """A whole account."""

    title: str
    region: str = "us-west-2"
    network: Network = Network()
    clusters: tuple[Cluster, ...] = ()
    # Clusters that are gone and left their Karpenter node role behind.
    stale_clusters: tuple[str, ...] = ()


def names() -> tuple[str, ...]:
    """Name the scenarios that come with the program."""
    folder = resources.files("nodewright.sandbox.accounts").joinpath(_FOLDER)
    return tuple(
        sorted(
            entry.name.removesuffix(".yaml")
            for entry in folder.iterdir()
            if entry.name.endswith(".yaml")
        )
    )


def read(wanted: str) -> Scenario:
    """Read a scenario by its name or from a file."""
    if wanted in names():
        folder = resources.files("nodewright.sandbox.accounts").joinpath(_FOLDER)
        return parse(folder.joinpath(f"{wanted}.yaml").read_text("utf-8"), wanted)
    path = Path(wanted)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"there is no scenario {wanted!r}: {error}",
            code=_CODE,
            advice=f"give a file, or one of: {', '.join(names())}",
        ) from error
    return parse(text, str(path))


def parse(text: str, where: str) -> Scenario:
    """Read a scenario from its text; what is wrong with it is one sentence."""
    try:
        found = msgspec.convert(yaml.safe_load(text), Scenario)
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
        raise UserError(f"this is no YAML: {said}", code=_CODE, where=where) from error
    except msgspec.ValidationError as error:
        raise UserError(f"this is no scenario: {error}", code=_CODE, where=where) from error
    _check(found, where)
    return found


def _check(found: Scenario, where: str) -> None:
    if not found.clusters:
        raise UserError("a scenario needs at least one cluster", code=_CODE, where=where)
    named = [cluster.name for cluster in found.clusters]
    if len(set(named)) != len(named):
        raise UserError("two clusters have the same name", code=_CODE, where=where)
    if not 1 <= found.network.zone_count <= _ZONES_MAX:
        raise UserError(f"zoneCount must be from 1 to {_ZONES_MAX}", code=_CODE, where=where)


_ZONES_MAX: Final = 6
