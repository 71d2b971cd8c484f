"""Manifests of the past as manifests of today: legacy objects, values and old names in workloads.

A file in which nothing is old comes out byte for byte. In other files, documents that are not old
are copied as they stand, workloads and values have their old names replaced in place, and legacy
objects are written anew, with a comment over everything that changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from nodewright.app.manifests import Source
from nodewright.convert.nodeclass import ConvertOptions
from nodewright.convert.notes import CHANGED, CHECK, LOST, REFUSED, Note, Notebook
from nodewright.convert.settings import read_settings
from nodewright.convert.stream import Conversion, convert_legacy
from nodewright.convert.values import ValueStep, plan_values
from nodewright.convert.written import write_manifest
from nodewright.convert.yamltext import write_yaml
from nodewright.lint.finding import Edit, Lift, Remove, Rename, Replace
from nodewright.lint.fix import edit_text, fix_text
from nodewright.lint.raw import dig, read_as
from nodewright.lint.rules.legacy import check as find_old_names
from nodewright.lint.settings import SETTINGS_NAME, looks_like_values
from nodewright.lint.stream import Stream
from nodewright.model.admission import admit
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kinds import BY_NAME, LEGACY
from nodewright.model.legacy import ConfigMap
from nodewright.model.path import Path, show_path
from nodewright.model.schema_unknown import unknown_fields
from nodewright.state.manifests import Manifest, read_manifests

_LEGACY: Final = frozenset((kind.api_version, kind.kind) for kind in LEGACY)
_WORDS: Final = {CHECK: "check: ", LOST: "lost: "}


class Remark(msgspec.Struct, frozen=True):
    """A note with the place in the file that it is about."""

    kind: str
    object: str
    file: str
    line: int
    column: int
    path: str
    message: str
    target: str = ""


class Piece(msgspec.Struct, frozen=True, eq=False):
    """One document of the result: its text, and what it holds."""

    text: str
    objects: tuple[dict[str, Any], ...]


class Converted(msgspec.Struct, frozen=True, eq=False):
    """What became of the files."""

    pieces: tuple[Piece, ...]
    remarks: tuple[Remark, ...]

    def of_kind(self, *kinds: str) -> list[Remark]:
        """Give the remarks of these kinds."""
        return [one for one in self.remarks if one.kind in kinds]

    @property
    def text(self) -> str:
        """The whole result as a stream of YAML."""
        return "---\n".join(piece.text for piece in self.pieces)

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The whole result as a list of objects."""
        return [one for piece in self.pieces for one in piece.objects]


def convert_sources(sources: Sequence[Source], options: ConvertOptions) -> Converted:
    """Convert every file, all of them together: a class may stand in one and its pool in another."""
    return _Converting(sources, options).convert()


