"""Claims wait in silence while they boot; the one that a person asks about is looked at at once."""

import pytest

from nodewright.doctor.look import Subject
from nodewright.doctor.waiting import PATIENCE_MS, find_waiting
from nodewright.model.instant import parse_instant

MADE = "2026-01-01T00:00:00Z"


def a_claim(name, *reached):
    conditions = [{"type": kind, "status": "True"} for kind in reached]
    return {
        "metadata": {"name": name, "creationTimestamp": MADE},
        "status": {"conditions": conditions},
    }


CLAIMS = [a_claim("one", "Launched"), a_claim("two"), a_claim("done", "Initialized")]


@pytest.mark.parametrize(
    ("age_ms", "asked", "found"),
    [
        (PATIENCE_MS, "", [("one", "launched"), ("two", "created")]),
        (PATIENCE_MS - 1, "", []),
        (1, "two", [("two", "created")]),
        (1, "done", []),
    ],
)
def test_who_waits(age_ms, asked, found):
    subject = Subject("shop", "", parse_instant(MADE) + age_ms, claim=asked)

    waiting = find_waiting(CLAIMS, {}, subject)

    assert [(one.claim["metadata"]["name"], one.stage) for one in waiting] == found
