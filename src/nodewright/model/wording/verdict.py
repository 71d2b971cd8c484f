"""Why a pod stays behind, in words: for a screen, a condition or an Event."""

from nodewright.model.plan import Unplaced
from nodewright.model.wording import Language, event_message, page, sentence


def unplaced_summary(one: Unplaced, language: Language = "en") -> str:
    """Say why a pod stays behind: the pool that came nearest speaks for all."""
    if language == "en":
        return one.summary
    if one.nearest is not None and one.nearest.cause is not None:
        said = sentence(one.nearest.cause, language)
        return said if len(one.node_pools) == 1 else f"{one.nearest.name}: {said}"
    if one.cause is not None:
        return sentence(one.cause, language)
    known = page(one.code, language)
    return f"{known.title}: {one.summary}" if known is not None else one.summary


def unplaced_event(one: Unplaced) -> str:
    """Write the message of an Event: the sentence that helps most, then each other pool's."""
    others = [f"{pool.name}: {pool.reason}" for pool in one.node_pools if pool is not one.nearest]
    return event_message(f"{one.code} {one.summary}", others)
