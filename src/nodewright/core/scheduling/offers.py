"""What is wanted and what can be had, reduced to tables: the relaxed problem behind the lower bound.

Pods become rows: equal amounts, equal reach, equal company they cannot share a node with. Ways to buy
become offers, without those that another beats in everything. Only rules that hold for each pod on its
own remain (taints, labels, amounts), and required anti-affinity by host, which is an amount of which a
node has one. Spread, affinity, ports, volumes, limits and preferences are left out, so that every real
plan is also a plan here.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from nodewright.core.scheduling.hosts import Host, HostBuilder
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.core.scheduling.selection import Candidate
from nodewright.core.scheduling.selectors import narrow_selector, read_selector
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.wishes import required_terms
from nodewright.model.labels import HOSTNAME, normalize_key
from nodewright.model.metadata import Taint
from nodewright.model.pod import Pod, PodSpec
from nodewright.model.requirements import Requirement, Requirements, read_requirement

type Vector = npt.NDArray[np.float64]
type Matrix = npt.NDArray[np.float64]
type Table = npt.NDArray[np.bool_]

_ENCODER: Final = msgspec.json.Encoder(order="deterministic")

_COMPANIES_MAX: Final = 8
"""How many groups of pods that keep off each other's hosts are told apart; others are let off."""

_OFFERS_COMPARED_MAX: Final = 6000


class Reach:
    """Which ways to buy, pool by pool, could hold a pod of some spec, amounts aside."""

    def __init__(self, problem: Problem) -> None:
        specs = {id(one.pod.spec): one.pod.spec for one in problem.selection.candidates}
        self._defined = problem.world.options.well_known_labels | _ruled_out(specs.values())
        self._supplies = problem.pools.supplies
        self._base = [_own_ways(supply) for supply in self._supplies]
        self._known: dict[int, tuple[Bits, ...]] = {}

    def of(self, spec: PodSpec) -> tuple[Bits, ...]:
        """Give one set of ways per pool."""
        known = self._known.get(id(spec))
        if known is None:
            pairs = zip(self._supplies, self._base, strict=True)
            known = tuple(base & self._in_pool(spec, supply) for supply, base in pairs)
            self._known[id(spec)] = known
        return known

    def _in_pool(self, spec: PodSpec, supply: Supply) -> Bits:
        if first_untolerated(_hard(supply.taints), spec.tolerations) is not None:
            return 0
        found = 0
        for term in _alternatives(spec):
            bits = supply.everything
            for one in term:
                if supply.requirements.clash(Requirements([one]), self._defined) is not None:
                    bits = 0
                    break
                bits &= supply.meeting(one)
            found |= bits
        return found


