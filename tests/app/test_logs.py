"""Logs: one JSON object a line."""

import io
import logging

import msgspec
import pytest

from nodewright.app.logs import start_logs


@pytest.fixture
def lines():
    stream = io.StringIO()
    yield lambda: [msgspec.json.decode(line) for line in stream.getvalue().splitlines()], stream
    for name in ("nodewright", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.NOTSET)


def test_a_line_has_the_keys_that_karpenters_has(lines):
    read, stream = lines
    start_logs("info", {"commit": "abc"}, stream)

    log = logging.getLogger("nodewright.controller")
    log.info("created %s", "claim", extra={"facts": {"NodeClaim": {"name": "web-1"}}})
    log.debug("too quiet to be heard")

    (line,) = read()
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "INFO",
        "logger": "controller",
        "message": "created claim",
        "commit": "abc",
        "NodeClaim": {"name": "web-1"},
    }


def test_an_error_is_named_with_its_trace(lines):
    read, stream = lines
    start_logs("error", {}, stream)

    logging.getLogger("nodewright.controllers").error("it broke", exc_info=KeyError("x"))

    (line,) = read()
    assert (line["level"], line["error"]) == ("ERROR", "KeyError: 'x'")
    assert "KeyError" in line["stacktrace"]


def test_lines_for_people_name_objects_and_leave_out_what_is_empty(lines):
    _, stream = lines
    start_logs("info", {"commit": "1"}, stream, form="console")
    facts = {"NodeClaim": {"name": "c"}, "Pod": {"name": "p", "namespace": "shop"}, "note": ""}
    logging.getLogger("nodewright.decisions").info("created nodeclaim", extra={"facts": facts})

    (line,) = stream.getvalue().splitlines()
    assert line.split(maxsplit=1)[1] == "INFO  created nodeclaim  NodeClaim=c  Pod=shop/p"
