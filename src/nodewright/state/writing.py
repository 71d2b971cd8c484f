"""Snapshots written: a World, and what was on its way when it was taken, as one JSON document.

The same World gives the same bytes. What no decision needs is dropped here, once for everybody who
writes objects down: boot scripts, the manifest that kubectl keeps in an annotation, and what tools of
others note on pods and volumes. A pool without types is written with none, so that nobody who reads
it adds the built-in ones.
"""

import gzip
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from nodewright.model.beside import Beside
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.instance import InstanceType
from nodewright.model.instant import parse_instant, print_instant
from nodewright.model.labels import WELL_KNOWN
from nodewright.model.metadata import Struct
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.world import Options, World
from nodewright.state.catalogs import write_type
from nodewright.state.expectations import Held, Placed
from nodewright.state.kinds import FIELDS, kind_of

API_VERSION: Final = "nodewright.dev/v1"
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_OURS: Final = frozenset({"nodes", "node_claims", "node_pools", "node_classes", "node_overlays"})
_DOMAINS: Final = ("kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.aws", "nodewright.dev")


class SnapshotMetadata(Struct, frozen=True):
    """Where and when a snapshot was taken."""

    name: str = ""
    cluster: str = ""
    taken_at: str | None = None
    region: str = ""


class WrittenNomination(Struct, frozen=True):
    """Where a pod is expected, and until when where there is an end."""

    host: str
    until: str | None = None


class WrittenClaim(Struct, frozen=True):
    """A claim that was created and not seen yet."""

    claim: NodeClaim
    at: str


class WrittenExpectations(Struct, frozen=True):
    """What was written and had not come back; `made` names the claims of this process."""

    claims: tuple[WrittenClaim, ...] = ()
    made: tuple[str, ...] = ()


class WrittenState(Struct, frozen=True):
    """What the objects do not tell; without nominations and expectations nothing is on its way."""

    nominations: dict[str, WrittenNomination] | None = None
    expectations: WrittenExpectations | None = None
    unreadable_pods: dict[str, str] = {}
    beside: Beside = Beside()


class Parts(msgspec.Struct, frozen=True):
    """The parts of a document: objects and instance types are written already."""

    now_ms: int
    metadata: SnapshotMetadata
    objects: Iterable[bytes]
    catalogs: Mapping[str, Iterable[bytes]]
    pools: Mapping[str, str]
    options: object
    state: object


def write_snapshot(
    world: World,
    metadata: SnapshotMetadata,
    *,
    held: Held | None = None,
    compress: bool = False,
) -> bytes:
    """Write a World as a snapshot document, with what was expected where it is not in it yet."""
    names: dict[int, str] = {}
    catalogs: dict[str, list[bytes]] = {}
    pools: dict[str, str] = {}
    for pool, types in pools_of(world).items():
        if id(types) not in names:
            names[id(types)] = f"c{len(names)}"
            catalogs[names[id(types)]] = [encode_type(one) for one in types]
        pools[pool] = names[id(types)]
    objects = [encode_object(field, one) for field in FIELDS for one in getattr(world, field)]
    parts = Parts(
        now_ms=world.now_ms,
        metadata=metadata,
        objects=objects,
        catalogs=catalogs,
        pools=pools,
        options=write_options(world.options),
        state=write_state(world, held),
    )
    plain = assemble(parts)
    return gzip.compress(plain, mtime=0) if compress else plain


def assemble(parts: Parts) -> bytes:
    """Put the parts of a document together."""
    document = {
        "apiVersion": API_VERSION,
        "kind": "Snapshot",
        "metadata": {
            **msgspec.to_builtins(parts.metadata),
            "takenAt": print_instant(parts.now_ms),
        },
        "objects": [msgspec.Raw(one) for one in parts.objects],
        "catalogs": {
            name: [msgspec.Raw(one) for one in types] for name, types in parts.catalogs.items()
        },
        "instanceTypes": dict(parts.pools),
        "options": parts.options,
        "state": parts.state,
    }
    return msgspec.json.encode(document, order="deterministic")


def pools_of(world: World) -> dict[str, tuple[InstanceType, ...]]:
    """Give the types of every pool in the order of their names, of those without any too."""
    none: dict[str, tuple[InstanceType, ...]] = {
        pool.metadata.name: () for pool in world.node_pools
    }
    return dict(sorted((none | dict(world.instance_types)).items()))


def encode_object(field: str, one: Struct) -> bytes:
    """Write one object of a World's field, without what no decision needs."""
    kind = kind_of(field, one)
    written = msgspec.to_builtins(_without_private(field, one))
    whole = {"apiVersion": kind.api_version, "kind": kind.kind, **written}
    return msgspec.json.encode(whole, order="deterministic")


def encode_type(one: InstanceType) -> bytes:
    """Write one instance type."""
    return msgspec.json.encode(write_type(one), order="deterministic")


def _without_private(field: str, one: Any) -> Any:
    known: dict[str, str] = one.metadata.annotations
    kept = {key: value for key, value in known.items() if _is_kept(field, key)}
    if len(kept) < len(known):
        one = replace(one, metadata=replace(one.metadata, annotations=kept))
    if isinstance(one, EC2NodeClass) and one.spec.user_data is not None:
        one = replace(one, spec=replace(one.spec, user_data=None))
    return one


def _is_kept(field: str, key: str) -> bool:
    if key == _LAST_APPLIED:
        return False
    domain = key.partition("/")[0]
    return field in _OURS or any(domain == one or domain.endswith(f".{one}") for one in _DOMAINS)


def write_options(options: Options) -> dict[str, object]:
    """Write every option, those that have their default too."""
    return {
        "preferencePolicy": options.preference_policy,
        "minValuesPolicy": options.min_values_policy,
        "featureGates": dict(options.feature_gates),
        "wellKnownLabels": sorted(options.well_known_labels - WELL_KNOWN),
        "reservationIDLabel": options.reservation_id_label,
        "reservedOfferingMode": options.reserved_offering_mode,
        "consolidationSimulation": options.consolidation_simulation,
        "pendingRule": options.pending_rule,
        "defaultConstraints": msgspec.to_builtins(options.default_constraints),
    }


def write_state(world: World, held: Held | None = None) -> object:
    """Write what the objects do not tell."""
    state = WrittenState(
        unreadable_pods={one.key: one.problem for one in world.bad_pods}, beside=world.beside
    )
    if held is not None:
        state = replace(
            state,
            nominations={
                uid: WrittenNomination(one.host, _print(one.until_ms))
                for uid, one in held.placed.items()
            },
            expectations=WrittenExpectations(
                tuple(WrittenClaim(claim, print_instant(at_ms)) for claim, at_ms in held.claims),
                tuple(sorted(held.made)),
            ),
        )
    return msgspec.to_builtins(state, order="deterministic")


def held_of(state: WrittenState) -> Held | None:
    """Read what was on its way; nothing where the World is already as it will be."""
    if state.nominations is None and state.expectations is None:
        return None
    expected = state.expectations or WrittenExpectations()
    return Held(
        tuple((one.claim, parse_instant(one.at)) for one in expected.claims),
        {
            uid: Placed(one.host, None if one.until is None else parse_instant(one.until))
            for uid, one in (state.nominations or {}).items()
        },
        frozenset(expected.made),
    )


def _print(instant_ms: int | None) -> str | None:
    return None if instant_ms is None else print_instant(instant_ms)