class Tables:
    """The relaxed problem: rows of pods, offers to buy, and room that is paid for already."""

    def __init__(self, problem: Problem, left_out: frozenset[str]) -> None:
        placed = [one for one in problem.selection.candidates if one.pod.key not in left_out]
        companies = _companies(placed)
        reach = Reach(problem)
        rows: dict[tuple[object, ...], int] = {}
        patterns: dict[tuple[tuple[Bits, ...], bytes], int] = {}
        # Pods that share their spec and labels as objects need not be looked into one by one.
        shared: dict[tuple[int, int, int, str], tuple[object, ...]] = {}
        self._specs: dict[int, PodSpec] = {}
        for one in placed:
            metadata, spec = one.pod.metadata, one.pod.spec
            alike = (id(spec), id(metadata.labels), id(one.requests), metadata.namespace)
            key = shared.get(alike)
            if key is None:
                # Existing nodes may tell apart what no offer does.
                selection = _ENCODER.encode(_selection(spec)) if problem.joined else b""
                pattern = patterns.setdefault((reach.of(spec), selection), len(patterns))
                self._specs.setdefault(pattern, spec)
                company = companies.get(one.pod.key, -1)
                key = (tuple(sorted(one.requests.items())), pattern, company)
                shared[alike] = key
            rows[key] = rows.get(key, 0) + 1
        self.resources = sorted({name for one in placed for name in one.requests})
        self.company_count = len(set(companies.values()))
        self.patterns = [bits for bits, _ in patterns]
        self.counts: Vector = np.array(list(rows.values()), dtype=np.float64)
        self.pattern_of = np.array([key[1] for key in rows], dtype=np.int64)
        self.amounts = self._amounts(rows)
        self._read_offers(problem)
        self._read_hosts(problem)

    def _amounts(self, rows: Iterable[tuple[object, ...]]) -> Matrix:
        width = len(self.resources) + self.company_count
        keys = list(rows)
        amounts = np.zeros((len(keys), width))
        for index, (requests, _, company) in enumerate(keys):
            assert isinstance(requests, tuple)
            assert isinstance(company, int)
            by_name = dict(requests)
            amounts[index, : len(self.resources)] = [by_name.get(n, 0) for n in self.resources]
            if company >= 0:
                amounts[index, len(self.resources) + company] = 1
        return amounts

    def _read_offers(self, problem: Problem) -> None:
        found: dict[tuple[int, int, tuple[bool, ...], str], tuple[int, list[float]]] = {}
        slots: dict[str, float] = {}
        for number, supply in enumerate(problem.pools.supplies):
            masks = [pattern[number] for pattern in self.patterns]
            for bit, way in enumerate(supply.ways):
                serves = tuple(bool(mask >> bit & 1) for mask in masks)
                limit = way.offering.reservation_capacity if way.is_reserved else None
                name = way.reservation if limit is not None else ""
                if not any(serves):
                    continue
                if limit is not None:
                    slots[name] = max(slots.get(name, 0.0), float(limit))
                key = (number, way.type_index, serves, name)
                price = int(way.offering.price)
                if key not in found or price < found[key][0]:
                    found[key] = (price, self._free(supply.free(way.type_index)))
        keys = list(found)
        self.prices: Vector = np.array([found[key][0] for key in keys], dtype=np.float64)
        width = len(self.resources) + self.company_count
        self.free: Matrix = np.array([found[key][1] for key in keys]).reshape(len(keys), width)
        self.serves: Table = np.array([key[2] for key in keys], dtype=np.bool_).reshape(
            len(keys), len(self.patterns)
        )
        self.reservations = [key[3] for key in keys]
        self.slots = slots
        self._keep(_unbeaten(self))

    def _free(self, amounts: Mapping[str, int]) -> list[float]:
        return [float(max(0, amounts.get(n, 0))) for n in self.resources] + [
            1.0
        ] * self.company_count

    def _keep(self, kept: list[int]) -> None:
        self.prices, self.free, self.serves = (
            self.prices[kept],
            self.free[kept],
            self.serves[kept],
        )
        self.reservations = [self.reservations[index] for index in kept]

    def _read_hosts(self, problem: Problem) -> None:
        self.host_room: Vector = np.zeros(self.amounts.shape[1])
        self.host_counts: Vector = np.zeros(len(self.counts))
        builder = HostBuilder(problem.world, problem.daemons, problem.storage)
        for host in builder.build(problem.joined):
            if host.is_full:
                continue
            free = np.array(self._free(host.available))
            fits = np.array(
                [_admits(host, self._specs[pattern]) for pattern in range(len(self.patterns))]
            )
            counts = np.where(fits[self.pattern_of], self.most(free), 0.0)
            if counts.any():
                self.host_counts += counts
                self.host_room += free
        self.host_counts = np.minimum(self.host_counts, self.counts)

    def most(self, free: Vector) -> Vector:
        """Give how many pods of each row fit into some room alone, at most as many as there are."""
        wanted = self.amounts > 0
        each = np.where(wanted, np.floor(free / np.where(wanted, self.amounts, 1.0)), np.inf)
        most = np.minimum(each.min(axis=1, initial=np.inf), self.counts)
        return np.asarray(most, dtype=np.float64)

    def limits(self, offer: int) -> Vector:
        """Give how many pods of each row one machine of an offer could hold alone."""
        allowed = self.serves[offer][self.pattern_of]
        return np.where(allowed, self.most(self.free[offer]), 0.0)


