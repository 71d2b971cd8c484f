"""Traces from Prometheus: pods as they show in range queries over kube-state-metrics.

Each series is what one pod asks for of one resource, with a sample at each step at which the pod is there.
A pod begins with its first sample and is there until one step after its last, so the step is how exact
such a trace is. Answers are taken one after the other in the order of time, as files or as windows of a
query, and only pods that are alive are kept in between.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.trace.entry import CODE, Arrival, Entry, Size, Trace

QUERY: Final = (
    "sum by (namespace, pod, resource) (kube_pod_container_resource_requests)"
    " * on (namespace, pod) group_left (owner_kind)"
    " max by (namespace, pod, owner_kind) (kube_pod_owner)"
)
"""What is asked where nothing else is: requests by pod, with the kind of the pod's owner."""

_OF_NODES: Final = ("DaemonSet", "Node")
_NAMES: Final = {"nvidia_com_gpu": "nvidia.com/gpu", "amd_com_gpu": "amd.com/gpu"}
_LEFT_OUT: Final = ("ephemeral_storage", "ephemeral-storage")


class _Series(msgspec.Struct, frozen=True):
    metric: dict[str, str] = {}
    values: tuple[tuple[float, str], ...] = ()


class _Data(msgspec.Struct, frozen=True, rename="camel"):
    result_type: str = ""
    result: Any = ()


class _Answer(msgspec.Struct, frozen=True, rename="camel"):
    status: str
    data: _Data = _Data()
    error: str = ""


class _Life(msgspec.Struct):
    first_s: float
    last_s: float
    asked: dict[str, float]


def read_answers(answers: Iterable[tuple[bytes, str]], step_s: float | None = None) -> Trace:
    """Read answers of the HTTP API's query_range with their places; sort what comes of it."""
    return Trace("prometheus", _Reader(step_s).entries(answers))


class _Reader:
    """Keeps the pods that are alive between two answers."""

    def __init__(self, step_s: float | None) -> None:
        self._step_s = step_s
        self._start_s: float | None = None
        self._lives: dict[str, _Life] = {}
        self._end_s = 0.0

    def entries(self, answers: Iterable[tuple[bytes, str]]) -> Iterator[Entry]:
        """Give the entries of all answers."""
        where = "prometheus"
        for data, where in answers:
            series = _series(data, where)
            yield from self._take(series)
        if self._start_s is None:
            raise UserError(
                "has no series with the labels namespace, pod and resource",
                code=CODE,
                where=where,
                advice=f"ask Prometheus for {QUERY}",
            )
        # What is there at the last step stays.
        step_s = self._step_s or 0.0
        for key, life in self._lives.items():
            yield self._entry(key, life, stays=life.last_s >= self._end_s - step_s / 2)

    def _take(self, series: tuple[_Series, ...]) -> Iterator[Entry]:
        ours = [one for one in series if _is_pod(one) and one.values]
        if not ours:
            return
        first_s = min(one.values[0][0] for one in ours)
        if self._start_s is None:
            self._start_s = first_s
        if self._step_s is None:
            gaps = (
                b[0] - a[0]
                for one in ours
                for a, b in zip(one.values, one.values[1:], strict=False)
            )
            self._step_s = min(gaps, default=60.0)
        patience_s = 1.5 * self._step_s
        for key, life in list(self._lives.items()):
            if life.last_s < first_s - patience_s:
                yield self._entry(key, self._lives.pop(key), stays=False)
        for one in ours:
            yield from self._follow(one, patience_s)

    def _follow(self, one: _Series, patience_s: float) -> Iterator[Entry]:
        labels = one.metric
        key = f"{labels['namespace']}/{labels['pod']}"
        name = _NAMES.get(labels["resource"], labels["resource"])
        for at_s, amount in one.values:
            life = self._lives.get(key)
            if life is not None and at_s > life.last_s + patience_s:
                yield self._entry(key, life, stays=False)
                life = None
            if life is None:
                life = self._lives[key] = _Life(at_s, at_s, {})
            life.first_s = min(life.first_s, at_s)
            life.last_s = max(life.last_s, at_s)
            life.asked[name] = max(life.asked.get(name, 0.0), _amount(amount))
            self._end_s = max(self._end_s, at_s)

    def _entry(self, key: str, life: _Life, *, stays: bool) -> Arrival:
        start_s, step_s = self._start_s or 0.0, self._step_s or 0.0
        asked = {name: _written(name, life.asked[name]) for name in sorted(life.asked)}
        until_s = life.last_s + step_s - start_s
        return Arrival(
            round((life.first_s - start_s) * 1000),
            key,
            Size(asked),
            until_ms=None if stays else round(until_s * 1000),
        )


def _series(data: bytes, where: str) -> tuple[_Series, ...]:
    try:
        answer = msgspec.json.decode(data, type=_Answer)
        if answer.status != "success":
            raise UserError(f"Prometheus answered: {answer.error}", code=CODE, where=where)
        if answer.data.result_type != "matrix":
            raise UserError(
                f"is an answer of type {answer.data.result_type or '?'}, not of a range query",
                code=CODE,
                where=where,
                advice="ask /api/v1/query_range",
            )
        return msgspec.convert(answer.data.result, tuple[_Series, ...], strict=False)
    except msgspec.MsgspecError as error:
        sentence = f"is no answer of Prometheus: {error}"
        raise UserError(sentence, code=CODE, where=where) from None


def _is_pod(one: _Series) -> bool:
    labels = one.metric
    return (
        all(labels.get(name) for name in ("namespace", "pod", "resource"))
        and labels.get("owner_kind") not in _OF_NODES
        and labels["resource"] not in _LEFT_OUT
    )


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise UserError(f"{text!r} is no sample of Prometheus", code=CODE) from None
    return value if value > 0 else 0.0


def _written(name: str, amount: float) -> str:
    if name == "cpu":
        return f"{round(amount * 1000)}m"
    return str(round(amount))
