"""What a launch rests on is told once for each change."""

import logging

import pytest

from builders.awsaccounts import a_class
from builders.awslaunches import a_launch
from builders.types import a_type, an_offering
from nodewright.aws.choice import Candidate, Choice
from nodewright.aws.telling import Telling, tell_narrow, tell_template


@pytest.fixture
def said(caplog):
    """Give what was said, message and facts."""
    caplog.set_level(logging.INFO, logger="nodewright.aws")
    return lambda: [(one.getMessage(), one.facts) for one in caplog.records]


def test_a_version_is_told_when_it_changes(said):
    telling = Telling()
    for version in ("1.34", "1.34", "1.35"):
        telling.tell_version(version)

    assert [facts["kubernetes-version"] for _, facts in said()] == ["1.34", "1.35"]


def test_an_image_is_told_once_for_each_class(said):
    telling = Telling()
    for name in ("a", "a", "b"):
        telling.tell_images(a_class(name), ["ami-1", "ami-1"])

    assert [(facts["EC2NodeClass"]["name"], facts["ami"]) for _, facts in said()] == [
        ("a", "ami-1"),
        ("b", "ami-1"),
    ]


def test_few_types_are_told_with_whose_they_are(said):
    request = a_launch(claim="default-abc", node_pool="default")
    kinds = [a_type("n"), a_type("m")]
    tell_narrow(request, Choice("on-demand", tuple(Candidate(k, an_offering()) for k in kinds)))

    assert said() == [
        (
            "on demand is bought though spot would do, and only 2 types may be: allow at least 5",
            {
                "NodeClaim": {"name": "default-abc"},
                "NodePool": {"name": "default"},
                "instance-types": ["m", "n"],
            },
        )
    ]


def test_a_template_is_told_with_its_id(said):
    tell_template("karpenter.k8s.aws/1", {"LaunchTemplate": {"LaunchTemplateId": "lt-1"}})

    assert said() == [
        (
            "created launch template",
            {"launch-template-name": "karpenter.k8s.aws/1", "launch-template-id": "lt-1"},
        )
    ]
