"""Pod affinity and anti-affinity, both ways.

Anti-affinity does not depend on order: no two that keep apart may share a domain, nor a domain
that either may still land in. Affinity does: a pod needs company that is there before it, and only
the first may come alone. So the judge looks for an order, trying other founders when one leads
nowhere, and founders before those who have company already; where the search is cut short the plan
gets the benefit of the doubt.
"""

from collections.abc import Iterator

import msgspec

from nodewright.model.pod import Pod
from referee.board import Board
from referee.neighbours import (
    Crowd,
    Pick,
    alternatives,
    kept_terms,
    may_use,
    pick_of_term,
    sole_domain,
    terms_of,
)
from referee.places import Place
from referee.verdict import Violation

_TRIES_MAX = 1000


def judge_anti_affinity(board: Board, crowd: Crowd) -> Iterator[Violation]:
    """Pods that keep apart and could share a domain."""
    everyone = [*((pod, place, False) for pod, place in crowd.bound)]
    everyone += [(pod, place, True) for pod, place in crowd.placed]
    carriers: dict[Pick, list[tuple[Pod, Place, bool]]] = {}
    for pod, place, is_new in everyone:
        for term in terms_of(pod, "pod_anti_affinity"):
            pick = pick_of_term(term, pod, board.world)
            carriers.setdefault(pick, []).append((pod, place, is_new))
    for pick, keepers in carriers.items():
        there: dict[str, list[tuple[Pod, bool]]] = {}
        for pod, place, is_new in everyone:
            if crowd.is_picked(pick, pod):
                for domain in place.domains(pick.key):
                    if domain is not None:
                        there.setdefault(domain, []).append((pod, is_new))
        for pod, place, is_new in keepers:
            yield from _too_close(pick, pod, place, is_new, there)


def _too_close(
    pick: Pick, pod: Pod, place: Place, is_new: bool, there: dict[str, list[tuple[Pod, bool]]]
) -> Iterator[Violation]:
    for domain in sorted(one for one in place.domains(pick.key) if one is not None):
        for other, other_is_new in there.get(domain, ()):
            if other is not pod and (is_new or other_is_new):
                yield Violation(
                    "anti-affinity", pod.key, f"may share {pick.key}={domain} with {other.key}"
                )
                return


class _Seeker(msgspec.Struct, frozen=True, eq=False):
    """A placed pod that needs company."""

    pod: Pod
    place: Place
    picks: tuple[Pick, ...]


class _State:
    """Who is there so far: picked pods by domain, for each term that somebody has."""

    def __init__(self, crowd: Crowd, picks: list[Pick]) -> None:
        self.crowd = crowd
        self.counts: dict[Pick, dict[str, int]] = {pick: {} for pick in picks}

    def add(self, pod: Pod, place: Place) -> None:
        for pick, counts in self.counts.items():
            if self.crowd.is_picked(pick, pod):
                domain = sole_domain(place, pick.key)
                if domain is not None:
                    counts[domain] = counts.get(domain, 0) + 1

    def copy(self) -> "_State":
        twin = _State(self.crowd, [])
        twin.counts = {pick: dict(counts) for pick, counts in self.counts.items()}
        return twin

    def has_company(self, seeker: _Seeker, pick: Pick) -> bool:
        domains = seeker.place.domains(pick.key)
        counts = self.counts[pick]
        return bool(domains) and all(one is not None and counts.get(one, 0) for one in domains)

    def may_found(self, seeker: _Seeker, pick: Pick) -> bool:
        if sole_domain(seeker.place, pick.key) is None:
            return False
        if not self.crowd.is_picked(pick, seeker.pod):
            return False
        # A pod may stick to any one of its alternatives, and then only sees what that allows.
        return any(
            not any(may_use(seeker.pod, one, pick.key, domain) for domain in self.counts[pick])
            for one in alternatives(seeker.pod, seeker.place)
        )


