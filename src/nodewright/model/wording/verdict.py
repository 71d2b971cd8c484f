"""Why a pod stays behind, in words: for a screen, a condition or an Event."""

from nodewright.model.cause import Cause
from nodewright.model.plan import PoolRefusal, Unplaced
from nodewright.model.wording import Language, event_message, sentence


def unplaced_for(
    cause: Cause, *, deferred: bool = False, node_pools: tuple[PoolRefusal, ...] = ()
) -> Unplaced:
    """Give the verdict on a pod whose cause is no pool's."""
    return Unplaced(sentence(cause), cause.code, deferred, node_pools, cause=cause)


def unplaced_summary(one: Unplaced, language: Language = "en") -> str:
    """Say why a pod stays behind: the pool that came nearest speaks for all."""
    if language == "en":
        return one.summary
    if one.nearest is not None and one.nearest.cause is not None:
        said = sentence(one.nearest.cause, language)
        return said if len(one.node_pools) == 1 else f"{one.nearest.name}: {said}"
    return one.summary if one.cause is None else sentence(one.cause, language)


def refusal_sentence(one: PoolRefusal, language: Language = "en") -> str:
    """Say why a pool does not serve a pod."""
    return one.reason if one.cause is None else sentence(one.cause, language)


def unplaced_event(one: Unplaced) -> str:
    """Write the message of an Event: the sentence that helps most, then each other pool's."""
    others = [f"{pool.name}: {pool.reason}" for pool in one.node_pools if pool is not one.nearest]
    return event_message(one.summary, one.code, others)
