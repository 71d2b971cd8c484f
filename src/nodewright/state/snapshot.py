"""Snapshots: a World in one JSON document, plain or gzip.

Reading is strict about what would change a decision (a missing field, two nodes of one name, a pod
on a node that is not there) and says where in the document it is; it is lenient about what would
not (an unknown kind or option is a warning). One unreadable pod spoils only itself.
"""

import zlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.instant import BadInstant, parse_instant
from nodewright.model.labels import RESERVATION_ID, WELL_KNOWN
from nodewright.model.metadata import ObjectMeta, Struct
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Pod, TopologySpreadConstraint
from nodewright.model.quantity import BadQuantity
from nodewright.model.requirements import BadRequirement
from nodewright.model.world import BadPod, Options, World
from nodewright.state.builtin import MissingTypes, add_builtin_types
from nodewright.state.catalogs import CatalogReader, WrittenType
from nodewright.state.checks import check_world, constraint_fault
from nodewright.state.contents import find_odd, find_unreadable
from nodewright.state.expectations import Expectations
from nodewright.state.kinds import FIELDS, KINDS, Kind
from nodewright.state.legacy import (
    LEGACY_KINDS,
    Found,
    bring_up_to_date,
    rename_on_node,
    rename_on_pod,
)
from nodewright.state.live import look_ahead
from nodewright.state.sharing import PodSharer
from nodewright.state.writing import API_VERSION, SnapshotMetadata, WrittenState, held_of

SIZE_MAX_BYTES: Final = 2 << 30
_GZIP_MAGIC: Final = b"\x1f\x8b"
_IGNORED_KINDS: Final = frozenset({("scheduling.k8s.io/v1", "PriorityClass")})


class WrittenOptions(Struct, frozen=True):
    """Options as written; absent means the default."""

    preference_policy: str = "Respect"
    min_values_policy: str = "Strict"
    feature_gates: dict[str, bool] = {}
    well_known_labels: tuple[str, ...] = ()
    reservation_id_label: str = msgspec.field(default=RESERVATION_ID, name="reservationIDLabel")
    reserved_offering_mode: str = "Strict"
    consolidation_simulation: bool = False
    pending_rule: str = "byHand"
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()


class _Document(Struct, frozen=True):
    api_version: str
    kind: str
    objects: list[msgspec.Raw]
    metadata: SnapshotMetadata = SnapshotMetadata()
    catalogs: dict[str, msgspec.Raw] = {}
    instance_types: dict[str, msgspec.Raw] = {}
    options: dict[str, msgspec.Raw] = {}
    state: WrittenState | None = None


class _Header(Struct, frozen=True):
    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()
    items: list[msgspec.Raw] = []


class _PoolSpecHeader(Struct, frozen=True):
    template: msgspec.Raw


class _PoolHeader(Struct, frozen=True):
    """What a NodePool cannot do without: the rest of it has defaults."""

    spec: _PoolSpecHeader


class Snapshot(msgspec.Struct, frozen=True):
    """A World read from a document, with what the reader wants to say about it."""

    world: World
    metadata: SnapshotMetadata
    warnings: tuple[str, ...] = ()


def read_snapshot(data: bytes, source: str) -> Snapshot:
    """Read a snapshot; a mistake is one sentence with the file and the JSON path."""
    return _Reader(source).read(_unpack(data, source))


