"""Feature gates as they are written."""

import pytest

from nodewright.app.gates import read_gates
from nodewright.model.errors import UserError

DEFAULTS = {"NodeRepair": False, "StaticCapacity": True, "NodeOverlay": True}


def test_gates_that_are_not_named_keep_their_defaults_and_unknown_ones_are_ignored():
    text = " NodeRepair=true, Whatever=true,StaticCapacity=False "

    assert read_gates("--feature-gates", text, DEFAULTS) == {
        "NodeRepair": True,
        "StaticCapacity": False,
        "NodeOverlay": True,
    }


@pytest.mark.parametrize("text", ["NodeRepair", "NodeRepair=yes", "=true,NodeRepair"])
def test_what_is_no_gate_is_one_sentence_that_shows_the_form(text):
    with pytest.raises(UserError, match=r"--gates: .* is not of the form NodeRepair=true"):
        read_gates("--gates", text, DEFAULTS)
