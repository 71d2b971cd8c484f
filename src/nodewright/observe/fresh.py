"""What is new among decisions that only tell: a verdict that is confirmed again is no news.

A controller says of the same pod or node the same thing at every look. One line and one count are
made when it is first said, and again only after it was not said for a whole look.
"""

from collections.abc import Sequence
from typing import Final

from nodewright.model.decision import Decision, Keep, Nominate, Refuse, Tell

WORDS: Final = (Tell, Refuse, Nominate, Keep)
"""Decisions whose whole effect is that they are told."""

type _Said = tuple[str, str, str, str]


class Fresh:
    """Remembers what each controller said when it last looked."""

    def __init__(self) -> None:
        self._said: dict[str, set[_Said]] = {}

    def pick(self, controller: str, decisions: Sequence[Decision]) -> list[Decision]:
        """Give those decisions that only tell and were not told at the controller's last look."""
        before = self._said.get(controller, set())
        told = [(_said(one), one) for one in decisions if isinstance(one, WORDS)]
        self._said[controller] = {said for said, _ in told}
        return [one for said, one in told if said not in before]


def code_of(decision: Decision) -> str:
    """Give what a decision that tells is distinguished by beside its reason."""
    match decision:
        case Refuse(code=code):
            return code
        case Tell(dedupe=dedupe):
            return next((one for one in dedupe if one.startswith("NW-")), "")
        case _:
            return ""


def _said(decision: Decision) -> _Said:
    apart = decision.host if isinstance(decision, Nominate) else code_of(decision)
    return (decision.kind, str(decision.subject), decision.reason, apart)
