"""Faults: what is wrong with a pod or a NodePool as it is written, as causes.

What cannot be read is told by the errors of those who read it; here they become causes that can be
said in every language.
"""

from typing import Literal

from nodewright.model.cause import Cause
from nodewright.model.quantity import BadQuantity, guess_quantity
from nodewright.model.reason import Reason
from nodewright.model.requirements import BadRequirement


def fault_cause(
    error: BadQuantity | BadRequirement, reason: Reason, where: Literal["pod", "pool"]
) -> Cause:
    """Say what is wrong with an amount or an expression of a pod or a pool."""
    if isinstance(error, BadQuantity):
        amount = {"resource": error.resource, "text": error.text}
        if meant := guess_quantity(error.text):
            amount["meant"] = meant
        return Cause(reason, f"{where}-amount", error.resource, amount)
    wrong = error.expression
    values = {
        "operator": wrong.operator,
        "key": wrong.key,
        "values": ", ".join(wrong.values) or "[]",
    }
    return Cause(reason, f"{where}-{error.kind}", wrong.key, values)
