"""First fit: pods by size, existing nodes first, then drafts with the fewest pods, then new drafts.

This is the order in which the field has always placed pods. It serves as the plan that no other
filling may be worse than. A pod that fails gives up one preference after the other; one that
still fails waits, and is tried again as long as others make progress, because neighbours may come.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from nodewright.core.scheduling.board import LASTING, LASTING_ON_HOSTS, Board, Fitting
from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.groups import possible_domains
from nodewright.core.scheduling.topology import GroupKind
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.pod import Pod
from nodewright.model.reason import Reason

type Waiting = tuple[Shape, Pod]


class Filling:
    """What a search came to: where each pod went, and which ones found no place."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.pods_of: dict[int, list[Pod]] = {}
        self.shape_of: dict[int, Shape] = {}
        self.left: list[Waiting] = []
        self.deferred: set[str] = set()

    def note(self, draft: Draft, pods: list[Pod]) -> None:
        """Remember which pods went onto which draft."""
        known = self.pods_of.get(draft.number)
        if known is None:
            self.pods_of[draft.number] = pods
        else:
            known += pods


def in_order(waiting: Sequence[Waiting]) -> list[Waiting]:
    """Order pods: most cpu first, then most memory, then oldest."""
    return sorted(
        waiting,
        key=lambda one: (
            -one[0].requests.get("cpu", 0),
            -one[0].requests.get("memory", 0),
            one[1].metadata.creation_timestamp or "",
            one[1].metadata.uid,
            one[1].key,
        ),
    )


def fill_first_fit(board: Board, waiting: Sequence[Waiting], filling: Filling) -> None:
    """Place pods one by one until a whole round places none."""
    queue = deque(waiting)
    crowd = _Crowd(board)
    while True:
        _go_round(board, crowd, queue, filling)
        if board.is_blind or not _follow_a_friend(board, crowd, queue, filling):
            break
    filling.left = list(queue)


def _go_round(board: Board, crowd: "_Crowd", queue: deque[Waiting], filling: Filling) -> None:
    since_progress = 0
    while queue and since_progress < len(queue):
        shape, pod = queue.popleft()
        if _place(board, crowd, shape, pod, filling):
            since_progress = 0
            filling.deferred.discard(pod.key)
        else:
            queue.append((shape, pod))
            since_progress += 1


def _follow_a_friend(
    board: Board, crowd: "_Crowd", queue: deque[Waiting], filling: Filling
) -> bool:
    """Hold a planned node to one domain so that a pod which must be near it finds its place.

    While the domain of a node is open its pods are near nobody. It is settled only for a pod that
    then really goes there, and only when nothing else helps.
    """
    asked: set[Shape] = set()
    for shape, pod in queue:
        if shape in asked or shape.ladder[0].needs.exclusive & board.exclusive:
            continue
        asked.add(shape)
        for wish in shape.ladder.rungs():
            for draft, key, domain in _open_friends(board.drafts, wish):
                before, skipped = draft.copy(), dict(shape.skip_drafts)
                if not board.hold(draft, key, domain):
                    continue
                if _place_wish(board, crowd, shape, wish, (pod, filling)) is True:
                    queue.remove((shape, pod))
                    filling.deferred.discard(pod.key)
                    return True
                board.lower(draft, before)
                shape.skip_drafts = skipped
    return False


def _open_friends(drafts: Iterable[Draft], wish: Wish) -> Iterator[tuple[Draft, str, str]]:
    """Give the drafts with pods that a wish must be near, with the domains they could settle in."""
    groups = [
        group
        for group in wish.owns
        if group.kind is GroupKind.AFFINITY and not group.is_hostname and group in wish.demands
    ]
    for group in groups:
        allowed = wish.strict.get(group.key)
        for draft in drafts:
            if not draft.tally.get(group) or draft.spots[group]:
                continue
            labels = draft.state.requirements
            for domain in possible_domains(labels, group, labels.get(group.key)):
                if allowed is None or allowed.has(str(domain)):
                    yield draft, group.key, str(domain)


class _Crowd:
    """Drafts as bits by how many pods they have, so that the emptiest come first."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.levels: dict[int, int] = {}
        for draft in board.drafts:
            self.levels[draft.pod_count] = self.levels.get(draft.pod_count, 0) | 1 << draft.number

    def moved(self, draft: Draft, before: int) -> None:
        bit = 1 << draft.number
        if before:
            self.levels[before] &= ~bit
        self.levels[draft.pod_count] = self.levels.get(draft.pod_count, 0) | bit

    def emptiest_first(self, skip: int) -> Iterator[Draft]:
        for count in sorted(self.levels):
            bits = self.levels[count] & ~skip
            while bits:
                low = bits & -bits
                bits ^= low
                yield self.board.drafts[low.bit_length() - 1]


def _place(board: Board, crowd: _Crowd, shape: Shape, pod: Pod, filling: Filling) -> bool:
    if shape.ladder[0].needs.exclusive & board.exclusive:
        return False
    for wish in shape.ladder.rungs(last_resorts=not board.is_blind):
        placed = _place_wish(board, crowd, shape, wish, (pod, filling))
        if placed is True:
            return True
        if placed is Reason.RESERVATION_TAKEN:
            # Giving up a preference now would be wrong: capacity that fits is only held.
            filling.deferred.add(pod.key)
            return False
    return False


def _place_wish(
    board: Board, crowd: _Crowd, shape: Shape, wish: Wish, context: tuple[Pod, Filling]
) -> bool | Reason:
    pod, filling = context
    if place_on_host(board, shape, wish, pod):
        return True
    level = wish.level
    for draft in crowd.emptiest_first(shape.skip_drafts.get(level, 0) | blocked_drafts(wish)):
        fitting = board.on_draft(shape, wish, draft)
        if isinstance(fitting, Fitting):
            before = draft.pod_count
            board.put_on_draft(shape, level, draft, fitting)
            crowd.moved(draft, before)
            filling.note(draft, [pod])
            return True
        if fitting in LASTING:
            shape.skip_drafts[level] = shape.skip_drafts.get(level, 0) | 1 << draft.number
    for supply in board.supplies:
        draft = board.new_draft(supply)
        fitting = board.on_draft(shape, wish, draft)
        if isinstance(fitting, Fitting):
            board.put_on_draft(shape, level, draft, fitting)
            crowd.moved(draft, 0)
            filling.note(draft, [pod])
            return True
        if fitting is Reason.RESERVATION_TAKEN:
            return fitting
    return False


def place_on_host(board: Board, shape: Shape, wish: Wish, pod: Pod) -> bool:
    """Put a pod onto the first existing node that takes it."""
    skip = shape.skip_hosts.get(wish.level, 0)
    for host in board.hosts:
        if skip >> host.number & 1:
            continue
        refusal = board.on_host(shape, wish, host)
        if refusal is None:
            board.put_on_host(shape, wish, host, pod)
            return True
        if refusal in LASTING_ON_HOSTS:
            skip |= 1 << host.number
    shape.skip_hosts[wish.level] = skip
    return False


def blocked_drafts(wish: Wish) -> int:
    """Give, as bits, the drafts that a wish's neighbours by host name rule out at once."""
    blocked = 0
    for group in (*wish.owns, *wish.kept_away_by):
        if group.is_hostname:
            match group.kind.value:
                case "spread":
                    itself = group in wish.counted_by
                    blocked |= group.hosts_at_limit if itself else group.hosts_over_limit
                case "affinity":
                    if group.total > 0:
                        blocked |= ~group.hosts_at_limit
                    elif group not in wish.counted_by:
                        return -1
                case _:
                    blocked |= group.hosts_at_limit
    return blocked
