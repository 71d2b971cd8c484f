"""The board: may this pod go there, and what changes when it does.

`on_host` and `on_draft` ask every rule in turn and give either a fitting or the rule that said no;
`put_*` carry a fitting out. Nothing here chooses between places: that is the search's job.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

import msgspec

from nodewright.core.scheduling.drafts import Draft, State, StateTable
from nodewright.core.scheduling.groups import (
    Groups,
    count_again,
    count_on_draft,
    count_on_host,
    possible_domains,
    recount_draft,
    uncount_draft,
)
from nodewright.core.scheduling.hosts import Host
from nodewright.core.scheduling.limits import Limits
from nodewright.core.scheduling.reservations import Reservations
from nodewright.core.scheduling.rules.affinity import affinity_domains
from nodewright.core.scheduling.rules.anti_affinity import free_domains
from nodewright.core.scheduling.rules.min_values import distinct_values, min_values_of
from nodewright.core.scheduling.rules.ports import first_taken
from nodewright.core.scheduling.rules.spread import spread_domains
from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.core.scheduling.rules.volumes import full_driver
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.topology import Domain, Group, GroupKind
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.pod import Pod
from nodewright.model.reason import Reason

LASTING: Final = frozenset(
    {
        Reason.TAINT_NOT_TOLERATED,
        Reason.LABELS_CLASH,
        Reason.VOLUME_ELSEWHERE,
        Reason.PORT_TAKEN,
        Reason.NO_TYPE_FITS,
        Reason.NODE_FULL,
        Reason.VOLUMES_FULL,
    }
)
"""Refusals that stay true for the rest of a pass, because places only ever narrow."""

LASTING_ON_HOSTS: Final = LASTING | {Reason.LABEL_UNDEFINED}
"""On a node that is there; a draft may yet get the label from another pod."""

_NEIGHBOUR_REASONS: Final = {
    GroupKind.SPREAD: Reason.SPREAD,
    GroupKind.AFFINITY: Reason.AFFINITY,
    GroupKind.ANTI_AFFINITY: Reason.ANTI_AFFINITY,
    GroupKind.INVERSE: Reason.KEPT_AWAY,
}


class Taste(Enum):
    """Which of several domains to commit to when the rules leave a choice.

    What is cheapest for the first pod need not be cheapest for all that join it later, so fillings
    are tried with different tastes.
    """

    CHEAPEST = "cheapest"
    FIRST = "first by name"
    LAST = "last by name"


class Fitting(msgspec.Struct, frozen=True):
    """How a pod goes onto a draft: what the draft may be afterwards."""

    state: State
    bits: Bits
    held: frozenset[str]
    min_values: Mapping[str, int]
    relaxed: bool = False


class Board:
    """Places and the rules between them."""

    def __init__(
        self,
        supplies: list[Supply],
        hosts: list[Host],
        groups: Groups,
        resources: tuple[str, ...],
        reservations: Reservations,
    ) -> None:
        self.supplies = supplies
        self.hosts = hosts
        self.groups = groups
        self.resources = resources
        self.reservations = reservations
        self.tables = {supply: StateTable(supply) for supply in supplies}
        self.rooms = {supply: [supply.room(name) for name in resources] for supply in supplies}
        self.limits: dict[Supply, Limits] = {}
        self.min_values = {supply: min_values_of(supply.requirements) for supply in supplies}
        self.relax_min_values = False
        self.taste = Taste.CHEAPEST
        # As the field does it: the emptiest domain, whether or not anything can be had there.
        self.is_blind = False
        self.drafts: list[Draft] = groups.drafts
        self.exclusive: set[str] = set()
        self._tainted: dict[tuple[Supply, int], bool] = {}
        self._ports_blocked: dict[tuple[Supply, int], Bits] = {}

    def tolerates(self, supply: Supply, wish: Wish) -> bool:
        """Tell whether a wish puts up with a pool's taints."""
        key = (supply, wish.number)
        known = self._tainted.get(key)
        if known is None:
            known = first_untolerated(supply.taints, wish.tolerations) is None
            self._tainted[key] = known
        return known

    def on_host(self, shape: Shape, wish: Wish, host: Host) -> Reason | None:
        """Tell why a pod cannot go onto an existing node; nothing when it can."""
        available = host.available
        if wish.impossible:
            return Reason.LABELS_CLASH
        if host.is_full:
            return Reason.NODE_FULL
        for name, amount in shape.requests.items():
            if amount > available.get(name, 0):
                return Reason.NODE_FULL
        if first_untolerated(host.taints, wish.tolerations) is not None:
            return Reason.TAINT_NOT_TOLERATED
        clash = host.requirements.clash(wish.requirements, frozenset())
        if clash is not None:
            return Reason.LABEL_UNDEFINED if clash.have is None else Reason.LABELS_CLASH
        if not any(host.requirements.clash(one, frozenset()) is None for one in wish.alternatives):
            return Reason.VOLUME_ELSEWHERE
        if wish.ports and first_taken(wish.ports, host.ports) is not None:
            return Reason.PORT_TAKEN
        attachments = wish.needs.attachments
        if attachments and full_driver(attachments, host.attached, host.attach_limits) is not None:
            return Reason.VOLUMES_FULL
        return self._neighbours_on_host(wish, host)

    def _neighbours_on_host(self, wish: Wish, host: Host) -> Reason | None:
        for group in (*wish.owns, *wish.kept_away_by):
            domain = host.labels.get(group.key)
            if domain is None:
                if group.kind in (GroupKind.ANTI_AFFINITY, GroupKind.INVERSE):
                    continue
                return _NEIGHBOUR_REASONS[group.kind]
            if not self._allowed(group, wish, [domain]):
                return _NEIGHBOUR_REASONS[group.kind]
        return None

    def _allowed(self, group: Group, wish: Wish, candidates: Iterable[Domain]) -> list[Domain]:
        kind = group.kind
        if kind is GroupKind.SPREAD:
            return spread_domains(
                group,
                candidates,
                wish.reach(group.key),
                counts_itself=group in wish.counted_by,
            )
        if kind is GroupKind.AFFINITY:
            return affinity_domains(
                group,
                candidates,
                wish.strict.get(group.key),
                counts_itself=group in wish.counted_by,
            )
        return free_domains(group, candidates)

    def put_on_host(self, shape: Shape, wish: Wish, host: Host, pod: Pod) -> None:
        """Put a pod onto an existing node."""
        for name, amount in shape.requests.items():
            host.available[name] = host.available.get(name, 0) - amount
        host.ports.extend(wish.ports)
        for driver, claim in wish.needs.attachments:
            host.attached.setdefault(driver, set()).add(claim)
        self.exclusive |= wish.needs.exclusive
        if not host.placed:
            self.groups.filled_hosts.append(host)
        host.placed.append(pod)
        count_on_host(host, wish)

    def new_draft(self, supply: Supply) -> Draft:
        """Give an empty draft of a pool; it is on the board only once something is put on it."""
        draft = Draft(len(self.drafts), self.tables[supply].start, len(self.resources))
        draft.min_values = self.min_values[supply]
        return draft

    def on_draft(self, shape: Shape, wish: Wish, draft: Draft) -> Fitting | Reason:
        """Tell how a pod goes onto a draft, or which rule says no."""
        supply = draft.supply
        if not self.tolerates(supply, wish):
            return Reason.TAINT_NOT_TOLERATED
        if wish.ports and first_taken(wish.ports, draft.ports) is not None:
            return Reason.PORT_TAKEN
        # Room depends on amounts alone, so it is looked at once for all alternatives.
        roomy = self.roomy(shape, draft)
        if not roomy:
            return Reason.NO_TYPE_FITS
        if wish.ports:
            roomy &= ~self._blocked_by_ports(supply, wish)
            if not roomy:
                return Reason.PORT_TAKEN
        refusal = Reason.VOLUME_ELSEWHERE
        for alternative in range(len(wish.alternatives)):
            state = draft.state.merge(wish, alternative)
            if isinstance(state, Reason):
                refusal = state
                continue
            bits = roomy & state.bits
            if not bits:
                refusal = Reason.NO_TYPE_FITS
                continue
            fitting = self._settle(wish, draft, state, bits)
            if isinstance(fitting, Fitting):
                return fitting
            refusal = fitting
        return refusal

    def roomy(self, shape: Shape, draft: Draft) -> Bits:
        """Give what is big enough for a draft with one more pod, whatever the other rules say."""
        if draft.stale:
            self.freshen(draft)
        bits = draft.bits
        rooms = self.rooms[draft.supply]
        totals = draft.totals
        for index, amount in enumerate(shape.amounts):
            if amount:
                bits &= rooms[index].having(totals[index] + amount)
        return bits

    def _blocked_by_ports(self, supply: Supply, wish: Wish) -> Bits:
        key = (supply, wish.number)
        known = self._ports_blocked.get(key)
        if known is None:
            known = self._ports_blocked[key] = supply.port_blocked(wish.ports)
        return known

    def _settle(self, wish: Wish, draft: Draft, state: State, bits: Bits) -> Fitting | Reason:
        by_key: dict[str, list[Group]] = {}
        for group in (*wish.owns, *wish.kept_away_by):
            if group.is_hostname:
                if not self._allowed(group, wish, [draft.number]):
                    return _NEIGHBOUR_REASONS[group.kind]
            else:
                by_key.setdefault(group.key, []).append(group)
        if not by_key:
            return self._finish(draft, state, bits)
        return self._choose_domains(wish, draft, (state, bits), list(by_key.items()))

    def _choose_domains(
        self,
        wish: Wish,
        draft: Draft,
        so_far: tuple[State, Bits],
        remaining: list[tuple[str, list[Group]]],
    ) -> Fitting | Reason:
        state, bits = so_far
        if not remaining:
            return self._finish(draft, state, bits)
        (key, groups), rest = remaining[0], remaining[1:]
        requirement = state.requirements.get(key)
        if requirement is None and key not in draft.supply.settings.well_known:
            # A node without the label is in no domain: nobody to be kept from, none to be near to.
            needed = [one for one in groups if one.kind in (GroupKind.SPREAD, GroupKind.AFFINITY)]
            if needed:
                return _NEIGHBOUR_REASONS[needed[0].kind]
            return self._choose_domains(wish, draft, so_far, rest)
        candidates: list[Domain] = possible_domains(state.requirements, groups[0], requirement)
        every = len(candidates)
        refusal = _NEIGHBOUR_REASONS[groups[0].kind]
        for group in groups:
            if group.kind is not GroupKind.AFFINITY or not draft.tally.get(group):
                candidates = self._allowed(group, wish, candidates)
            if not candidates:
                return _NEIGHBOUR_REASONS[group.kind]
        if not any(self._needs_one_domain(group, wish) for group in groups):
            if len(candidates) == every:
                return self._choose_domains(wish, draft, so_far, rest)
            held = state.pin(key, *sorted(str(domain) for domain in candidates))
            return self._choose_domains(wish, draft, (held, bits & held.bits), rest)
        for domain in self._ranked(draft, so_far, key, groups, candidates):
            pinned = state.pin(key, str(domain))
            narrowed = bits & pinned.bits
            fitting = self._choose_domains(wish, draft, (pinned, narrowed), rest)
            if isinstance(fitting, Fitting):
                return fitting
            refusal = fitting
        return refusal

    def _ranked(
        self,
        draft: Draft,
        so_far: tuple[State, Bits],
        key: str,
        groups: list[Group],
        candidates: list[Domain],
    ) -> list[Domain]:
        """Order domains that can be had: emptiest for spreads first, then by taste, then by name."""
        state, bits = so_far
        spreads = [group for group in groups if group.kind is GroupKind.SPREAD]
        ranked = []
        for domain in candidates:
            left = bits & state.pin(key, str(domain)).bits
            if left or self.is_blind:
                crowd = sum(group.count(domain) for group in spreads)
                cost = (left & -left).bit_length() if self.taste is Taste.CHEAPEST else 0
                ranked.append((crowd, cost, str(domain)))
        del draft
        if self.is_blind and spreads:
            least = min(crowd for crowd, _, _ in ranked)
            ranked = [one for one in ranked if one[0] == least]
        if self.taste is Taste.LAST:
            return [
                name
                for _, _, name in sorted(ranked, key=lambda one: (-one[0], one[2]), reverse=True)
            ]
        return [domain for _, _, domain in sorted(ranked)]

    def _finish(self, draft: Draft, state: State, bits: Bits) -> Fitting | Reason:
        supply = draft.supply
        held = draft.held
        if not bits:
            return Reason.NO_TYPE_FITS
        limits = self.limits.get(supply)
        if limits is not None:
            allowed = limits.allowed(draft if draft.pod_count else None)
            if not bits & allowed:
                return Reason.LIMIT_REACHED
            # A list that cannot be cut later, for choice or for reservations, is cut now.
            if draft.min_values or supply.reserved or limits.charges_largest:
                bits &= allowed
        choice = bits
        if supply.reserved:
            settled = self.reservations.settle(supply, bits, held)
            if isinstance(settled, Reason):
                return settled
            bits, held = settled
            # Slots that are paid for are used, even if few types have any left.
            choice = choice if held else bits
        min_values, relaxed = draft.min_values, draft.min_values_relaxed
        if min_values and not (held and draft.pod_count):
            missing = {
                key: have
                for key, least in min_values.items()
                if (have := distinct_values(supply, choice, key)) < least
            }
            if missing:
                if draft.pod_count or not self.relax_min_values:
                    return Reason.TOO_FEW_CHOICES
                min_values, relaxed = {**min_values, **missing}, True
        return Fitting(state, bits, held, min_values, relaxed)

    def open_alike(self, model: Draft, count: int) -> list[Draft]:
        """Open more drafts with exactly the load of one that has just been opened.

        Only as many as nothing shared limits: no pool limit, reservation, shared domain or friend.
        """
        supply = model.supply
        wishes = [shape.ladder[level] for shape, level in model.loads]
        if supply.reserved or model.min_values or not all(wish.can_repeat() for wish in wishes):
            return []
        limits = self.limits.get(supply)
        if limits is not None:
            count = min(count, limits.repeats(model))
        opened = []
        for _ in range(count):
            draft = model.copy()
            draft.number = len(self.drafts)
            draft.spots, draft.tally, draft.unsure = {}, {}, set()
            self.drafts.append(draft)
            for wish, pods in zip(wishes, model.loads.values(), strict=True):
                for group in (*wish.counted_by, *wish.keeps_away):
                    count_on_draft(draft, group, pods)
            if limits is not None:
                limits.charge_again(draft)
            opened.append(draft)
        return opened

    def lift(self, draft: Draft) -> "Draft":
        """Take a draft's load off the board and give a copy that can be put back with `lower`."""
        if draft.stale:
            self.freshen(draft)
        lifted = draft.copy()
        uncount_draft(draft)
        for shape, level in draft.loads:
            self.exclusive -= shape.ladder[level].needs.exclusive
        limits = self.limits.get(draft.supply)
        if limits is not None:
            limits.refund(draft)
        self.reservations.hold(draft, frozenset())
        draft.empty(self.tables[draft.supply].start, self.min_values[draft.supply])
        return lifted

    def lower(self, draft: Draft, lifted: Draft) -> None:
        """Put a lifted load back exactly as it was."""
        if draft.pod_count:
            self.lift(draft)
        draft.restore(lifted)
        draft.held = frozenset()
        self.reservations.hold(draft, lifted.held)
        count_again(draft)
        for shape, level in draft.loads:
            self.exclusive |= shape.ladder[level].needs.exclusive
        limits = self.limits.get(draft.supply)
        if limits is not None:
            limits.charge_again(draft)

    def put_easily(self, shape: Shape, level: int, draft: Draft, count: int) -> None:
        """Put pods onto a draft whose machine has room and whose labels they do not change."""
        wish = shape.ladder[level]
        totals = draft.totals
        for index, amount in enumerate(shape.amounts):
            if amount:
                totals[index] += amount * count
        draft.pod_count += count
        key = (shape, level)
        draft.loads[key] = draft.loads.get(key, 0) + count
        draft.stale = True
        for group in wish.counted_by:
            count_on_draft(draft, group, count)
        for group in wish.keeps_away:
            count_on_draft(draft, group, count)

    def freshen(self, draft: Draft) -> None:
        """Bring a draft's ways up to date with what was put on it easily."""
        bits = draft.bits
        for room, total in zip(self.rooms[draft.supply], draft.totals, strict=True):
            if total:
                bits &= room.having(total)
        draft.bits = bits
        draft.stale = False
        limits = self.limits.get(draft.supply)
        if limits is not None:
            limits.charge(draft, bits & limits.allowed(draft))

    def hold(self, draft: Draft, key: str, domain: str) -> bool:
        """Hold a draft to one domain, and tell whether it can be had there."""
        if draft.stale:
            self.freshen(draft)
        pinned = draft.state.pin(key, domain)
        fitting = self._finish(draft, pinned, draft.bits & pinned.bits)
        if not isinstance(fitting, Fitting):
            return False
        self._narrow(draft, fitting)
        limits = self.limits.get(draft.supply)
        if limits is not None:
            limits.charge(draft, fitting.bits & limits.allowed(draft))
        return True

    def _narrow(self, draft: Draft, fitting: Fitting) -> None:
        draft.bits = fitting.bits
        draft.min_values, draft.min_values_relaxed = fitting.min_values, fitting.relaxed
        if fitting.held or draft.held:
            self.reservations.hold(draft, fitting.held)
        if fitting.state is not draft.state:
            draft.state = fitting.state
            recount_draft(draft)

    def put_on_draft(
        self, shape: Shape, level: int, draft: Draft, fitting: Fitting, count: int = 1
    ) -> None:
        """Put pods of one shape onto a draft that takes them."""
        wish = shape.ladder[level]
        if draft.number == len(self.drafts):
            self.drafts.append(draft)
        for index, amount in enumerate(shape.amounts):
            draft.totals[index] += amount * count
        draft.pod_count += count
        draft.loads[(shape, level)] = draft.loads.get((shape, level), 0) + count
        draft.ports.extend(wish.ports)
        self.exclusive |= wish.needs.exclusive
        self._narrow(draft, fitting)
        for group in wish.counted_by:
            count_on_draft(draft, group, count)
        for group in wish.keeps_away:
            count_on_draft(draft, group, count)
        limits = self.limits.get(draft.supply)
        if limits is not None:
            was_new = draft.pod_count == count
            limits.charge(draft, fitting.bits & limits.allowed(None if was_new else draft))

    def _needs_one_domain(self, group: Group, wish: Wish) -> bool:
        """Tell whether a draft must commit to one domain for a group.

        Spread and affinity count by domain. A pod that must keep its distance commits too, so that
        the other domains stay free for its like; a mere preference does not.
        """
        if group.kind is GroupKind.ANTI_AFFINITY:
            return group in wish.demands and not self.is_blind
        return group.kind is not GroupKind.INVERSE
