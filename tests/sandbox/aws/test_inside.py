"""moto inside: asked by its own operations, and kept out of the controller."""

import subprocess
import sys

import pytest

from nodewright.sandbox.aws.call import AwsError

FORBIDDEN = ("moto", "flask", "werkzeug", "nodewright.sandbox")


def test_an_operation_of_motos_is_answered_as_a_value(standin):
    inside = standin.account.inside
    found = inside.ask("us-west-2", "ec2", "CreateVpc", {"CidrBlock": "10.7.0.0/16"})

    assert found["Vpc"]["CidrBlock"] == "10.7.0.0/16"
    assert inside.ask("us-west-2", "eks", "ListClusters", {}) == {"clusters": []}


def test_a_refusal_of_motos_is_raised_with_its_code(standin):
    with pytest.raises(AwsError) as raised:
        standin.account.inside.ask("us-west-2", "iam", "GetRole", {"RoleName": "nobody"})

    assert raised.value.code == "NoSuchEntity"


def test_the_controller_never_imports_the_stand_in():
    script = (
        "import sys, nodewright.app.controller, nodewright.cli.main\n"
        f"print([one for one in {FORBIDDEN!r} if one in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
