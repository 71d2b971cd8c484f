"""Images of a class: found by alias, parameter, id, name or tags; the newest one of each sort is kept.

A sort is the set of machines that an image is for. One that its owner has deprecated is taken only
where there is no other.
"""

import datetime as dt
import logging
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.aliases import LATEST, Conditions, alias_parameters, for_arch
from nodewright.aws.calls import DESCRIBE_IMAGES, GET_PARAMETER
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.keeping import Kept
from nodewright.aws.terms import a_filter, tag_filters
from nodewright.model.ec2nodeclass import AMIStatus, EC2NodeClassSpec
from nodewright.model.ec2nodeclass_terms import AMISelectorTerm, alias_of
from nodewright.model.instant import read_instant
from nodewright.ports.clock import Clock

ALIAS_MS: Final = 24 * 3_600_000
DEPRECATED_MS: Final = 1_800_000
PARAMETER_MS: Final = 300_000
_DEFAULT_OWNERS: Final = ("self", "amazon")
_log: Final = logging.getLogger("nodewright.aws")


class Image(msgspec.Struct, frozen=True):
    """An image as EC2 describes it, and the machines that it is for."""

    id: str
    name: str
    created_ms: int
    is_deprecated: bool
    conditions: Conditions


class ImageFinder:
    """Finds the images of classes; what parameters say is kept for a while."""

    def __init__(self, gateway: Gateway, clock: Clock) -> None:
        self._gateway = gateway
        self._clock = clock
        self._parameters: Kept[str, str] = Kept(clock)
        self._missing: set[str] = set()

    async def find(self, spec: EC2NodeClassSpec, kubernetes: str) -> tuple[AMIStatus, ...] | Fault:
        """Give the images of a class, newest first; none where nothing was found."""
        alias = alias_of(spec.ami_selector_terms)
        if alias is not None:
            found = await self._by_alias(alias, kubernetes)
        else:
            found = await self._by_terms(spec.ami_selector_terms)
        return found if isinstance(found, Fault) else keep_newest(found)

    async def _by_alias(self, alias: tuple[str, str], kubernetes: str) -> list[Image] | Fault:
        family, version = alias
        wanted: dict[str, list[Conditions]] = {}
        names: dict[str, set[str]] = {}
        for one in alias_parameters(family, version, kubernetes):
            image_id = await self._parameter(one.name, ALIAS_MS)
            if isinstance(image_id, Fault):
                return image_id
            if image_id:
                wanted.setdefault(image_id, []).append(one.conditions)
                names.setdefault(image_id, set()).add(one.name)
        if not wanted:
            return []
        described = await self._describe({"Filters": [a_filter("image-id", *sorted(wanted))]})
        if isinstance(described, Fault):
            return described
        found = [
            self._image(one, conditions)
            for one in described
            for conditions in wanted[str(one["ImageId"])]
        ]
        if version == LATEST:
            self._drop_deprecated(found, names)
        return found

    def _drop_deprecated(self, found: Iterable[Image], names: Mapping[str, set[str]]) -> None:
        """Have the latest image asked for anew where its owner no longer wants it to be used."""
        for one in found:
            for name in names[one.id]:
                if one.is_deprecated and self._parameters.get(name, DEPRECATED_MS) is None:
                    self._parameters.drop(name)

    async def _by_terms(self, terms: Iterable[AMISelectorTerm]) -> list[Image] | Fault:
        found: dict[str, Image] = {}
        questions = await self._questions(terms)
        if isinstance(questions, Fault):
            return questions
        for question in questions:
            described = await self._describe(question)
            if isinstance(described, Fault):
                return described
            for one in described:
                conditions = for_arch(str(one.get("Architecture", "")))
                found[str(one["ImageId"])] = self._image(one, conditions)
        return list(found.values())

    async def _questions(self, terms: Iterable[AMISelectorTerm]) -> list[dict[str, Any]] | Fault:
        ids: set[str] = set()
        questions: list[dict[str, Any]] = []
        for term in terms:
            if term.id is not None:
                ids.add(term.id)
            elif term.ssm_parameter is not None:
                image_id = await self._parameter(term.ssm_parameter, PARAMETER_MS)
                if isinstance(image_id, Fault):
                    return image_id
                ids |= {image_id} - {""}
                if not image_id:
                    self._tell_missing(term.ssm_parameter)
            else:
                questions.append(_question(term))
        by_id = [{"Filters": [a_filter("image-id", *sorted(ids))]}] if ids else []
        return [*by_id, *questions]

    def _tell_missing(self, name: str) -> None:
        if name not in self._missing:
            self._missing.add(name)
            _log.warning("no image is found by the parameter %s, so its term is passed over", name)

    async def _parameter(self, name: str, age_ms: int) -> str | Fault:
        """Give the image that a parameter names; nothing where there is none."""
        known = self._parameters.get(name, age_ms)
        if known is not None:
            return known
        answer = await self._gateway.ask(GET_PARAMETER, {"Name": name})
        if isinstance(answer, Fault):
            return "" if answer.is_gone else answer
        value = str(answer["Parameter"]["Value"])
        if not value.startswith("ami-"):
            _log.warning("the parameter %s holds no image: %r", name, value)
            return ""
        self._parameters.put(name, value)
        self._missing.discard(name)
        return value

    async def _describe(self, question: Mapping[str, Any]) -> list[Any] | Fault:
        filters = [*question["Filters"], a_filter("state", "available")]
        params = {**question, "Filters": filters, "IncludeDeprecated": True}
        return await self._gateway.ask_all(DESCRIBE_IMAGES, params, "Images")

    def _image(self, description: Mapping[str, Any], conditions: Conditions) -> Image:
        ends = description.get("DeprecationTime")
        return Image(
            id=str(description["ImageId"]),
            name=str(description.get("Name", "")),
            created_ms=_instant(description.get("CreationDate")),
            is_deprecated=bool(ends) and _instant(ends) <= self._clock.now_ms(),
            conditions=conditions,
        )


def keep_newest(images: Iterable[Image]) -> tuple[AMIStatus, ...]:
    """Keep one image of each sort: one in use before a deprecated one, then the newest."""
    best: dict[Conditions, Image] = {}
    for one in images:
        other = best.get(one.conditions)
        if other is None or _rank(one) > _rank(other):
            best[one.conditions] = one
    newest = sorted(best.values(), key=lambda one: (-one.created_ms, one.id, repr(one.conditions)))
    return tuple(
        AMIStatus(
            id=one.id, name=one.name, deprecated=one.is_deprecated, requirements=one.conditions
        )
        for one in newest
    )


def _rank(one: Image) -> tuple[bool, int, str]:
    return (not one.is_deprecated, one.created_ms, one.name)


def _question(term: AMISelectorTerm) -> dict[str, Any]:
    filters = tag_filters(term.tags)
    if term.name is not None:
        filters.append(a_filter("name", term.name))
    owners: tuple[str, ...] = (term.owner,) if term.owner is not None else ()
    if term.name is not None and not owners:
        owners = _DEFAULT_OWNERS
    return {"Filters": filters, **({"Owners": list(owners)} if owners else {})}


def _instant(said: object) -> int:
    if isinstance(said, dt.datetime):
        return int(said.timestamp() * 1000)
    return read_instant(str(said or "")) or 0
