"""What somebody probably meant: the nearest of the words that would have been right."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_NEAR: Final = 0.7
_SURE: Final = 0.85


def nearest(word: str, known: Iterable[str]) -> str:
    """Give the known word that is nearest, or nothing."""
    by_lower = {one.lower(): one for one in sorted(known, reverse=True)}
    found = get_close_matches(word.lower(), by_lower, n=1, cutoff=_NEAR)
    return by_lower[found[0]] if found else ""


def is_sure(word: str, guess: str) -> bool:
    """Tell whether a guess is so near that nothing else can have been meant."""
    return bool(guess) and bool(get_close_matches(word.lower(), [guess.lower()], n=1, cutoff=_SURE))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Ask `did you mean …?`, or say nothing where nothing is near."""
    guess = nearest(word, known)
    return f"did you mean {guess}?" if guess else ""


def listed(words: Iterable[str], most: int = 6) -> str:
    """Write a list for people, cut where it becomes long."""
    every = list(words)
    shown = ", ".join(every[:most])
    return f"{shown} and {len(every) - most} more" if len(every) > most else shown
