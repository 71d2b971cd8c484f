"""What becomes of each node, and why: from an answer, or from what is known without a new one.

Where a whole answer was decided (on a snapshot), it says so of every node. On a live cluster nothing is
decided again: what stands in a node's way now (its own state, its pods, timers, budgets) is read off the
cluster by the rules of the core, and where none of that does, the controller's latest word about the node
counts. A node that nobody has said anything about is a `?`.
"""

from typing import Final

from nodewright.core.disrupting_words import describe_command
from nodewright.core.disruption.budgets import Purse
from nodewright.core.disruption.candidates import Candidate, Census, find_candidates
from nodewright.core.disruption.forceful import find_forceful
from nodewright.core.disruption.gates import judge_backoff, judge_budget, judge_gates
from nodewright.model.disruption import (
    AWS_RULES,
    DRIFTED,
    EMPTY,
    EXPIRED,
    UNDERUTILIZED,
    UNHEALTHY,
    Allowance,
    Decided,
    Forceful,
    Kept,
    Memory,
    Settings,
)
from nodewright.model.keeping import Keeping
from nodewright.model.wording.keeping import kept_sentence
from nodewright.view.notebook import Told, Word
from nodewright.view.values import Next, Verb

UNJUDGED: Final = Next(text="nobody has judged it yet")
_BY_CODE: Final = {one.code: one for one in Keeping}
_GOING: Final = (Keeping.GOING, Keeping.IN_COMMAND)
_WAITING: Final = (Keeping.NO_NODE, Keeping.NOT_INITIALIZED)
_LEAVES: Final = {
    EMPTY: Keeping.EMPTY,
    DRIFTED: Keeping.DRIFTED,
    UNDERUTILIZED: Keeping.UNDERUTILIZED,
    EXPIRED: Keeping.EXPIRED,
    UNHEALTHY: Keeping.UNHEALTHY,
}


def name_reason(keeping: Keeping) -> str:
    """Give the name of a reason as documents write it: `PdbBlocks`."""
    return "".join(part.capitalize() for part in keeping.name.split("_"))


def read_answer(decided: Decided) -> dict[str, Next]:
    """Give what becomes of every node by a whole answer."""
    found = {name: _stays(one) for name, one in decided.kept.items()}
    for command in decided.commands:
        for node in command.nodes:
            found[node.node] = _leaves(node.node, command.reason, describe_command(command))
    found |= {one.node: _forced(one) for one in decided.forceful}
    return found


def judge_nodes(
    census: Census, memory: Memory, allowances: tuple[Allowance, ...], told: Told
) -> dict[str, Next]:
    """Give what becomes of every node, by what stands in its way now and by what was last said of it."""
    candidates, kept = find_candidates(census, memory)
    found = {name: _stays(one) for name, one in kept.items()}
    purse = Purse(allowances)
    for one in candidates:
        found[one.name] = _weigh(one, memory, purse, (told, census.now_ms))
    found |= {one.node: _forced(one) for one in find_forceful(census, AWS_RULES)}
    return found


def _weigh(one: Candidate, memory: Memory, purse: Purse, told: tuple[Told, int]) -> Next:
    said, now_ms = told
    proposed = said.proposed.get(one.name)
    if proposed is not None and proposed.at_ms + proposed.look_again_ms >= now_ms:
        return _proposed(one.name, proposed)
    reason = EMPTY if one.is_empty and not one.is_static else UNDERUTILIZED
    now = (
        one.blocked
        or judge_gates(one, reason, now_ms, Settings())
        or judge_budget(one, reason, purse)
        or judge_backoff(one, memory, now_ms)
    )
    if now is not None:
        return _stays(now)
    word = said.kept.get(one.name)
    return _repeat(word) if word is not None else UNJUDGED


def _stays(kept: Kept) -> Next:
    verb = Verb.KEEP
    if kept.reason in _GOING:
        verb = Verb.GO
    elif kept.reason in _WAITING:
        verb = Verb.WAIT
    return Next(
        verb=verb,
        code=kept.code,
        reason=name_reason(kept.reason),
        text=kept_sentence(kept),
        blockers=kept.blockers,
        until_ms=kept.until_ms,
    )


def _leaves(node: str, reason: str, detail: str) -> Next:
    keeping = _LEAVES.get(reason, Keeping.UNDERUTILIZED)
    said = kept_sentence(Kept(node, keeping, {"why": detail}))
    return Next(Verb.GO, keeping.code, name_reason(keeping), said)


def _forced(one: Forceful) -> Next:
    return _leaves(one.node, one.reason, one.detail)


def _proposed(name: str, word: Word) -> Next:
    """Say that a node goes at the second look unless something changes."""
    reason = word.text.partition(":")[0]
    found = _leaves(name, reason, word.text)
    return Next(
        Verb.GO,
        found.code,
        found.reason,
        word.text,
        until_ms=word.at_ms + word.look_again_ms,
        decision=word.decision,
    )


def _repeat(word: Word) -> Next:
    keeping = _BY_CODE.get(word.code)
    reason = name_reason(keeping) if keeping is not None else ""
    return Next(Verb.KEEP, word.code, reason, word.text, decision=word.decision)
