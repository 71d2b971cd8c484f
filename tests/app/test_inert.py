"""Karpenter's settings without effect: each is named with why, however it is given."""

from nodewright.app.aws_settings import AwsWritten
from nodewright.app.inert import INERT, find_inert, name_flag
from nodewright.app.settings import Written


def test_what_is_given_by_flag_or_variable_is_named_as_it_was_given():
    found = find_inert(["cpu_requests"], {"MEMORY_LIMIT": "1", "PATH": "/bin"})

    assert found == {
        "--cpu-requests": INERT["cpu_requests"],
        "MEMORY_LIMIT": INERT["memory_limit"],
    }


def test_an_empty_variable_says_nothing():
    assert find_inert([], {"KARPENTER_SERVICE": ""}) == {}


def test_a_setting_either_works_or_has_no_effect():
    assert not set(INERT) & {*Written.__struct_fields__, *AwsWritten.__struct_fields__}


def test_a_flag_is_written_with_dashes():
    assert name_flag("cpu_requests") == "--cpu-requests"
