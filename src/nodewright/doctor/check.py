"""The shape of a check.

`probe` reads both sides through a `Look` and gives facts; it raises `Unseen` where it was not allowed to
see, and then the check is unknown. `judge` turns facts into findings and is pure. A check that other codes
explain names them in `yields_to`: a symptom is not told beside its cause.
"""

from collections.abc import Awaitable, Callable, Iterator
from typing import Final, Literal, get_args

import msgspec

from nodewright.doctor.finding import Finding, Text
from nodewright.doctor.look import Look
from nodewright.lint.codes import Severity

type Section = Literal[
    "identity",
    "network",
    "classes",
    "pools",
    "nodes",
    "pods",
    "queue",
    "load-balancers",
    "chart",
    "versions",
]

SECTIONS: Final[tuple[Section, ...]] = get_args(Section.__value__)
SECTION_NAMES: Final[dict[Section, Text]] = {
    "identity": Text("identity", "신원과 권한"),
    "network": Text("network", "네트워크"),
    "classes": Text("node classes", "노드 클래스"),
    "pools": Text("node pools", "노드 풀"),
    "nodes": Text("nodes", "노드"),
    "pods": Text("pods", "파드"),
    "queue": Text("interruption queue", "중단 알림 큐"),
    "load-balancers": Text("load balancers", "로드 밸런서"),
    "chart": Text("chart", "차트"),
    "versions": Text("versions", "버전"),
}


class Check[F](msgspec.Struct, frozen=True):
    """One check; `answer` says for the documentation what mends it, or why a person must choose."""

    code: str
    section: Section
    severity: Severity
    title: Text
    why: Text
    answer: Text
    probe: Callable[[Look], Awaitable[F]]
    judge: Callable[[F], Iterator[Finding]]
    is_fixable: bool = False
    yields_to: tuple[str, ...] = ()
