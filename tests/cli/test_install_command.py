import pytest

from nodewright.cli.install import ChoiceOption
from nodewright.cli.install_command import command_of
from nodewright.install.steps import Plan
from nodewright.install.wish import Wish


def a_plan(wish, verb="install"):
    return Plan(verb, wish, "123456789012", "us-west-2", ())


def test_defaults_are_left_out():
    assert command_of(a_plan(Wish("shop")), {}) == "nodewright install --cluster shop"


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("uninstall", "uninstall --cluster shop"),
        ("hand-back", "install --cluster shop --hand-back"),
    ],
)
def test_the_way_back_has_no_choices(verb, said):
    assert command_of(a_plan(Wish("shop", is_fargate=True), verb), {}) == f"nodewright {said}"


def test_every_choice_can_be_typed_again():
    chosen = ChoiceOption(
        node_role="mine",
        node_policy=("CloudWatchAgentServerPolicy", "arn:aws:iam::1:policy/p"),
        security_groups="sg-1,sg-2",
        identity="irsa",
        fargate=True,
        pools=False,
        take_over=False,
        pin_system=True,
        remove_leftovers=True,
        move_group="workers",
        image="mine:1",
        journal_s3="s3://mine/shop",
        replicas=1,
    )

    assert command_of(a_plan(chosen.wish("shop")), {}) == (
        "nodewright install --cluster shop --node-policy CloudWatchAgentServerPolicy "
        "--node-policy arn:aws:iam::1:policy/p --node-role mine --security-groups sg-1,sg-2 "
        "--identity irsa --move-group workers --image mine:1 --journal-s3 s3://mine/shop "
        "--replicas 1 --fargate --no-pools --no-take-over --pin-system --remove-leftovers"
    )
    usual = Wish("shop")
    assert all(
        getattr(chosen.wish("shop"), name) != getattr(usual, name)
        for name in usual.__struct_fields__
        if name != "cluster"
    )


def test_it_goes_on_at_the_same_place():
    place = {"kubeconfig": "", "context": "prod eu", "region": "eu-west-1", "profile": ""}

    assert command_of(a_plan(Wish("shop"), "uninstall"), place) == (
        "nodewright uninstall --cluster shop --context 'prod eu' --region eu-west-1"
    )