class _Converting:
    def __init__(self, sources: Sequence[Source], options: ConvertOptions) -> None:
        self.sources = sources
        self.options = options
        self.remarks: list[Remark] = []
        self.by_subject: dict[str, Manifest] = {}
        self.conversion = Conversion()

    def convert(self) -> Converted:
        manifests = [one for source in self.sources for one in source.manifests]
        legacy = [read for one in manifests if (read := self._read(one)) is not None]
        existing = [
            f"{one.kind}/{one.name}"
            for one in manifests
            if _name_of(one) in BY_NAME and not _is_legacy(one)
        ]
        self.conversion = convert_legacy(legacy, self._with_values(manifests), existing)
        for note in (*self.conversion.notes, *self._nameless()):
            self._remark(note, self.by_subject.get(note.source))
        pieces = [piece for source in self.sources for piece in self._pieces(source)]
        return Converted(tuple(pieces), tuple(self.remarks))

    def _read(self, manifest: Manifest) -> Any:
        """Read a legacy object; what cannot be read is refused, what is unknown is lost."""
        if _is_settings(manifest):
            struct: type[msgspec.Struct] = ConfigMap
        elif _is_legacy(manifest):
            struct = BY_NAME[manifest.api_version, manifest.kind].struct
        else:
            return None
        subject = f"{manifest.kind}/{manifest.name}"
        self.by_subject.setdefault(subject, manifest)
        if struct is not ConfigMap:
            for unknown in unknown_fields(manifest.raw, struct):
                if unknown.path[0] != "status" and dig(manifest.raw, unknown.path) is not None:
                    sentence = f"{show_path(unknown.path)} is no field and was left out"
                    self._remark(Note(LOST, subject, unknown.path, sentence), manifest)
        try:
            return read_as(manifest.raw, struct)
        except msgspec.ValidationError as error:
            path, why = _first_problem(manifest, struct, str(error))
            sentence = f"{show_path(path)} {why}: nodewright lint {manifest.file} says more"
            self._remark(Note(REFUSED, subject, path, sentence), manifest)
            return None

    def _nameless(self) -> Iterator[Note]:
        """Refuse classes of which nothing says whose rights their nodes have."""
        for made in self.conversion.made:
            one = made.object
            if isinstance(one, EC2NodeClass) and not (one.spec.role or one.spec.instance_profile):
                sentence = (
                    "nothing names the role or instance profile of its nodes: give --role or "
                    "--instance-profile"
                )
                target = f"EC2NodeClass/{one.metadata.name}"
                yield Note(REFUSED, made.source, ("spec",), sentence, target)

    def _with_values(self, manifests: Iterable[Manifest]) -> ConvertOptions:
        """Take what old values say of AWS, as the settings ConfigMap of that time had it."""
        for manifest in manifests:
            aws = dig(manifest.raw, ("settings", "aws")) if looks_like_values(manifest) else None
            if isinstance(aws, dict):
                return with_settings(self.options, aws)
        return self.options

    def _remark(self, note: Note, manifest: Manifest | None) -> None:
        place = manifest.locate(note.path).key if manifest is not None else None
        self.remarks.append(
            Remark(
                kind=note.kind,
                object=note.source,
                file=manifest.file if manifest is not None else "",
                line=place.line if place is not None else 0,
                column=place.column if place is not None else 0,
                path=show_path(note.path),
                message=note.message,
                target=note.target,
            )
        )

    def _pieces(self, source: Source) -> Iterator[Piece]:
        after = self._renamed(source)
        if not any(_is_legacy(one) or _is_settings(one) for one in source.manifests):
            yield Piece(after.text, tuple(one.raw for one in after.manifests))
            return
        before, now = _by_document(source.manifests), _by_document(after.manifests)
        end = 0
        for group, copies in zip(before, now, strict=True):
            text = copies[0].document.text
            begin = after.text.index(text, end)
            gap, end = after.text[end:begin], begin + len(text)
            if any(_is_legacy(one) or _is_settings(one) for one in group):
                yield from self._rewritten(group, copies, _head(gap + text))
            else:
                head = "".join(f"# {line}\n" for line in _head(gap))
                yield Piece(head + _bare(text), tuple(one.raw for one in copies))

    def _rewritten(
        self, group: list[Manifest], copies: list[Manifest], head: list[str]
    ) -> Iterator[Piece]:
        for manifest, copy in zip(group, copies, strict=True):
            if _is_settings(manifest):
                self._remark(_settings_note(manifest), manifest)
            elif _is_legacy(manifest):
                yield from self._made(manifest, head)
            else:
                yield Piece(write_yaml(copy.raw, {}, head), (copy.raw,))
            head = []

    def _made(self, manifest: Manifest, head: list[str]) -> Iterator[Piece]:
        subject = f"{manifest.kind}/{manifest.name}"
        for made in self.conversion.made:
            if made.source != subject:
                continue
            raw = write_manifest(made.object)
            target = f"{raw['kind']}/{raw['metadata'].get('name', '')}"
            comments: dict[Path, list[str]] = {}
            for note in self.conversion.notes:
                if note.target == target and note.kind != REFUSED:
                    words = _WORDS.get(note.kind, "") + note.message
                    comments.setdefault(note.target_path, []).append(words)
            for remark in self.remarks:
                if remark.kind == LOST and remark.object == subject and not remark.target:
                    comments.setdefault((), []).append(_WORDS[LOST] + remark.message)
            first = f"was {manifest.api_version} {subject}"
            yield Piece(write_yaml(raw, comments, [*head, first]), (raw,))
            head = []

    def _renamed(self, source: Source) -> Source:
        """Replace old names in workloads and values, touching nothing else."""
        found = [one for one in find_old_names(Stream(source.manifests)) if one.edits]
        found = [one for one in found if _name_of(one.manifest) not in BY_NAME]
        for finding in found:
            note = Note(CHANGED, finding.subject, finding.path, finding.message)
            self._remark(note, finding.manifest)
        after = _again(source, fix_text(source.text, found).text)
        for index, manifest in enumerate(source.manifests):
            if looks_like_values(manifest):
                steps, notes = plan_values(manifest.raw)
                for note in notes:
                    self._remark(note, manifest)
                # Paths move when a mapping is lifted, so that is done last.
                for kinds in (("rename", "replace", "remove"), ("lift",)):
                    edits = [_edit(step) for step in steps if step.kind in kinds]
                    document = after.manifests[index].document
                    after = _again(source, edit_text(after.text, document, edits))
        return after


