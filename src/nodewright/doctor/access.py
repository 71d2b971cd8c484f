"""Who is let into the cluster as a node: the access entries of node roles, and `aws-auth`. Read once for all."""

from typing import Final

import msgspec

from nodewright.doctor.account import node_roles
from nodewright.doctor.cluster import AWS_AUTH, describe_cluster
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.resources.access import read_map
from nodewright.model.errors import UserError

CONFIG_MAP: Final = "CONFIG_MAP"
LINUX: Final = "EC2_LINUX"
WINDOWS: Final = "EC2_WINDOWS"
NODE_KINDS: Final = (LINUX, WINDOWS, "EC2", "HYBRID_LINUX")


class Entry(msgspec.Struct, frozen=True):
    """The access entry of a node role: its type never changes, its tags are its owner's."""

    kind: str
    tags: dict[str, str] = {}


class Access(msgspec.Struct, frozen=True):
    """By which ways a cluster lets nodes in, and whom; entries are those of node roles."""

    cluster: str
    mode: str
    entries: dict[str, Entry] = {}
    aws_auth: Json | None = None

    @property
    def takes_entries(self) -> bool:
        """Whether access entries count."""
        return self.mode != CONFIG_MAP

    @property
    def written_map(self) -> str | None:
        """The roles of `aws-auth` as they are written."""
        found: str | None = ((self.aws_auth or {}).get("data") or {}).get("mapRoles")
        return found

    @property
    def lines(self) -> list[Json]:
        """The roles of `aws-auth`; none where they cannot be read."""
        return self._read()[0]

    @property
    def why_unreadable(self) -> str:
        """Why nobody is let in by `aws-auth`, where its roles cannot be read."""
        return self._read()[1]

    def _read(self) -> tuple[list[Json], str]:
        try:
            return read_map(self.written_map or ""), ""
        except UserError as error:
            return [], error.message

    def line_of(self, role: str) -> Json | None:
        """Give the line of `aws-auth` for a role."""
        wanted = bare(role)
        return next(
            (one for one in self.lines if bare(str(one.get("rolearn", ""))) == wanted), None
        )


def bare(role: str) -> str:
    """Give the ARN of a role without its path, as `aws-auth` compares it."""
    return f"{role.partition(':role/')[0]}:role/{role.rpartition('/')[2]}"


async def node_access(look: Look) -> Access:
    """Read the mode of the cluster, the entries of node roles, and `aws-auth`."""
    return await look.shared("access", _node_access)


async def _node_access(look: Look) -> Access:
    told = await describe_cluster(look)
    mode = str(told.get("accessConfig", {}).get("authenticationMode", CONFIG_MAP))
    name = look.subject.cluster
    entries: dict[str, Entry] = {}
    if mode != CONFIG_MAP:
        listed = await look.aws_all("eks.ListAccessEntries", "accessEntries", clusterName=name)
        ours = {one.arn for one in await node_roles(look)}
        for role in sorted(ours.intersection(map(str, listed))):
            entries[role] = await _entry(look, role)
    aws_auth = await look.get(AWS_AUTH) if mode != "API" else None
    return Access(name, mode, entries, aws_auth)


async def _entry(look: Look, role: str) -> Entry:
    told = await look.aws(
        "eks.DescribeAccessEntry", clusterName=look.subject.cluster, principalArn=role
    )
    found: Json = (told or {}).get("accessEntry") or {}
    return Entry(str(found.get("type", "")), dict(found.get("tags") or {}))