def _unbeaten(tables: Tables) -> list[int]:
    """Give the offers that no other beats: as much room, as many patterns, no dearer."""
    prices, free, serves = tables.prices, tables.free, tables.serves
    order = sorted(range(len(prices)), key=lambda index: (prices[index], -free[index].sum()))
    kept: list[int] = []
    open_kept: list[int] = []
    for index in order:
        if tables.reservations[index]:
            kept.append(index)
            continue
        if open_kept and len(kept) < _OFFERS_COMPARED_MAX:
            better = (free[open_kept] >= free[index]).all(axis=1)
            better &= (serves[open_kept] >= serves[index]).all(axis=1)
            if better.any():
                continue
        kept.append(index)
        open_kept.append(index)
    return kept


def _companies(placed: Iterable[Candidate]) -> dict[str, int]:
    """Tell by pod which of the largest sets of pods that cannot share a node it is in."""
    sets: dict[object, list[str]] = {}
    known: dict[tuple[int, int, str], list[object]] = {}
    for one in placed:
        pod = one.pod
        alike = (id(pod.spec), id(pod.metadata.labels), pod.metadata.namespace)
        terms = known.get(alike)
        if terms is None:
            terms = known[alike] = _exclusions(pod)
        for term in terms:
            sets.setdefault(term, []).append(pod.key)
    largest = sorted(sets.values(), key=len, reverse=True)
    company: dict[str, int] = {}
    number = 0
    for keys in largest[:_COMPANIES_MAX]:
        mine = [key for key in keys if key not in company]
        if len(mine) > 1:
            company.update(dict.fromkeys(mine, number))
            number += 1
    return company


def _exclusions(pod: Pod) -> list[object]:
    """Give the terms by which a pod keeps pods like itself off its own host."""
    anti = pod.spec.affinity.pod_anti_affinity if pod.spec.affinity else None
    found: list[object] = []
    labels = pod.metadata.labels
    for term in anti.required if anti else ():
        if term.topology_key != HOSTNAME or term.namespaces or term.namespace_selector is not None:
            continue
        selector = read_selector(term.label_selector)
        selector = narrow_selector(selector, labels, term.match_label_keys)
        selector = narrow_selector(selector, labels, term.mismatch_label_keys, "NotIn")
        if selector.selects(labels):
            found.append((pod.metadata.namespace or "default", selector))
    return found


def _own_ways(supply: Supply) -> Bits:
    bits = supply.everything
    for one in supply.requirements.values():
        bits &= supply.meeting(one)
    return bits


def _ruled_out(specs: Iterable[PodSpec]) -> frozenset[str]:
    """Give labels of which some pod rules out values: a node gets them, if that pod is on it."""
    affinities = [spec.affinity.node_affinity for spec in specs if spec.affinity is not None]
    return frozenset(
        normalize_key(one.key)
        for affinity in affinities
        if affinity is not None
        for term in (
            *(affinity.required.node_selector_terms if affinity.required else ()),
            *(preferred.preference for preferred in affinity.preferred),
        )
        for one in term.match_expressions
        if one.operator == "NotIn"
    )


def _selection(spec: PodSpec) -> tuple[object, ...]:
    """Give the parts of a spec that decide which nodes can be meant, amounts aside."""
    return (spec.node_selector, required_terms(spec), spec.tolerations)


def _hard(taints: Iterable[Taint]) -> list[Taint]:
    return [taint for taint in taints if taint.effect != "PreferNoSchedule"]


def _alternatives(spec: PodSpec) -> list[list[Requirement]]:
    """Give what each alternative of the node affinity asks for, one demand at a time."""
    base = list(Requirements.from_labels(spec.node_selector).values())
    terms = required_terms(spec)
    if not terms:
        return [base]
    return [[*base, *(read_requirement(one) for one in term.match_expressions)] for term in terms]


def _admits(host: Host, spec: PodSpec) -> bool:
    if first_untolerated(_hard(host.taints), spec.tolerations) is not None:
        return False
    return any(
        all(host.requirements.clash(Requirements([one]), frozenset()) is None for one in term)
        for term in _alternatives(spec)
    )
