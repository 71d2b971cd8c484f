"""The controller's start: what it says before it meets a cluster."""

import logging

import msgspec
import pytest

from nodewright.app.controller import control
from nodewright.app.settings import Written, read_settings
from nodewright.model.errors import UserError
from nodewright.web.controlling import show_controller


@pytest.fixture
def start(tmp_path, capsys):
    """Give a way to start without a cluster, and to get the lines that were logged."""

    def begin(inert):
        nowhere = Written(cloud="kwok", kubeconfig=str(tmp_path / "none"))
        with pytest.raises(UserError, match="none"):
            control(read_settings(nowhere, inert), {}, show_controller)
        return [msgspec.json.decode(line) for line in capsys.readouterr().out.splitlines()]

    yield begin
    for name in ("nodewright", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.NOTSET)


def test_settings_without_effect_are_one_warning(start):
    inert = {"--cpu-requests": "it does not matter", "MEMORY_LIMIT": "there is none"}

    (line,) = start(inert)
    assert (line["level"], line["message"]) == ("WARN", "settings that have no effect here")
    assert line["settings"] == inert


def test_where_every_setting_has_an_effect_nothing_is_said(start):
    assert start({}) == []
