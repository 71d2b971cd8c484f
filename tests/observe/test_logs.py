"""Logs: one decision, one line, with who, what, why and what came of it."""

import io
import json
import logging

import pytest

from builders import a_node, a_pod, a_type, a_world
from nodewright.model.decision import Change, Delete, Keep, Refuse
from nodewright.model.resource import NODES, PODS, refer
from nodewright.observe.lines import JsonLines
from nodewright.observe.logs import Log
from nodewright.ports.kube import Answer, Outcome

WORLD = a_world(a_type())
REFUSE = Refuse(
    subject=refer(PODS, a_pod("p", namespace="shop")),
    reason="FailedScheduling",
    note="cpu 6 does not fit (NW-1204)",
    code="NW-1204",
    cause="pods/shop/p",
)
DELETE = Delete(subject=refer(NODES, a_node("n")), reason="expired", note="it is 30 days old")


@pytest.fixture
def lines():
    """Give a way to write with a witness and to get the lines that it wrote."""
    logger = logging.getLogger("nodewright.decisions")

    def write(act, level=logging.INFO):
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        handler.setFormatter(JsonLines({"commit": "1.2"}))
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(level)
        act(Log())
        return stream.getvalue().splitlines()

    yield write
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


def test_a_refusal_is_one_line_with_its_code(lines):
    (line,) = lines(lambda log: log.decided("provisioning", WORLD, [REFUSE], 12))

    told = json.loads(line)
    assert told.pop("time").endswith("Z")
    assert told == {
        "level": "INFO",
        "logger": "decisions",
        "commit": "1.2",
        "message": "cpu 6 does not fit (NW-1204)",
        "controller": "provisioning",
        "decision": REFUSE.id,
        "kind": "Refuse",
        "reason": "FailedScheduling",
        "Pod": {"namespace": "shop", "name": "p"},
        "code": "NW-1204",
        "cause": "pods/shop/p",
        "decideMs": 12,
    }


def test_a_refusal_that_is_confirmed_is_not_written_again(lines):
    def act(log):
        for _ in range(3):
            log.decided("provisioning", WORLD, [REFUSE], 12)

    assert len(lines(act)) == 1


def test_what_is_acted_on_is_written_with_what_came_of_it(lines):
    def act(log):
        log.decided("expiration", WORLD, [DELETE], 1)
        log.came_of("expiration", DELETE, Answer(Outcome.DONE), 7)

    (line,) = lines(act)
    told = json.loads(line)
    assert (told["message"], told["outcome"], told["actMs"]) == ("it is 30 days old", "Done", 7)
    assert told["Node"] == {"name": "n"}


def test_a_failure_that_nobody_expects_is_a_warning_with_the_servers_words(lines):
    (line,) = lines(
        lambda log: log.came_of("x", DELETE, Answer(Outcome.FORBIDDEN, "no right to delete"), 7)
    )

    told = json.loads(line)
    assert (told["level"], told["error"]) == ("WARN", "no right to delete")


def test_bookkeeping_is_for_those_who_ask_for_it(lines):
    status = Change(subject=refer(NODES, a_node()), reason="Status", change={"secret": "x"})
    keep = Keep(subject=refer(NODES, a_node()), reason="TooYoung", look_again_ms=1)

    def act(log):
        log.came_of("nodepool", status, Answer(Outcome.DONE), 1)
        log.decided("disruption", WORLD, [keep], 1)

    assert lines(act) == []
    said = lines(act, logging.DEBUG)
    assert len(said) == 2
    assert not any("secret" in line for line in said)


def test_an_error_brings_its_story(lines):
    def act(_):
        try:
            int("broken")
        except ValueError:
            logging.getLogger("nodewright.decisions").exception("stopped")

    told = json.loads(lines(act)[0])
    assert told["error"].startswith("ValueError: invalid literal")
    assert "test_logs.py" in told["stacktrace"]
