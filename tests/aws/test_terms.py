"""Selector terms as questions to EC2."""

from nodewright.aws.terms import group_questions, subnet_questions, tag_filters
from nodewright.model.ec2nodeclass_terms import SecurityGroupSelectorTerm, SubnetSelectorTerm


def filters(*pairs):
    return {"Filters": [{"Name": name, "Values": list(values)} for name, *values in pairs]}


def test_a_star_asks_for_the_key_alone():
    assert tag_filters({"b": "*", "a": "x,y"}) == [
        {"Name": "tag:a", "Values": ["x,y"]},
        {"Name": "tag-key", "Values": ["b"]},
    ]


def test_all_ids_go_into_one_question_and_each_term_of_tags_is_its_own():
    terms = [
        SubnetSelectorTerm(id="subnet-2"),
        SubnetSelectorTerm(tags={"a": "1", "b": "2"}),
        SubnetSelectorTerm(id="subnet-1"),
        SubnetSelectorTerm(tags={"c": "*"}),
    ]

    assert subnet_questions(terms) == [
        filters(("subnet-id", "subnet-1", "subnet-2")),
        filters(("tag:a", "1"), ("tag:b", "2")),
        filters(("tag-key", "c")),
    ]


def test_names_of_groups_go_into_one_question():
    terms = [
        SecurityGroupSelectorTerm(name="b"),
        SecurityGroupSelectorTerm(name="a"),
        SecurityGroupSelectorTerm(id="sg-1"),
        SecurityGroupSelectorTerm(tags={"x": "y"}),
    ]

    assert group_questions(terms) == [
        filters(("group-id", "sg-1")),
        filters(("group-name", "a", "b")),
        filters(("tag:x", "y")),
    ]
