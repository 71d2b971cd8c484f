"""Beside the cases of `tests/crds`: what they cannot say because no server would be asked."""

from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.admission import admit
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kinds import CURRENT, LEGACY
from nodewright.model.nodepool import NodePool
from nodewright.model.path import show_path
from nodewright.model.schema_openapi import schema_of

REF = {"group": "g", "kind": "k", "name": "n"}


def a_pool(**template):
    spec = {"nodeClassRef": REF, "requirements": [], **template}
    return {"metadata": {"name": "p"}, "spec": {"template": {"spec": spec}}}


def said(raw, struct=NodePool, old=None):
    return [(show_path(problem.path), problem.message) for problem in admit(raw, struct, old)]


def test_a_null_counts_as_absent():
    assert said(a_pool(expireAfter=None, taints=None)) == []
    assert said(a_pool(requirements=None))[0][1] == "requirements is required"


def test_unknown_fields_are_left_to_lint():
    assert said(a_pool(what="ever")) == []


def test_a_wrong_type_is_told_without_a_rule_stumbling_over_it():
    (problem,) = said(a_pool(requirements=[{"key": 3, "operator": "In", "values": ["x"]}]))
    assert problem == ("spec.template.spec.requirements[0].key", "must be text, not 3")


def test_all_refusals_are_told_at_once():
    assert len(said(a_pool(expireAfter="x", terminationGracePeriod="y"))) == 2


def test_a_line_feed_does_not_end_a_pattern_early():
    assert said(a_pool(expireAfter="1h\n")) != []


def test_a_class_without_options_gets_them():
    spec = {
        "subnetSelectorTerms": [{"id": "subnet-1"}],
        "securityGroupSelectorTerms": [{"id": "sg-1"}],
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "role": "r",
    }
    assert said({"spec": spec}, EC2NodeClass) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)


@st.composite
def odd_objects(draw, schema):
    """Give an object with the right names and anything inside."""
    if "properties" in schema and draw(st.integers(0, 5)):
        names = draw(
            st.lists(st.sampled_from(sorted(schema["properties"])), unique=True, max_size=6)
        )
        return {name: draw(odd_objects(schema["properties"][name])) for name in names}
    if "items" in schema and draw(st.integers(0, 5)):
        return [draw(odd_objects(schema["items"])) for _ in range(draw(st.integers(0, 3)))]
    if "enum" in schema and draw(st.booleans()):
        return draw(st.sampled_from(schema["enum"]))
    return draw(VALUES)


@given(kind=st.sampled_from((*CURRENT, *LEGACY)), data=st.data())
def test_no_object_makes_the_judge_stumble(kind, data):
    schema = schema_of(kind.struct)
    raw = data.draw(odd_objects(schema))
    old = data.draw(st.none() | odd_objects(schema))
    for problem in admit(raw, kind.struct, old):
        assert problem.message
