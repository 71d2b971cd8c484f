import pytest

from builders.found import NUMBER, a_cluster, a_found, a_group, steps_of
from nodewright.install.found import Kube, Scaler
from nodewright.install.names import check_journal
from nodewright.install.plan import names_of, plan_install, plan_uninstall
from nodewright.install.resources.objects import chart_values
from nodewright.install.steps import Ask, Remember
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError


def test_the_record_comes_before_every_change():
    plan = plan_install(a_found(), Wish("shop"))

    assert plan.steps[0].title == "namespace nodewright"


def test_what_is_not_ours_is_written_down_before_it_is_changed():
    steps = plan_install(a_found(), Wish("shop")).changes
    tagging = [step.deeds for step in steps if step.kind in ("subnets", "security group")]

    assert len(tagging) == 2
    for deeds in tagging:
        kinds = [type(deed) for deed in deeds]
        assert kinds.index(Ask) > max(i for i, kind in enumerate(kinds) if kind is Remember)


def test_everything_that_is_made_carries_our_tag():
    made = [
        deed
        for step in plan_install(a_found(), Wish("shop")).changes
        for deed in step.deeds
        if isinstance(deed, Ask) and ("Create" in deed.call or deed.call == "events.PutRule")
    ]
    untagged = [
        deed.call
        for deed in made
        if deed.call not in ("ec2.CreateTags", "iam.CreateServiceLinkedRole")
        and "nodewright.dev/cluster" not in str(deed.params.get("Tags") or deed.params.get("tags"))
    ]

    assert len(made) > 10
    assert untagged == []


def test_a_cluster_without_a_node_group_is_refused_with_the_reason():
    bare = a_found(a_cluster(node_groups=()))

    with pytest.raises(UserError, match="cannot run on nodes that it makes itself") as caught:
        plan_install(bare, Wish("shop"))

    assert "--fargate" in caught.value.advice


def test_one_machine_gets_one_controller_and_a_note():
    plan = plan_install(a_found(a_cluster(node_groups=(a_group(desired=1),))), Wish("shop"))

    [deployment] = [step for step in plan.steps if step.kind == "deployment"]
    assert deployment.detail.startswith("1 replica on node group main")
    assert any("one node in the node groups" in note for note in plan.notes)


def test_an_empty_account_has_nothing_to_uninstall_and_nothing_to_be_told():
    plan = plan_uninstall(a_found(), Wish("shop"))
    assert (plan.steps, plan.notes) == ((), ())


def test_pools_of_others_stay_and_are_named():
    claim = {"metadata": {"name": "c", "labels": {"karpenter.sh/nodepool": "theirs"}}}
    plan = plan_uninstall(a_found(kube=Kube(pools=("theirs",), claims=(claim,))), Wish("shop"))

    assert "nodepool/theirs" in plan.notes[0]
    assert "nobody looks after its nodes (1)" in plan.notes[0]
    running = Scaler("karpenter", "kube-system", "karpenter", 2)
    kube = Kube(pools=("theirs",), claims=(claim,), scalers=(running,))
    [note] = plan_uninstall(a_found(kube=kube), Wish("shop")).notes
    assert "; karpenter looks after its nodes (1) from then on" in note


def test_the_controller_is_given_the_role_that_nodes_really_have():
    steps = steps_of(a_found())
    document = steps["iam policy NodewrightControllerIAMIntegration-shop"].deeds[0].params

    assert f"arn:aws:iam::{NUMBER}:role/NodewrightNodeRole-shop" in document["PolicyDocument"]


@pytest.mark.parametrize(("journal", "count"), [("", 0), ("s3://logs/shop", 1)])
def test_copies_of_the_journal_bring_a_policy_for_their_place_alone(journal, count):
    wish = Wish("shop", journal=journal)
    made = [
        deed.params["PolicyDocument"]
        for step in plan_install(a_found(), wish).changes
        for deed in step.deeds
        if isinstance(deed, Ask) and "ControllerJournal" in str(deed.params.get("PolicyName"))
    ]

    assert len(made) == count
    assert all("arn:aws:s3:::logs/shop/*" in one and "s3:PutObject" in one for one in made)
    said = chart_values(a_found(), wish, names_of(a_found()))["settings"].get("journalS3", "")
    assert said == journal


@pytest.mark.parametrize("journal", ["logs", "s3://logs/*"])
def test_a_place_that_cannot_be_is_refused_in_one_sentence(journal):
    with pytest.raises(UserError, match="cannot be a place in S3") as caught:
        check_journal(journal)

    assert caught.value.advice == "write it as s3://my-bucket/journal/my-cluster"