def judge_affinity(board: Board, crowd: Crowd) -> Iterator[Violation]:
    """Pods that lack company in every order in which they could come."""
    seekers: list[_Seeker] = []
    others: list[tuple[Pod, Place]] = []
    for pod, place in crowd.placed:
        terms = terms_of(pod, "pod_affinity")
        if terms:
            picks = tuple(pick_of_term(term, pod, board.world) for term in terms)
            seekers.append(_Seeker(pod, place, picks))
        else:
            others.append((pod, place))
    for group in _groups_that_meet(seekers, crowd):
        state = _State(crowd, list({pick: None for one in group for pick in one.picks}))
        for pod, place in crowd.bound:
            state.add(pod, place)
        search = _Search(others)
        if search.run(state, group, others_wait=True):
            continue
        if search.tries > _TRIES_MAX:
            board.doubts.append(f"affinity of {group[0].pod.key} and {len(group) - 1} more")
            continue
        for seeker in search.stuck:
            yield Violation("affinity", seeker.pod.key, _say(seeker))


def _say(seeker: _Seeker) -> str:
    where = seeker.place.name
    open_keys = [one.key for one in seeker.picks if sole_domain(seeker.place, one.key) is None]
    if open_keys:
        return f"needs {where} to be in one domain of {', '.join(open_keys)}"
    return f"has no company on {where}"


def _groups_that_meet(seekers: list[_Seeker], crowd: Crowd) -> list[list[_Seeker]]:
    """Split seekers so that none of one group matters to one of another."""
    groups: list[tuple[set[Pick], list[_Seeker]]] = []
    for seeker in seekers:
        picks, members = set(seeker.picks), [seeker]
        apart = []
        for known_picks, known in groups:
            meet = not picks.isdisjoint(known_picks) or any(
                crowd.is_picked(pick, one.pod)
                for mine, theirs in ((picks, known), (known_picks, members))
                for pick in mine
                for one in theirs
            )
            if meet:
                picks |= known_picks
                members = known + members
            else:
                apart.append((known_picks, known))
        groups = [*apart, (picks, members)]
    return [members for _, members in groups]


class _Search:
    """Tries orders; keeps the smallest set of pods that could not come in any of them."""

    def __init__(self, others: list[tuple[Pod, Place]]) -> None:
        self.others = others
        self.tries = 0
        self.stuck: list[_Seeker] = []

    def run(self, state: _State, waiting: list[_Seeker], *, others_wait: bool) -> bool:
        settled = state.copy()
        left = _settle(settled, waiting)
        if not left:
            return True
        self.tries += 1
        if self.tries > _TRIES_MAX:
            return False
        # Those with company come first as a rule, but a founder may have to come before them.
        for now, crowd in ((settled, left), (state, waiting)):
            if self._try_founders(now, crowd, others_wait=others_wait):
                return True
        if others_wait:
            for pod, place in self.others:
                settled.add(pod, place)
            return self.run(settled, left, others_wait=False)
        if not self.stuck or len(left) < len(self.stuck):
            self.stuck = left
        return False

    def _try_founders(self, state: _State, waiting: list[_Seeker], *, others_wait: bool) -> bool:
        seen: set[object] = set()
        for founder in waiting:
            kind = _kind(founder)
            if kind in seen or not _founds(state, founder):
                continue
            seen.add(kind)
            then = state.copy()
            then.add(founder.pod, founder.place)
            rest = [one for one in waiting if one is not founder]
            if self.run(then, rest, others_wait=others_wait):
                return True
        return False


def _founds(state: _State, seeker: _Seeker) -> bool:
    """Whether a pod may come now, and is the first of some term of its own."""
    lonely = [pick for pick in seeker.picks if not state.has_company(seeker, pick)]
    return bool(lonely) and all(state.may_found(seeker, pick) for pick in lonely)


def _kind(seeker: _Seeker) -> object:
    """What makes two founders the same to everybody else."""
    return (
        seeker.picks,
        tuple(sole_domain(seeker.place, pick.key) for pick in seeker.picks),
        frozenset(seeker.pod.metadata.labels.items()),
        tuple(sorted(seeker.pod.spec.node_selector.items())),
        kept_terms(seeker.pod, seeker.place),
    )


def _settle(state: _State, waiting: list[_Seeker]) -> list[_Seeker]:
    """Let everybody in who has company; give those who are left."""
    while True:
        left = []
        for seeker in waiting:
            if all(state.has_company(seeker, pick) for pick in seeker.picks):
                state.add(seeker.pod, seeker.place)
            else:
                left.append(seeker)
        if len(left) == len(waiting):
            return left
        waiting = left
