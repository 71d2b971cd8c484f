"""What provisioning says and does not do: to pods that stay behind, and to the pools they came nearest.

No condition says why pods are not placed: a pod's belongs to the scheduler, and a NodePool's speak of the
pool alone. So it is said by Events, with the same cause that a plan shows (docs/why/refusals.md).
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from nodewright.core.scheduling.daemon_room import judge_daemons
from nodewright.model.decision import Decision, Refuse, Tell, rest_on
from nodewright.model.nodepool import NodePool
from nodewright.model.plan import Plan, Unplaced
from nodewright.model.pod import Pod
from nodewright.model.reason import Reason
from nodewright.model.resource import NODE_POOLS, PODS, refer
from nodewright.model.wording import event_message, word
from nodewright.model.wording.verdict import unplaced_event
from nodewright.model.world import World

FAILED: Final = "FailedScheduling"
EMPTY: Final = "NoCompatibleInstanceTypes"
_SILENT: Final = Reason.OPTED_OUT.code
_EMPTY_QUIET_MS: Final = 60_000
_FAILED_QUIET_MS: Final = 300_000


def pods_named(world: World, keys: AbstractSet[str]) -> dict[str, Pod]:
    """Give the pods with these keys: most of a large World are not meant, and need no key."""
    names = {key.rpartition("/")[2] for key in keys}
    return {pod.key: pod for pod in world.pods if pod.metadata.name in names}


def explain_plan(world: World, plan: Plan) -> Iterator[Decision]:
    """Give what is to be told of a plan beside what it does."""
    unplaced_pods = {**plan.unschedulable, **judge_daemons(world)}
    pods = pods_named(world, unplaced_pods.keys())
    behind = {
        key: one
        for key, one in unplaced_pods.items()
        if key in pods and one.code != _SILENT and not one.deferred
    }
    for key, unplaced in behind.items():
        yield _refuse(pods[key], unplaced)
    pools = {pool.metadata.name: pool for pool in world.node_pools}
    for idle in plan.idle_pools:
        note = event_message(idle.reason, idle.code)
        yield _warn(pools[idle.name], EMPTY, note, idle.code, _EMPTY_QUIET_MS)
    yield from _tell_nearest(pools, behind)


def _refuse(pod: Pod, unplaced: Unplaced) -> Refuse:
    return Refuse(
        subject=refer(PODS, pod),
        reason=FAILED,
        note=unplaced_event(unplaced),
        basis=rest_on((PODS, pod)),
        code=unplaced.code,
    )


def _tell_nearest(
    pools: Mapping[str, NodePool], behind: Mapping[str, Unplaced]
) -> Iterator[Decision]:
    """Tell each pool once a cause which pods it came nearest to and could not serve."""
    groups: dict[tuple[str, str], list[str]] = {}
    for key, one in behind.items():
        if one.nearest is not None:
            groups.setdefault((one.nearest.name, one.code), []).append(key)
    for (name, code), keys in sorted(groups.items()):
        first = behind[keys[0]].nearest
        assert first is not None
        said = word("pool.behind", count=len(keys), pod=keys[0], why=first.reason)
        yield _warn(pools[name], FAILED, event_message(said, code), code, _FAILED_QUIET_MS)


def _warn(pool: NodePool, reason: str, note: str, code: str, quiet_ms: int) -> Tell:
    return Tell(
        subject=refer(NODE_POOLS, pool),
        reason=reason,
        note=note,
        basis=rest_on((NODE_POOLS, pool)),
        is_warning=True,
        dedupe=(code,),
        quiet_ms=quiet_ms,
    )
