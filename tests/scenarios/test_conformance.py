"""The conformance cases on the model."""

import pytest

from scenarios.conformance import CASES
from scenarios.plane import ModelPlane


@pytest.mark.parametrize("name", CASES)
def test_the_model_agrees(name):
    plane = ModelPlane("conformance")
    try:
        CASES[name](plane)
    finally:
        plane.close()
