"""Cause: why something is as it is, as a value that is put into words elsewhere.

A cause names its reason (the code that never changes), its kind (which of the reason's sentences says
it), its subject (the taint, label or resource that it is about) and the numbers of the sentence. The
same cause becomes the line in a plan, the Event, the condition and the metric.
"""

from collections.abc import Mapping

import msgspec

from nodewright.model.reason import Reason


class Cause(msgspec.Struct, frozen=True):
    """One reason with its numbers."""

    reason: Reason
    kind: str
    subject: str = ""
    values: Mapping[str, str | int] = {}

    @property
    def code(self) -> str:
        """The code of its reason."""
        return self.reason.code
