"""The metrics of conditions, as Karpenter's operator library gives them: a part of the table of metrics."""

from typing import Final

from nodewright.observe.family import Family

KINDS: Final = ("nodeclaim", "nodepool", "node", "ec2nodeclass")
FINDINGS: Final = "nodewright_checkup_findings"
_OBJECT: Final = ("namespace", "name")
_STATE: Final = ("type", "status", "reason")


def condition_family(kind: str, what: str) -> str:
    """Give the name of a family about the conditions of a kind."""
    return f"operator_{kind}_status_condition_{what}"


def ending_family(kind: str, what: str) -> str:
    """Give the name of a family about the end of objects of a kind."""
    return f"operator_{kind}_termination_{what}_seconds"


OBJECT_COUNTERS: Final = tuple(
    Family(condition_family(kind, "transitions_total"), "Conditions that changed.", _STATE)
    for kind in KINDS
)
OBJECT_HISTOGRAMS: Final = (
    *(
        Family(
            condition_family(kind, "transition_seconds"),
            "How long a condition had been something else before it became this.",
            ("type", "status"),
        )
        for kind in KINDS
    ),
    *(
        Family(ending_family(kind, "duration"), "From deletion until it was gone.")
        for kind in KINDS
    ),
)
OBJECT_GAUGES: Final = (
    *(
        Family(condition_family(kind, "count"), "1 for each condition.", (*_OBJECT, *_STATE))
        for kind in KINDS
    ),
    *(
        Family(
            condition_family(kind, "current_status_seconds"),
            "How long a condition has been what it is.",
            (*_OBJECT, *_STATE),
        )
        for kind in KINDS
    ),
    *(
        Family(
            ending_family(kind, "current_time"),
            "How long ago it was deleted and is not gone.",
            _OBJECT,
        )
        for kind in KINDS
    ),
    Family(
        FINDINGS,
        "1 for each code that a checkup has found on a NodePool or EC2NodeClass.",
        ("code", "kind", "name"),
    ),
)