def _unpack(data: bytes, source: str) -> bytes:
    if data[:2] != _GZIP_MAGIC:
        return data
    unpacker = zlib.decompressobj(wbits=31)
    try:
        plain = unpacker.decompress(data, SIZE_MAX_BYTES)
    except zlib.error as error:
        raise UserError(
            f"the file looks like gzip but cannot be unpacked ({error}); take the snapshot again",
            code="NW-9011",
            where=source,
        ) from None
    if unpacker.unconsumed_tail or not unpacker.eof:
        problem = "is larger than 2 GiB" if unpacker.unconsumed_tail else "ends too early"
        raise UserError(
            f"the unpacked file {problem}; take the snapshot again", code="NW-9011", where=source
        )
    return plain


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.warnings: list[str] = []
        self.sharer = PodSharer()
        self.bad_pods: list[BadPod] = []
        self.legacy: list[Found] = []
        self.found: dict[str, list[Struct]] = {field: [] for field in FIELDS}
        self.paths: dict[str, list[str]] = {field: [] for field in FIELDS}

    def read(self, data: bytes) -> Snapshot:
        document = self._decode(data, _Document, "")
        if (document.api_version, document.kind) != (API_VERSION, "Snapshot"):
            raise self._error(
                "apiVersion",
                f"this is {document.api_version} {document.kind}, not {API_VERSION} Snapshot; "
                "make one with `nodewright snapshot`",
            )
        for index, raw in enumerate(document.objects):
            self._take(raw, f"objects[{index}]")
        if self.legacy:
            self._bring_up_to_date()
        types = self._instance_types(document)
        options = self._options(document.options)
        found: dict[str, Any] = {field: tuple(ones) for field, ones in self.found.items()}
        filled = add_builtin_types(
            types, found["node_pools"], found["node_classes"], document.metadata.region
        )
        if isinstance(filled, MissingTypes):
            names = [pool.metadata.name for pool in found["node_pools"]]
            path = self.paths["node_pools"][names.index(filled.pool)]
            raise self._error(f"{path}.{filled.field}".rstrip("."), filled.sentence)
        state = document.state or WrittenState()
        told = (BadPod(key, said) for key, said in sorted(state.unreadable_pods.items()))
        world = World(
            now_ms=self._now(document.metadata),
            bad_pods=(*self.bad_pods, *told),
            instance_types=filled,
            options=options,
            beside=state.beside,
            **found,
        )
        is_taken = document.state is not None or options.pending_rule == "live"
        if problem := check_world(world, self.paths, is_taken=is_taken):
            raise self._error(problem.path, problem.sentence)
        self._look_inside(world)
        world = self._look_ahead(world, state)
        return Snapshot(world, document.metadata, tuple(self.warnings))

    def _look_inside(self, world: World) -> None:
        """Refuse what was written by hand and cannot be read, and warn of it on a live cluster."""
        for problem in find_unreadable(world, self.paths):
            if world.options.pending_rule == "byHand":
                raise self._error(problem.path, problem.sentence)
            self.warnings.append(f"{problem.path}: {problem.sentence}; left out")
        self.warnings += [f"{one.path}: {one.sentence}" for one in find_odd(world, self.paths)]

    def _look_ahead(self, world: World, state: WrittenState) -> World:
        """Count what was on its way when the snapshot was taken as there, as the controller did."""
        try:
            held = held_of(state)
        except BadInstant as error:
            raise self._error("state", f"a timestamp is wrong: {error}") from None
        return world if held is None else look_ahead(world, Expectations.of(held))

    def _take(self, raw: msgspec.Raw, path: str) -> None:
        header = self._decode(raw, _Header, path)
        if header.kind == "List" or (header.kind.endswith("List") and header.items):
            for index, item in enumerate(header.items):
                self._take(item, f"{path}.items[{index}]")
            return
        older = LEGACY_KINDS.get((header.api_version, header.kind))
        if older is not None:
            if not header.metadata.name:
                raise self._error(f"{path}.metadata.name", f"this {header.kind} has no name")
            self.legacy.append(Found(self._decode(raw, older, path), path))
            return
        kind = KINDS.get((header.api_version, header.kind))
        if kind is None:
            if (header.api_version, header.kind) not in _IGNORED_KINDS:
                shown = f"{header.api_version} {header.kind}".strip() or "an object without a kind"
                self.warnings.append(f"{path}: {shown} is not used in a decision; left out")
            return
        if not header.metadata.name:
            raise self._error(f"{path}.metadata.name", f"this {kind.kind} has no name")
        self._decode_object(raw, kind, path, header.metadata)

    def _bring_up_to_date(self) -> None:
        """Add what older objects are today, and read who speaks of them under today's names."""
        named = ("node_pools", "node_classes", "node_claims")
        existing = [
            f"{FIELDS[field].kind}/{one.metadata.name}"  # type: ignore[attr-defined]
            for field in named
            for one in self.found[field]
        ]
        today = bring_up_to_date(self.legacy, existing)
        self.warnings += today.warnings
        fields = {FIELDS[field].struct: field for field in named}
        for made, path in today.made:
            field = fields[type(made.object)]
            self.found[field].append(made.object)
            self.paths[field].append(path)
        self.found["nodes"] = [rename_on_node(one) for one in self.found["nodes"]]  # type: ignore[arg-type]
        self.found["pods"] = [rename_on_pod(one) for one in self.found["pods"]]  # type: ignore[arg-type]

    def _decode_object(self, raw: msgspec.Raw, kind: Kind, path: str, metadata: ObjectMeta) -> None:
        if kind.struct is NodePool:
            self._decode(raw, _PoolHeader, path)
        try:
            one = msgspec.json.decode(raw, type=kind.struct)
        except msgspec.ValidationError as error:
            if kind.struct is not Pod:
                raise self._error(*_place(path, error)) from None
            where, problem = _place(path, error)
            key = f"{metadata.namespace or 'default'}/{metadata.name}"
            self.bad_pods.append(BadPod(key, f"{where}: {problem}"))
            return
        if isinstance(one, Pod):
            one = self.sharer.share(one)
        self.found[kind.field].append(one)
        self.paths[kind.field].append(path)

    def _instance_types(self, document: _Document) -> Mapping[str, tuple[InstanceType, ...]]:
        reader = CatalogReader()
        catalogs = {
            name: self._catalog(reader, raw, f"catalogs.{name}")
            for name, raw in document.catalogs.items()
        }
        pools: dict[str, tuple[InstanceType, ...]] = {}
        for pool, raw in document.instance_types.items():
            path = f"instanceTypes.{pool}"
            if bytes(raw).lstrip()[:1] == b"[":
                pools[pool] = self._catalog(reader, raw, path)
                continue
            name = self._decode(raw, str, path)
            if name not in catalogs:
                known = ", ".join(sorted(catalogs)) or "none"
                raise self._error(path, f"no catalog is named {name!r} (there is: {known})")
            pools[pool] = catalogs[name]
        return pools

    def _catalog(
        self, reader: CatalogReader, raw: msgspec.Raw, path: str
    ) -> tuple[InstanceType, ...]:
        written = self._decode(raw, list[WrittenType], path)
        for index, one in enumerate(written):
            try:
                reader.read((one,))
            except (BadQuantity, BadRequirement) as error:
                raise self._error(f"{path}[{index}]", f"{one.name}: {error}") from None
        return reader.read(written)

    def _options(self, raw: dict[str, msgspec.Raw]) -> Options:
        known = set(WrittenOptions.__struct_encode_fields__)
        for name in sorted(raw.keys() - known):
            self.warnings.append(f"options.{name}: unknown option; left out")
        encoded = msgspec.json.encode({name: raw[name] for name in raw if name in known})
        written = self._decode(encoded, WrittenOptions, "options")
        choices = {
            "preferencePolicy": (written.preference_policy, ("Respect", "Ignore")),
            "minValuesPolicy": (written.min_values_policy, ("Strict", "BestEffort")),
            "reservedOfferingMode": (written.reserved_offering_mode, ("Strict", "Fallback")),
            "pendingRule": (written.pending_rule, ("byHand", "live")),
        }
        for name, (value, allowed) in choices.items():
            if value not in allowed:
                raise self._error(
                    f"options.{name}", f"{value!r} is not one of {', '.join(allowed)}"
                )
        if fault := constraint_fault(written.default_constraints):
            raise self._error("options.defaultConstraints", fault)
        return Options(
            preference_policy=written.preference_policy,
            min_values_policy=written.min_values_policy,
            feature_gates=written.feature_gates,
            well_known_labels=WELL_KNOWN | frozenset(written.well_known_labels),
            reservation_id_label=written.reservation_id_label,
            reserved_offering_mode=written.reserved_offering_mode,
            consolidation_simulation=written.consolidation_simulation,
            pending_rule=written.pending_rule,
            default_constraints=written.default_constraints,
        )

    def _now(self, metadata: SnapshotMetadata) -> int:
        try:
            if metadata.taken_at is not None:
                return parse_instant(metadata.taken_at)
        except BadInstant as error:
            raise self._error("metadata.takenAt", str(error)) from None
        stamps = [stamp for found in self.found.values() for one in found for stamp in _stamps(one)]
        try:
            return max(map(parse_instant, stamps), default=0)
        except BadInstant as error:
            raise self._error("objects", f"a timestamp is wrong: {error}") from None

    def _decode[T](self, raw: bytes | msgspec.Raw, shape: type[T], path: str) -> T:
        try:
            return msgspec.json.decode(raw, type=shape)
        except msgspec.ValidationError as error:
            raise self._error(*_place(path, error)) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._error(
                path, f"this is not a JSON document ({error}); a snapshot is one JSON object"
            ) from None

    def _error(self, path: str, sentence: str) -> UserError:
        where = f"{self.source}: {path}" if path else self.source
        return UserError(sentence, code="NW-9010", where=where)


def _stamps(one: Struct) -> list[str]:
    metadata = getattr(one, "metadata", ObjectMeta())
    return [
        stamp
        for stamp in (metadata.creation_timestamp, metadata.deletion_timestamp)
        if stamp is not None
    ]


def _place(path: str, error: msgspec.ValidationError) -> tuple[str, str]:
    sentence, _, inner = str(error).partition(" - at `$")
    inner = inner.rstrip("`").removeprefix(".")
    joint = "." if path and inner and not inner.startswith("[") else ""
    return f"{path}{joint}{inner}", sentence[:1].lower() + sentence[1:]