def _name_of(manifest: Manifest) -> tuple[str, str]:
    return manifest.api_version, manifest.kind


def _is_legacy(manifest: Manifest) -> bool:
    return _name_of(manifest) in _LEGACY


def _is_settings(manifest: Manifest) -> bool:
    return manifest.kind == "ConfigMap" and manifest.name == SETTINGS_NAME


def _again(source: Source, text: str) -> Source:
    if text == source.text:
        return source
    return Source(source.name, text, tuple(read_manifests(text.encode(), source.name)))


def _by_document(manifests: Iterable[Manifest]) -> list[list[Manifest]]:
    groups: dict[int, list[Manifest]] = {}
    for manifest in manifests:
        groups.setdefault(id(manifest.document), []).append(manifest)
    return list(groups.values())


def _head(text: str) -> list[str]:
    """Give the comment with which a document begins."""
    words: list[str] = []
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("#"):
            words.append(bare.lstrip("# ").rstrip())
        elif bare and not bare.startswith("---"):
            break
    return [word for word in words if word]


def _bare(text: str) -> str:
    """Give a document without the line that opens it, and with an end to its last line."""
    first, _, rest = text.partition("\n")
    body = rest if first.strip() == "---" else text
    return body if body.endswith("\n") else f"{body}\n"


def _edit(step: ValueStep) -> Edit:
    match step.kind:
        case "rename":
            return Rename(step.path, step.name)
        case "replace":
            return Replace(step.path, step.name)
        case "remove":
            return Remove(step.path)
        case "lift":
            return Lift(step.path)


def _settings_note(manifest: Manifest) -> Note:
    sentence = (
        f"{SETTINGS_NAME} is no object today: its settings are values of the chart "
        "(settings.clusterName, settings.interruptionQueue, …)"
    )
    return Note(CHANGED, f"ConfigMap/{manifest.name}", (), sentence)


def _first_problem(
    manifest: Manifest, struct: type[msgspec.Struct], error: str
) -> tuple[Path, str]:
    for problem in admit(manifest.raw, struct):
        if problem.message.startswith("must be "):
            return problem.path, problem.message
    return ("spec",), f"cannot be read ({error.splitlines()[0]})"


def with_settings(options: ConvertOptions, aws: dict[str, Any]) -> ConvertOptions:
    """Give options with the settings that old values or a ConfigMap name."""
    flat: dict[str, str] = {}
    for key, value in aws.items():
        if isinstance(value, dict):
            flat.update({f"aws.{key}.{inner}": str(entry) for inner, entry in value.items()})
        elif isinstance(value, bool):
            flat[f"aws.{key}"] = "true" if value else "false"
        elif value is not None:
            flat[f"aws.{key}"] = str(value)
    settings = read_settings(flat, Notebook("values"))
    return msgspec.structs.replace(options, settings=settings)
