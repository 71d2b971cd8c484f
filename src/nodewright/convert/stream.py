"""All legacy objects of a stream or cluster, turned into today's kinds together.

Together, because pools and classes share what used to stand in one of them: the kubelet moves from
the pool to the class, a claim's lifetime comes from its pool, and defaults come from the settings.
Nothing raises: an object that cannot be converted is left out and its refusal is among the notes.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from nodewright.convert.claims import convert_beta_claim, convert_machine
from nodewright.convert.kubelets import KubeletUse, Split, free_name, split_class
from nodewright.convert.nodeclass import ConvertOptions, convert_beta_class, convert_template
from nodewright.convert.notes import CHANGED, CHECK, LOST, REFUSED, Note, Notebook
from nodewright.convert.provisioner import convert_beta_pool, convert_provisioner, split_kubelet
from nodewright.convert.settings import read_settings
from nodewright.model.ec2nodeclass import EC2NodeClass, EC2NodeClassSpec, EC2NodeClassStatus
from nodewright.model.labels import NODEPOOL
from nodewright.model.legacy import (
    PROVISIONER_NAME,
    SETTINGS_NAME,
    AWSNodeTemplate,
    AWSNodeTemplateSpec,
    ConfigMap,
    Machine,
    Provisioner,
)
from nodewright.model.legacy_beta import BetaEC2NodeClass, BetaNodeClaim, BetaNodePool
from nodewright.model.metadata import ObjectMeta
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.path import Path

type LegacyObject = (
    Provisioner
    | AWSNodeTemplate
    | Machine
    | BetaNodePool
    | BetaNodeClaim
    | BetaEC2NodeClass
    | ConfigMap
)


class Made(msgspec.Struct, frozen=True):
    """A new object and the old one it was made from (`Provisioner/default`)."""

    source: str
    object: NodePool | EC2NodeClass | NodeClaim


class Conversion(msgspec.Struct, frozen=True):
    """What became of a stream: the objects of today in the order of the old ones, and the notes."""

    made: tuple[Made, ...] = ()
    notes: tuple[Note, ...] = ()

    def of_type[T](self, struct: type[T]) -> tuple[T, ...]:
        """Give the new objects of one kind."""
        return tuple(made.object for made in self.made if isinstance(made.object, struct))


class _Body(msgspec.Struct, frozen=True):
    """A class to be made, before its kubelet is known."""

    source: str
    metadata: ObjectMeta
    status: EC2NodeClassStatus
    spec: EC2NodeClassSpec | None


def convert_legacy(
    objects: Iterable[LegacyObject],
    options: ConvertOptions | None = None,
    existing: Iterable[str] = (),
) -> Conversion:
    """Convert legacy objects together; settings found among them fill in for missing ones.

    `existing` names the objects of today beside them (`NodePool/default`), whose names are taken.
    """
    kept, notes = without_twins(list(objects), set(existing))
    converter = _Converter(kept, options or ConvertOptions(), set(existing))
    converter.notes += notes
    return converter.convert()


_TARGETS: Final = (
    (BetaNodePool, "NodePool", "NodePool"),
    (BetaEC2NodeClass, "EC2NodeClass", "EC2NodeClass"),
    (BetaNodeClaim, "NodeClaim", "NodeClaim"),
    (Provisioner, "Provisioner", "NodePool"),
    (AWSNodeTemplate, "AWSNodeTemplate", "EC2NodeClass"),
    (Machine, "Machine", "NodeClaim"),
)


def without_twins(
    objects: list[LegacyObject], taken: set[str]
) -> tuple[list[LegacyObject], list[Note]]:
    """Leave out objects whose new name is taken; the newer kind keeps a name that two want."""
    taken = set(taken)
    twins: set[int] = set()
    notes: list[Note] = []
    for struct, kind, target_kind in _TARGETS:
        for one in objects:
            if not isinstance(one, struct):
                continue
            target = f"{target_kind}/{one.metadata.name}"
            if target in taken:
                sentence = f"there is a {target_kind} of this name already: rename one of the two"
                source = f"{kind}/{one.metadata.name}"
                notes.append(Note(REFUSED, source, ("metadata", "name"), sentence, target))
                twins.add(id(one))
            taken.add(target)
    return [one for one in objects if id(one) not in twins], notes


class _Converter:
    def __init__(
        self, objects: list[LegacyObject], options: ConvertOptions, existing: set[str]
    ) -> None:
        self.objects = objects
        self.options = options
        self.taken = {
            name
            for kind, _, name in (one.partition("/") for one in existing)
            if kind == "EC2NodeClass"
        }
        self.inline: dict[str, str] = {}
        self.notes: list[Note] = []
        self.bodies: dict[str, _Body] = {}
        self.uses: dict[str, list[KubeletUse]] = {}
        self.splits: dict[str, Split] = {}
        self.pools: dict[str, NodePool] = {}

    def convert(self) -> Conversion:
        """Read settings, then classes, then pools (which split classes), then claims."""
        for one in self.objects:
            if isinstance(one, ConfigMap):
                self._take_settings(one)
        for one in self.objects:
            self._take_class(one)
        for one in self.objects:
            if isinstance(one, Provisioner) and one.spec.provider is not None:
                self._add_inline(one.metadata.name, one.spec.provider)
        for one in self.objects:
            self._take_kubelet(one)
        self._split()
        for one in self.objects:
            self._take_pool(one)
        made = [made for one in self.objects for made in self._made(one)]
        return Conversion(tuple(made), tuple(self.notes))

    def _take_settings(self, config: ConfigMap) -> None:
        if config.metadata.name != SETTINGS_NAME:
            return
        book = Notebook(f"ConfigMap/{SETTINGS_NAME}")
        settings = read_settings(config.data, book)
        self.options = msgspec.structs.replace(self.options, settings=settings)
        self.notes += book.notes

    def _take_class(self, one: LegacyObject) -> None:
        match one:
            case AWSNodeTemplate(metadata=metadata, spec=spec, status=status):
                book = self._book("AWSNodeTemplate", metadata.name, "EC2NodeClass")
                converted = convert_template(spec, self.options, book)
                self._finish_body(metadata, status, converted, book)
            case BetaEC2NodeClass(metadata=metadata, spec=beta, status=status):
                book = self._book("EC2NodeClass", metadata.name, "EC2NodeClass")
                converted = convert_beta_class(beta, self.options, book)
                self._finish_body(metadata, status, converted, book)
            case _:
                pass

    def _finish_body(
        self,
        metadata: ObjectMeta,
        status: EC2NodeClassStatus,
        spec: EC2NodeClassSpec,
        book: Notebook,
    ) -> None:
        self.notes += book.notes
        body = _Body(book.source, metadata, status, None if book.is_refused else spec)
        self.bodies[metadata.name] = body

    def _add_inline(self, pool: str, provider: dict[str, object]) -> None:
        book = self._book("Provisioner", pool, "EC2NodeClass")
        name = free_name(pool, self.taken | set(self.bodies))
        self.inline[pool] = name
        book.target = f"EC2NodeClass/{name}"
        spec = EC2NodeClassSpec()
        try:
            template = msgspec.convert(provider, AWSNodeTemplateSpec)
        except msgspec.ValidationError as error:
            book.add(REFUSED, f"provider cannot be read: {error}", ("spec", "provider"))
        else:
            spec = convert_template(template, self.options, book)
        self._finish_body(ObjectMeta(name=name), EC2NodeClassStatus(), spec, book)

    def _take_kubelet(self, one: LegacyObject) -> None:
        path: Path
        match one:
            case Provisioner(metadata=metadata, spec=spec):
                source, path = f"Provisioner/{metadata.name}", ("spec", "kubeletConfiguration")
                kubelet = spec.kubelet_configuration
                name = self._wanted_class(one)
            case BetaNodePool(metadata=metadata, spec=beta):
                source = f"NodePool/{metadata.name}"
                path = ("spec", "template", "spec", "kubelet")
                kubelet = beta.template.spec.kubelet
                name = beta.template.spec.node_class_ref.name
            case _:
                return
        book = Notebook(source, f"EC2NodeClass/{name}")
        kept = split_kubelet(kubelet, path, book)
        if kept and name not in self.bodies:
            sentence = (
                f"the kubelet settings belong to the class today, and {name} is not among these "
                "objects: write them into its spec.kubelet"
            )
            book.add(LOST, sentence, path)
        self.notes += book.notes
        use = KubeletUse(metadata.name, name, kept, source, path)
        self.uses.setdefault(name, []).append(use)

    def _split(self) -> None:
        taken = self.taken | set(self.bodies)
        for name, uses in sorted(self.uses.items()):
            self.splits[name] = split_class(name, uses, taken)
            for use in uses if name in self.bodies else ():
                if use.kubelet:
                    message = f"the kubelet settings of {use.source} belong to the class today"
                    target = f"EC2NodeClass/{self._class_of(use.pool, name)}"
                    at = ("spec", "kubelet")
                    self.notes.append(Note(CHANGED, use.source, use.path, message, target, at))

    def _wanted_class(self, one: Provisioner) -> str:
        if one.spec.provider_ref is not None:
            return one.spec.provider_ref.name
        return self.inline.get(one.metadata.name, one.metadata.name)

    def _class_of(self, pool: str, node_class: str) -> str:
        if node_class not in self.bodies:
            return node_class
        return self.splits[node_class].classes.get(pool, node_class)

    def _take_pool(self, one: LegacyObject) -> None:
        match one:
            case Provisioner(metadata=metadata):
                book = self._book("Provisioner", metadata.name, "NodePool")
                wanted = self._wanted_class(one)
                pool = convert_provisioner(one, self._class_of(metadata.name, wanted), book)
            case BetaNodePool(metadata=metadata, spec=beta):
                book = self._book("NodePool", metadata.name, "NodePool")
                wanted = beta.template.spec.node_class_ref.name
                pool = convert_beta_pool(one, self._class_of(metadata.name, wanted), book)
            case _:
                return
        body = self.bodies.get(wanted)
        if body is not None and body.spec is None:
            book.add(CHECK, f"its class {wanted} could not be converted", ("spec",))
        if not book.is_refused:
            self.pools[metadata.name] = pool
        self.notes += book.notes

    def _made(self, one: LegacyObject) -> Iterable[Made]:
        name = one.metadata.name
        match one:
            case Provisioner():
                if name in self.inline:
                    yield from self._classes(self.inline[name])
                if name in self.pools:
                    yield Made(f"Provisioner/{name}", self.pools[name])
            case BetaNodePool() if name in self.pools:
                yield Made(f"NodePool/{name}", self.pools[name])
            case AWSNodeTemplate() | BetaEC2NodeClass():
                yield from self._classes(name)
            case Machine():
                pool = self.pools.get(_pool_of(one.metadata))
                yield Made(f"Machine/{name}", convert_machine(one, pool))
            case BetaNodeClaim():
                pool = self.pools.get(_pool_of(one.metadata))
                yield Made(f"NodeClaim/{name}", convert_beta_claim(one, pool))
            case _:
                pass

    def _classes(self, name: str) -> Iterable[Made]:
        body = self.bodies[name]
        if body.spec is None:
            return
        split = self.splits.get(name, Split({name: {}}, {}))
        for class_name, kubelet in split.kubelets.items():
            metadata = body.metadata
            if class_name != name:
                metadata = ObjectMeta(name=class_name, labels=metadata.labels)
                users = sorted(pool for pool, used in split.classes.items() if used == class_name)
                message = (
                    f"a class of its own, since the kubelet settings of {', '.join(users)} differ"
                )
                target = f"EC2NodeClass/{class_name}"
                self.notes.append(Note(CHANGED, body.source, ("spec",), message, target))
            spec = msgspec.structs.replace(body.spec, kubelet=kubelet)
            made = EC2NodeClass(metadata=metadata, spec=spec, status=body.status)
            yield Made(body.source, made)

    def _book(self, kind: str, name: str, target_kind: str) -> Notebook:
        return Notebook(f"{kind}/{name}", f"{target_kind}/{name}")


_POOL_LABELS: Final = (NODEPOOL, PROVISIONER_NAME)


def _pool_of(metadata: ObjectMeta) -> str:
    return next((metadata.labels[key] for key in _POOL_LABELS if key in metadata.labels), "")
