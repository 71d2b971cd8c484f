"""The table of calls: everything that is called is in it, and nothing else."""

import ast

import pytest

from builders.awslaunches import service_model
from nodewright.aws.calls import CALLS
from tidy import tree

ROOM = tree.SOURCE / "aws"


def names_used(path):
    return {node.id for node in ast.walk(tree.parse(path)) if isinstance(node, ast.Name)}


def attributes_called(path):
    return {
        node.func.attr
        for node in ast.walk(tree.parse(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


def modules():
    return [path for path in sorted(ROOM.rglob("*.py")) if path.name != "calls.py"]


def test_the_table_has_nothing_that_nobody_calls():
    used = set().union(*(names_used(path) for path in modules()))

    assert set(CALLS) - used == set()


def test_only_the_session_makes_clients_and_only_the_gateway_uses_them():
    clients = [path.name for path in modules() if "client" in attributes_called(path)]

    assert clients == ["gateway.py", "session.py"]


def test_nobody_else_knows_boto3():
    knowing = {
        path.name
        for path in modules()
        for node in ast.walk(tree.parse(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
        and any("boto" in name for name in _imported(node))
    }

    assert knowing == {"gateway.py", "session.py"}


def _imported(node):
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_call_is_an_operation_of_aws_and_needs_its_own_action(name):
    call = CALLS[name]

    assert call.operation in service_model(call.service).operation_names
    # A batch of messages needs the action of one.
    operation = call.operation.removesuffix("Batch")
    assert f"{call.service}:{operation}" in {action for _, action in call.needs}
