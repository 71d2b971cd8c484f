"""Asks the API server whether the caller may do all of a plan, before the first step of it is done.

The server answers for itself, by whatever decides there, and does nothing. What is missing is named all at once, with
the rules that allow it: otherwise each of them would take another visit to whoever may change them.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final

from nodewright.install.cluster import Objects
from nodewright.install.found import Json
from nodewright.install.rights import Grant, Right, grants_of, refusal, rights_for
from nodewright.install.steps import Plan

_AT_ONCE: Final = 8


async def check_rights(
    objects: Objects, plan: Plan, live: Mapping[str, Json], besides: Iterable[Right] = ()
) -> None:
    """Refuse a plan of which something is not allowed to whoever asks."""
    if not plan.changes:
        return
    asking = _Asking(objects)
    missing = await asking.missing(sorted({*rights_for(plan, live), *besides}))
    missing += [one.right for one in grants_of(plan, live) if not await asking.may_give(one)]
    if missing:
        raise refusal(missing)


async def check_held(objects: Objects, rights: Iterable[Right]) -> None:
    """Refuse to go on where one of some rights is not had."""
    if missing := await _Asking(objects).missing(rights):
        raise refusal(missing)


class _Asking:
    """Asks each question once, a few at a time."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._told: dict[Right, bool] = {}

    async def missing(self, rights: Iterable[Right]) -> list[Right]:
        """Give those that are not allowed."""
        wanted = list(rights)
        answers = await asyncio.gather(*map(self._may, wanted))
        return [one for one, is_allowed in zip(wanted, answers, strict=True) if not is_allowed]

    async def may_give(self, grant: Grant) -> bool:
        """Tell whether something may be given away: by a right to give, or because it is had."""
        if await self._may(grant.right):
            return True
        return bool(grant.held) and not await self.missing(grant.held)

    async def _may(self, right: Right) -> bool:
        if right not in self._told:
            async with self._turns:
                self._told[right] = await self._objects.allows(right)
        return self._told[right]
