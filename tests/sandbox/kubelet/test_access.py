"""Who is let in as a node."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sandbox.kubelet.access import (
    NODE_GROUPS,
    NODE_USER,
    WINDOWS_GROUP,
    Door,
    Entry,
    has_windows_group,
    judge_access,
)

ROLE = "arn:aws:iam::123456789012:role/Node"


def a_map(role=ROLE, user=NODE_USER, groups=NODE_GROUPS):
    return yaml.safe_dump([{"rolearn": role, "username": user, "groups": list(groups)}])


def judged(mode="API_AND_CONFIG_MAP", entries=None, aws_auth=None, role=ROLE, windows=False):
    return judge_access(Door(mode, entries or {}, aws_auth), role, is_windows=windows)


@pytest.mark.parametrize("mode", ["API", "API_AND_CONFIG_MAP"])
def test_an_entry_of_the_right_type_lets_a_node_in(mode):
    assert judged(mode, {ROLE: Entry("EC2_LINUX")}) == ""
    assert judged(mode, {ROLE: Entry("EC2_WINDOWS")}, windows=True) == ""
    assert "of type STANDARD, not EC2_LINUX" in judged(mode, {ROLE: Entry("STANDARD")})
    assert "not EC2_WINDOWS" in judged(mode, {ROLE: Entry("EC2_LINUX")}, windows=True)


@pytest.mark.parametrize("mode", ["CONFIG_MAP", "API_AND_CONFIG_MAP"])
def test_the_map_lets_a_node_in(mode):
    assert judged(mode, aws_auth=a_map()) == ""


def test_each_mode_looks_only_where_it_says():
    assert "does not look at aws-auth" in judged("API", aws_auth=a_map())
    assert "Unauthorized" in judged("CONFIG_MAP", {ROLE: Entry("EC2_LINUX")}, "[]")


def test_an_entry_comes_before_the_map():
    assert "of type STANDARD" in judged(entries={ROLE: Entry("STANDARD")}, aws_auth=a_map())


def test_the_authenticator_compares_roles_without_their_path():
    pathed = ROLE.replace("role/", "role/team/")

    assert judged(aws_auth=a_map(), role=pathed) == ""
    assert "does not name" in judged(aws_auth=a_map(role=pathed), role=pathed)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no ConfigMap"),
        ("", "does not name"),
        ("a: [", "no YAML"),
        ("just words", "does not name"),
        (a_map(role=ROLE + "2"), "does not name"),
        (a_map(groups=["system:nodes"]), "no group system:bootstrappers"),
        (a_map(groups=["system:bootstrappers"]), "no group system:nodes"),
        (a_map(user="node"), "instead of 'system:node:{{EC2PrivateDNSName}}'"),
    ],
)
def test_the_refusal_names_what_is_missing_in_the_map(text, said):
    assert said in judged(aws_auth=text)


@given(st.text())
def test_no_map_breaks_the_reader(text):
    assert judged(aws_auth=text) != "" or ROLE in text


def test_windows_wants_a_group_of_its_own():
    assert has_windows_group(a_map(groups=[*NODE_GROUPS, WINDOWS_GROUP]), ROLE)
    assert not has_windows_group(a_map(), ROLE)
    assert not has_windows_group("a: [", ROLE)
