"""Kin: which decisions are about a node, a pod or a pool, also where that is not their subject.

A node has its claim, a pool its claims and nodes; a plan names the pods that it is for by their uids, a
command the nodes that go, and what replaces them. Who belongs to whom is learned from the decisions
themselves, so that it is still known when the objects are gone.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from nodewright.journal.records import Decided
from nodewright.model.labels import NODEPOOL
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, PODS


class Wanted(msgspec.Struct, frozen=True):
    """Whose decisions: of a node, of a pod (`NAMESPACE/NAME` or `NAME`), of a pool; empty is anybody's."""

    node: str = ""
    pod: str = ""
    pool: str = ""

    @property
    def is_anybody(self) -> bool:
        """Whether nobody was named."""
        return not (self.node or self.pod or self.pool)


class Kin:
    """Learns who belongs to whom, decision by decision."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._node_of: dict[str, str] = {}
        self._pool_of: dict[str, str] = {}
        self._uids: set[str] = set()

    def learn(self, one: Decided) -> None:
        """Take note of what a decision tells about kinship."""
        kind, name = split_subject(one.subject)
        content = one.content
        if kind == NODE_CLAIMS.kind:
            status = _inside(content, "change", "status")
            if isinstance(status, Mapping) and status.get("nodeName"):
                self._node_of[name] = str(status["nodeName"])
        for claim in _claims(content):
            labels = _inside(claim, "metadata", "labels")
            if isinstance(labels, Mapping) and labels.get(NODEPOOL):
                self._pool_of[str(_inside(claim, "metadata", "name"))] = str(labels[NODEPOOL])
        for leaving in _each(content.get("leaving")):
            self._node_of[str(leaving.get("claim"))] = str(leaving.get("node"))
            self._pool_of[str(leaving.get("claim"))] = str(leaving.get("node_pool"))
        if kind == PODS.kind and self._wanted.pod and _is_pod(name, self._wanted.pod):
            self._uids.add(one.uid)

    def concerns(self, one: Decided) -> bool:
        """Tell whether a decision is about everybody who was named."""
        wanted = self._wanted
        kind, name = split_subject(one.subject)
        if wanted.pod and not self._is_about_pod(one, kind, name):
            return False
        if not wanted.node and not wanted.pool:
            return True
        named = {name, *_named(one.content)} if kind != PODS.kind else set(_named(one.content))
        nodes = {self._node_of.get(each, each) for each in named}
        if wanted.node and wanted.node not in nodes:
            return False
        if not wanted.pool:
            return True
        if kind == NODE_POOLS.kind:
            return name == wanted.pool
        claim_of = {node: claim for claim, node in self._node_of.items()}
        claims = named | {claim_of.get(each, each) for each in named}
        return any(self._pool_of.get(each) == wanted.pool for each in claims)

    def _is_about_pod(self, one: Decided, kind: str, name: str) -> bool:
        if kind == PODS.kind:
            return _is_pod(name, self._wanted.pod)
        served = one.content.get("pods")
        if isinstance(served, Sequence) and self._uids.intersection(map(str, served)):
            return True
        moved = [pod for leaving in _each(one.content.get("leaving")) for pod in leaving["pods"]]
        return any(_is_pod(str(pod), self._wanted.pod) for pod in moved)


def split_subject(subject: str) -> tuple[str, str]:
    """Give the kind and the name of a subject as decisions write it."""
    plural, _, name = subject.partition("/")
    kinds = {one.name: one.kind for one in (NODE_CLAIMS, NODE_POOLS, NODES, PODS)}
    return kinds.get(plural, plural), name


def _named(content: Mapping[str, object]) -> Iterator[str]:
    """Give the nodes and claims that a decision names beside its subject."""
    for key in ("host", "node"):
        if content.get(key):
            yield str(content[key]).rpartition("/")[2]
    for leaving in _each(content.get("leaving")):
        yield str(leaving.get("node"))
        yield str(leaving.get("claim"))
    for claim in _claims(content):
        yield str(_inside(claim, "metadata", "name"))
    nominated = _inside(content, "change", "status", "nominatedNodeName")
    if nominated:
        yield str(nominated)


def _claims(content: Mapping[str, object]) -> Iterator[Mapping[str, Any]]:
    one = content.get("claim")
    if isinstance(one, Mapping):
        yield one
    yield from _each(content.get("claims"))


def _each(found: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(found, list | tuple):
        yield from (one for one in found if isinstance(one, Mapping))


def _inside(value: object, *path: str) -> object:
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def _is_pod(key: str, wanted: str) -> bool:
    return key == wanted or ("/" not in wanted and key.rpartition("/")[2] == wanted)
