"""Machines that have not become nodes of the cluster in time, and how far each has come. Read once for all."""

from typing import Any, Final, Literal

import msgspec

from nodewright.doctor.cluster import CLAIMS, NODES, age_ms, is_true, labels_of
from nodewright.doctor.look import Look, Subject
from nodewright.install.found import Json
from nodewright.model.labels import NODEPOOL

PATIENCE_MS: Final = 10 * 60_000
_MINUTE_MS: Final = 60_000

type Stage = Literal["created", "launched", "registered"]
"""How far a claim has come that is not initialized."""


class Waiting(msgspec.Struct, frozen=True):
    """A claim that is not initialized, and its node where it has one."""

    claim: Json
    stage: Stage
    age_ms: int
    node: Json | None = None

    @property
    def name(self) -> str:
        """How findings name it."""
        return f"NodeClaim/{self.claim['metadata']['name']}"

    @property
    def node_name(self) -> str:
        """The node's name, or the claim's where there is none."""
        return str((self.node or self.claim)["metadata"]["name"])

    @property
    def pool(self) -> str:
        """The pool that it is of."""
        return labels_of(self.claim).get(NODEPOOL, "")

    @property
    def minutes(self) -> int:
        """How long it has been waiting."""
        return self.age_ms // _MINUTE_MS

    def amounts(self, field: str) -> dict[str, Any]:
        """Give what the claim was promised (`capacity`) or its node has (`allocatable`)."""
        holder = self.claim if field == "capacity" else (self.node or {})
        found: dict[str, Any] = (holder.get("status") or {}).get(field) or {}
        return found


async def waiting_claims(look: Look) -> tuple[Waiting, ...]:
    """Give the claims that should have been initialized by now."""
    return await look.shared("waiting", _waiting_claims)


async def _waiting_claims(look: Look) -> tuple[Waiting, ...]:
    nodes = {one["metadata"]["name"]: one for one in await look.all(NODES)}
    claims = await look.all(CLAIMS)
    return tuple(find_waiting(claims, nodes, look.subject))


def find_waiting(claims: list[Json], nodes: dict[str, Json], subject: Subject) -> list[Waiting]:
    """Find the claims that have waited longer than one can explain by booting, and the one asked about."""
    found = []
    for claim in claims:
        age = age_ms(claim, subject.now_ms)
        is_young = age < PATIENCE_MS and claim["metadata"]["name"] != subject.claim
        leaving = bool(claim["metadata"].get("deletionTimestamp"))
        if leaving or is_young or is_true(claim, "Initialized"):
            continue
        node = nodes.get((claim.get("status") or {}).get("nodeName", ""))
        found.append(Waiting(claim, stage_of(claim), age, node))
    return found


def stage_of(claim: Json) -> Stage:
    """Tell how far a claim has come."""
    if is_true(claim, "Registered"):
        return "registered"
    return "launched" if is_true(claim, "Launched") else "created"
