"""The referee: an independent judge of plans."""

from referee.judge import judge
from referee.read import read_plan
from referee.verdict import Violation

__all__ = ["Violation", "judge", "read_plan"]
