import pytest
import yaml

from builders.found import NUMBER, a_cluster, a_found, steps_of
from nodewright.install.found import AccessEntry, Kube
from nodewright.install.resources.access import AWS_AUTH, read_map
from nodewright.install.steps import Merge, Remove
from nodewright.model.errors import UserError

ROLE = f"arn:aws:iam::{NUMBER}:role/NodewrightNodeRole-shop"
THEIRS = f"- rolearn: arn:aws:iam::{NUMBER}:role/theirs   # keep\n  username: x\n  groups: [a]\n"
OLD = a_cluster(mode="CONFIG_MAP")


def a_map(text):
    return {"metadata": {"name": "aws-auth"}, "data": {"mapRoles": text, "mapUsers": "[]"}}


def test_a_cluster_that_takes_entries_gets_one():
    step = steps_of(a_found())["access entry NodewrightNodeRole-shop"]

    assert step.deeds[0].params["type"] == "EC2_LINUX"


def test_an_entry_that_is_there_is_right():
    entries = {ROLE: AccessEntry(ROLE, kind="EC2_LINUX")}

    assert steps_of(a_found(entries=entries))["access entry NodewrightNodeRole-shop"].sign == "="


def test_a_line_is_added_to_the_map_and_the_rest_of_it_stays():
    step = steps_of(a_found(OLD, Kube(aws_auth=a_map(THEIRS))))["aws-auth NodewrightNodeRole-shop"]
    kept, change = step.deeds

    assert kept.was["was"] == THEIRS
    assert change.path == AWS_AUTH
    first, second = yaml.safe_load(change.patch["data"]["mapRoles"])
    assert first["username"] == "x"
    assert second["rolearn"] == ROLE
    assert second["groups"] == ["system:bootstrappers", "system:nodes"]
    assert "mapUsers" not in change.patch["data"]


def test_a_role_that_the_map_has_is_right_whatever_its_path():
    text = yaml.safe_dump([{"rolearn": ROLE, "username": "n", "groups": []}])

    steps = steps_of(a_found(OLD, Kube(aws_auth=a_map(text))))
    assert steps["aws-auth NodewrightNodeRole-shop"].sign == "="


def test_a_map_that_cannot_be_read_is_not_replaced():
    with pytest.raises(UserError, match="aws-auth cannot be read, so nothing is added"):
        steps_of(a_found(OLD, Kube(aws_auth=a_map("- [broken"))))


def undone(live, **kept):
    record = {"aws-auth": {"was": {"role": ROLE, **kept}}}
    found = a_found(OLD, Kube(aws_auth=live, record=record))
    return steps_of(found, "uninstall")["aws-auth kube-system"].deeds[0]


def test_a_map_that_nobody_else_touched_is_put_back_to_the_letter():
    text = yaml.safe_dump([{"rolearn": ROLE}])
    back = undone(a_map(text), was=THEIRS, wrote=text)

    assert back == Merge(AWS_AUTH, {"data": {"mapRoles": THEIRS}})


def test_of_a_map_that_others_changed_only_our_line_goes():
    text = yaml.safe_dump([{"rolearn": "arn:aws:iam::123456789012:role/new"}, {"rolearn": ROLE}])
    back = undone(a_map(text), was=THEIRS, wrote="something else")

    assert read_map(back.patch["data"]["mapRoles"]) == [
        {"rolearn": "arn:aws:iam::123456789012:role/new"}
    ]


def test_a_map_that_was_not_there_goes():
    text = yaml.safe_dump([{"rolearn": ROLE}])

    assert undone(a_map(text), was=None) == Remove(AWS_AUTH)
