"""Places of fields: found one by one as they are found all together."""

import yaml
from hypothesis import given
from hypothesis import strategies as st

from nodewright.state.positions import Mark, seek, walk

TEXT = """\
# a pool
kind: NodePool
spec:
  - key: a   # first
    values: ["x", "y"]
  - {key: b}
  -
    deep:
      - - 1
        - 2
other: &here
  name: x
again: *here
"""

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab: -#'\"\n", max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


def test_a_field_is_found_where_it_stands():
    assert seek(TEXT, ("spec", 0, "values", 1)).value == Mark(5, 19, 5, 22)
    assert seek(TEXT, ("spec", 2, "deep", 0, 1)).value == Mark(10, 11, 10, 12)


def test_what_is_not_there_is_answered_with_what_is_around_it():
    assert seek(TEXT, ("spec", 0, "operator")) == seek(TEXT, ("spec", 0))
    assert seek(TEXT, ("spec", 9)) == seek(TEXT, ("spec",))
    assert seek(TEXT, ("kind", "x", 3)) == seek(TEXT, ("kind",))


def test_lines_count_from_the_offset():
    assert seek(TEXT, ("kind",), 100).key.line == 102


def test_text_that_stops_being_yaml_is_searched_as_far_as_it_goes():
    assert seek("a: 1\nb: [", ("b", 0)).key == Mark(2, 1, 2, 2)
    assert seek("", ("a",)) is None


@given(values, st.booleans())
def test_one_by_one_gives_what_all_together_gives(value, flow):
    text = yaml.safe_dump(value, default_flow_style=flow)
    for path, position in walk(text):
        assert seek(text, path) == position
