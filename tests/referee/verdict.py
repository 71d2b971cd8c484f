"""A verdict on a plan: each rule that is broken, by whom, in a sentence."""

import msgspec


class Violation(msgspec.Struct, frozen=True, order=True):
    """One thing that is wrong with a plan."""

    rule: str
    object: str
    sentence: str

    def __str__(self) -> str:
        return f"[{self.rule}] {self.object}: {self.sentence}"
