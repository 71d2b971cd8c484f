"""Decisions: the timeline, and one from its cause to its effects."""

from collections.abc import Mapping
from typing import Literal

from nodewright.web.answers.shared import Answer, DecisionRow


class Decisions(Answer, frozen=True):
    """Decisions, the latest first; `before` is the instant to ask for the page that follows, if any.

    `problems` says what of the journal cannot be read.
    """

    decisions: tuple[DecisionRow, ...]
    before: str | None
    problems: tuple[str, ...] = ()


class Alternative(Answer, frozen=True):
    """What else could have been done, what it costs an hour, and why it was not."""

    text: str
    price_per_hour: float | None
    why: str = ""


class PicturePod(Answer, frozen=True):
    """A pod in a picture; `comesFrom` is the node on which it was before."""

    key: str
    cpu_percent: float | None
    memory_percent: float | None
    comes_from: str = ""


class PictureNode(Answer, frozen=True):
    """A node in a picture, and what becomes of it."""

    name: str
    change: Literal["stays", "goes", "comes"]
    instance_type: str
    zone: str
    capacity_type: str
    price_per_hour: float | None
    cpu_percent: float | None
    memory_percent: float | None
    pods: tuple[PicturePod, ...] = ()


class Picture(Answer, frozen=True):
    """The nodes that a decision is about, before and after it."""

    before: tuple[PictureNode, ...] = ()
    after: tuple[PictureNode, ...] = ()
    left_out: int = 0


class DecisionPage(Answer, frozen=True):
    """A decision from its cause to its effects; `snapshot` is where its World can be had, if it is kept."""

    decision: DecisionRow
    look: str
    decided_in_ms: int
    basis: Mapping[str, str]
    alternatives: tuple[Alternative, ...]
    price_before: float | None
    price_after: float | None
    effects: tuple[DecisionRow, ...]
    siblings: tuple[DecisionRow, ...]
    picture: Picture
    snapshot: str
