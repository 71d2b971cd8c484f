"""What somebody asks of an installation, with the defaults that suit most."""

from typing import Literal

import msgspec

type Identity = Literal["auto", "pod-identity", "irsa"]


class Wish(msgspec.Struct, frozen=True, rename="camel"):
    """The cluster, and every choice that a person may make about it."""

    cluster: str
    node_role: str = ""
    node_policies: tuple[str, ...] = ()
    security_groups: tuple[str, ...] = ()
    identity: Identity = "auto"
    is_fargate: bool = False
    has_pools: bool = True
    takes_over: bool = True
    pins_system: bool = False
    removes_leftovers: bool = False
    move_group: str = ""
    image: str = ""
    journal: str = ""
    replicas: int = 2
