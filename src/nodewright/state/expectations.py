"""Expectations: what we wrote and have not yet seen come back.

Nobody sleeps to read its own write. A version that was written is awaited in the mirror, and whatever
was decided on an older one is dropped. A claim that was created counts as there before it is seen,
and the pods that it was made for count as placed until they run, or until the node has been ready for
a while and they still do not. Everything here is forgotten after a time: the mirror is right then.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

import msgspec

from nodewright.model.decision import Basis
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import Ref

WRITE_MS: Final = 30_000
CLAIM_MS: Final = 60_000
NOMINATION_MS: Final = 20_000
QUEUE_MS: Final = 20
"""How long a scheduler may take for each pod that waits before another one."""

_WRITES_MAX: Final = 1_000


class Placed(msgspec.Struct, frozen=True):
    """Where a pod is expected: a claim, or an existing node; until an instant, where there is one."""

    host: str
    until_ms: int | None = None


class Held(msgspec.Struct, frozen=True):
    """Expectations as a value: what was created and when, where pods (by uid) are expected."""

    claims: tuple[tuple[NodeClaim, int], ...] = ()
    placed: Mapping[str, Placed] = {}
    made: frozenset[str] = frozenset()


class Expectations:
    """What one process has done lately."""

    def __init__(self) -> None:
        self._versions: dict[str, tuple[str, int]] = {}
        self._writes_max = _WRITES_MAX
        self._claims: dict[str, tuple[NodeClaim, int]] = {}
        self._placed: dict[str, Placed] = {}
        self._by_host: dict[str, set[str]] = {}
        self._until_ms: dict[str, int] = {}
        self._made: set[str] = set()
        self.nomination_ms = NOMINATION_MS

    @classmethod
    def of(cls, held: Held) -> "Expectations":
        """Give expectations that hold what others held."""
        made = cls()
        made._claims = {claim.metadata.name: (claim, at_ms) for claim, at_ms in held.claims}
        for uid, placed in held.placed.items():
            made._place(uid, placed)
        made._made = set(held.made)
        return made

    def hold(self) -> Held:
        """Give what matters to planning as a value."""
        claims = tuple(self._claims[name] for name in sorted(self._claims))
        return Held(claims, dict(sorted(self._placed.items())), frozenset(self._made))

    def wrote(self, ref: Ref, version: str, now_ms: int) -> None:
        """Await a version of an object."""
        if version:
            self._versions[str(ref)] = (version, now_ms)
            if len(self._versions) > self._writes_max:
                fresh = [one for one in self._versions.items() if now_ms - one[1][1] < WRITE_MS]
                self._versions = dict(fresh)
                self._writes_max = max(_WRITES_MAX, 2 * len(fresh))

    def is_stale(self, basis: Basis, now_ms: int) -> bool:
        """Tell whether a decision relied on an object that we have changed since."""
        for name, version in basis:
            awaited = self._versions.get(name)
            if awaited is None:
                continue
            if now_ms - awaited[1] >= WRITE_MS or has_reached(version, awaited[0]):
                del self._versions[name]
            else:
                return True
        return False

    def create(self, claim: NodeClaim, pods: Iterable[str], now_ms: int) -> None:
        """Count a claim as there, and its pods (by uid) as placed on it."""
        name = claim.metadata.name
        self._claims[name] = (claim, now_ms)
        self._made.add(name)
        for uid in pods:
            self._place(uid, Placed(name))

    def fail(self, name: str) -> None:
        """Take note that a claim could not be created or is gone: its pods wait again."""
        self._claims.pop(name, None)
        self._made.discard(name)
        for uid in self._by_host.pop(name, ()):
            del self._placed[uid]
            self._until_ms.pop(uid, None)

    def nominate(self, pod: str, host: str, now_ms: int) -> None:
        """Count a pod as placed on an existing node for a while."""
        self._place(pod, Placed(host, now_ms + self._patience_ms()))

    def _patience_ms(self) -> int:
        """Tell how long a pod may take to come: the scheduler has all others to see to as well."""
        return max(self.nomination_ms, QUEUE_MS * len(self._placed))

    def withdraw(self, pod: str) -> None:
        """Count a pod as waiting again, or as where it is."""
        known = self._placed.pop(pod, None)
        if known is not None:
            self._until_ms.pop(pod, None)
            there = self._by_host[known.host]
            there.discard(pod)
            if not there:
                del self._by_host[known.host]

    def keep(self, waiting: set[str]) -> None:
        """Expect only pods (by uid) that still wait: the others are where they are."""
        for uid in [one for one in self._placed if one not in waiting]:
            self.withdraw(uid)

    def _place(self, pod: str, placed: Placed) -> None:
        self.withdraw(pod)
        self._placed[pod] = placed
        if placed.until_ms is not None:
            self._until_ms[pod] = placed.until_ms
        self._by_host.setdefault(placed.host, set()).add(pod)

    def without_place(self, waiting: Iterable[str], now_ms: int) -> set[str]:
        """Give those who wait (by uid) and are expected nowhere, or no longer."""
        for uid in [one for one, until_ms in self._until_ms.items() if until_ms <= now_ms]:
            self.withdraw(uid)
        return {uid for uid in waiting if uid not in self._placed}

    def hosts(self) -> tuple[str, ...]:
        """Name the hosts on which pods are expected, as far as anybody has said."""
        return tuple(sorted(self._by_host))

    def host_of(self, pod: str) -> str:
        """Give where a pod (by uid) is expected, or nothing."""
        known = self._placed.get(pod)
        return known.host if known is not None else ""

    def pods_of(self, host: str) -> AbstractSet[str]:
        """Give the pods (by uid) that are expected on a host."""
        return self._by_host.get(host, frozenset())

    def has_made(self, name: str) -> bool:
        """Tell whether this process made a claim, and so knows for which pods."""
        return name in self._made

    def unseen(self, seen: Iterable[str], now_ms: int) -> tuple[NodeClaim, ...]:
        """Give the claims that were created and are not in the mirror yet."""
        known = set(seen)
        self._claims = {
            name: pair
            for name, pair in self._claims.items()
            if name not in known and now_ms - pair[1] < CLAIM_MS
        }
        return tuple(self._claims[name][0] for name in sorted(self._claims))

    def placed(self, hosts: set[str], pods: Iterable[Any], now_ms: int) -> dict[str, str]:
        """Give where pods (by uid) are expected, of those that still wait and hosts still there."""
        waiting = {pod.metadata.uid for pod in pods if not pod.spec.node_name}
        gone = [
            uid
            for uid, one in self._placed.items()
            if uid not in waiting
            or one.host not in hosts
            or (one.until_ms is not None and now_ms >= one.until_ms)
        ]
        for uid in gone:
            self.withdraw(uid)
        self._made &= hosts
        return {uid: one.host for uid, one in self._placed.items()}

    def settle(self, ready: set[str], now_ms: int) -> None:
        """Let the pods of claims whose nodes are ready be waited for only a while longer."""
        patience_ms = self._patience_ms()
        for host in ready & self._by_host.keys():
            for uid in self._by_host[host]:
                if self._placed[uid].until_ms is None:
                    until_ms = self._until_ms[uid] = now_ms + patience_ms
                    self._placed[uid] = Placed(host, until_ms)


def has_reached(seen: str, awaited: str) -> bool:
    """Tell whether one version of an object is another, or follows it."""
    if seen.isdecimal() and awaited.isdecimal():
        return int(seen) >= int(awaited)
    return seen == awaited
