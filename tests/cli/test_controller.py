"""`nodewright controller` takes what Karpenter takes, and its page lists all of it."""

from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

from nodewright.app.aws_settings import AwsWritten
from nodewright.app.inert import INERT, name_flag
from nodewright.app.settings import GATES
from nodewright.cli import controller as verb
from nodewright.cli import main as door
from tidy import tree


@pytest.fixture
def orders(monkeypatch):
    """Give a way to run the verb, and to get what it would run."""
    for name in (*INERT, *AwsWritten.__struct_fields__):
        monkeypatch.delenv(name.upper(), raising=False)
    found = []
    monkeypatch.setattr(verb, "control", lambda order, _environment, _show: found.append(order))

    def run(*arguments, **environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        cloud = () if "--cloud" in arguments else ("--cloud", "kwok")
        assert door.run(["controller", *cloud, *arguments]) == 0
        return found.pop()

    return run


def test_karpenters_command_line_and_pod_are_taken(orders):
    order = orders(
        "--cpu-requests=1000", "--memory-limit", "-1", "--enable-profiling",
        "--disable-webhook=true", "--karpenter-service=karpenter", "--batch-idle-duration=2s",
        INTERRUPTION_QUEUE="queue", DISABLE_CONTROLLER_WARMUP="perhaps",
    )  # fmt: skip

    assert list(order.inert) == [
        "--cpu-requests", "--memory-limit", "--enable-profiling", "--karpenter-service",
        "--disable-webhook", "DISABLE_CONTROLLER_WARMUP", "INTERRUPTION_QUEUE",
    ]  # fmt: skip
    assert order.controllers.batch_idle_ms == 2_000


def test_a_command_line_of_ours_warns_of_nothing(orders):
    assert orders().inert == {}


def test_settings_of_aws_are_inert_elsewhere_and_say_so(orders):
    given = ("--reserved-enis=1", "--isolated-vpc")

    elsewhere = orders(*given, INTERRUPTION_QUEUE="shop")
    there = orders("--cloud", "aws", *given, CLUSTER_NAME="shop", VM_MEMORY_OVERHEAD_PERCENT="0.1")

    assert list(elsewhere.inert) == ["INTERRUPTION_QUEUE", "--isolated-vpc", "--reserved-enis"]
    assert "AWS" in elsewhere.inert["--isolated-vpc"]
    assert there.inert == {}
    assert there.aws.written == AwsWritten(
        interruption_queue="shop",
        isolated_vpc=True,
        reserved_enis=1,
        vm_memory_overhead_percent=0.1,
    )


def test_every_setting_of_aws_is_a_flag():
    assert tuple(one.name for one in fields(verb.Aws)) == AwsWritten.__struct_fields__


def test_every_setting_without_effect_is_a_flag():
    assert [one.name for one in fields(verb.Inert)] == list(INERT)


@pytest.mark.parametrize(
    ("arguments", "environment", "nominates"),
    [
        ((), {}, True),
        (("--disable-pod-nomination",), {}, False),
        ((), {"DISABLE_POD_NOMINATION": "true"}, False),
        (("--disable-pod-nomination=false",), {"DISABLE_POD_NOMINATION": "true"}, True),
    ],
)
def test_nominations_can_be_switched_off(orders, arguments, environment, nominates):
    assert orders(*arguments, **environment).controllers.nominates is nominates


def rows():
    for group in (verb.Place, verb.Behaviour, verb.Process, verb.Aws):
        hints = get_type_hints(group, include_extras=True)
        for one in fields(group):
            parameter = get_args(hints[one.name])[1]
            variables = ", ".join(f"`{name}`" for name in parameter.env_var or ())
            value = str(one.default).lower() if isinstance(one.default, bool) else one.default
            default = f"`{value}`" if value != "" else ""
            yield f"| `{name_flag(one.name)}` | {variables} | {default} | {parameter.help} |"
    for name, why in INERT.items():
        yield f"| `{name_flag(name)}` | {why} |"


def test_the_page_of_settings_is_what_the_program_takes():
    page = (tree.ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")

    assert [line for line in page.splitlines() if line.startswith("| `--")] == list(rows())
    assert all(f"`{name}={str(value).lower()}`" in page for name, value in GATES.items())
