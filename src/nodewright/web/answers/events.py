"""Server-sent events of `/api/events`: a new look at the cluster, and a new decision.

`event: change` carries `Change`, at once for a new client and then whenever something changed, at most
once a second; `event: decision` carries a `DecisionRow`. Lines that start with a colon keep the connection
alive. A client that reads too slowly is let go, and may come back.
"""

from typing import Literal

from nodewright.web.answers.shared import Answer, Head

type Section = Literal["overview", "nodes", "pending", "decisions", "pools", "money", "health"]


class Change(Answer, frozen=True):
    """The head numbers of a new look, and which pages have something new."""

    revision: int
    at: str
    head: Head
    sections: tuple[Section, ...]
