"""Mending: the text changes only where an edit is, and a second run finds nothing to mend."""

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.lint.engine import lint
from nodewright.lint.finding import Finding, Join, Remove, Rename, Replace
from nodewright.lint.fix import fix_text
from nodewright.state.manifests import read_manifests


def mend(text, *edits):
    """Carry edits out on the first object of a text."""
    text = dedent(text)
    manifest = read_manifests(text.encode(), "test.yaml")[0]
    return fix_text(text, [Finding("NW-2101", manifest, (), "x", edits=edits)])


def test_a_scalar_keeps_its_quotes_and_its_comment():
    fixed = mend("a: 'one'   # why\nb: two\n", Replace(("a",), "three"), Replace(("b",), "4"))

    assert fixed.text == "a: 'three'   # why\nb: \"4\"\n"


def test_a_key_is_renamed_in_place():
    assert mend("a:\n  wrng: 1  # x\n  b: 2\n", Rename(("a", "wrng"), "right")).text == (
        "a:\n  right: 1  # x\n  b: 2\n"
    )


def test_a_removed_key_takes_its_lines_and_leaves_the_comments_around_it():
    text = """\
    # first
    a:
      - key: x
        values: [1]
        stray:
      # second
      - key: y   # third
    """

    assert mend(text, Remove(("a", 0, "stray"))).text == dedent(text).replace("    stray:\n", "")


def test_the_first_key_of_an_item_can_be_removed():
    assert (
        mend("a:\n  - stray:\n    key: x\n", Remove(("a", 0, "stray"))).text == "a:\n  - key: x\n"
    )


def test_a_list_item_can_be_removed():
    text = "a:\n  - key: x\n    effect: y\n  # keep\n  - key: z\n"

    assert mend(text, Remove(("a", 0))).text == "a:\n  # keep\n  - key: z\n"


def test_two_terms_become_one():
    text = """\
    terms:
    - matchExpressions:
      - key: a
        operator: DoesNotExist
    - matchExpressions:
      - key: b   # ours
        operator: Exists
    """
    lines = dedent(text).splitlines(keepends=True)
    del lines[4]

    assert mend(text, Join(("terms",))).text == "".join(lines)


def test_flow_style_is_written_anew_with_its_comments():
    fixed = mend("# why\na: {x: 1, stray: , y: 2}\n# here\nb: 3\n", Remove(("a", "stray")))

    assert (fixed.text, len(fixed.mended)) == ("# why\na: {x: 1, y: 2}\n# here\nb: 3\n", 1)


def test_json_stays_json():
    text = '{"a": {"x": "1", "b": 2}}'

    assert mend(text, Replace(("a", "x"), "2")).text == '{"a": {"x": "2", "b": 2}}'
    assert read_manifests(mend(text, Remove(("a", "x"))).text.encode(), "x")[0].raw == {
        "a": {"b": 2}
    }


def test_what_is_not_there_is_left_alone():
    fixed = mend("a: 1\n", Remove(("b",)))

    assert (fixed.text, fixed.mended, len(fixed.left)) == ("a: 1\n", (), 1)


def test_other_documents_keep_every_byte():
    text = "a:   1\n---\nb: {c: 'x'}   \n---\n\n# end\nd: [1,2]\n"
    second = read_manifests(text.encode(), "test.yaml")[1]
    fixed = fix_text(text, [Finding("NW-2101", second, (), "x", edits=(Replace(("b", "c"), "y"),))])

    assert fixed.text == text.replace("'x'", "'y'")


@pytest.mark.parametrize("start", ["---\n", "--- # two\n", "--- "])
def test_a_document_that_is_written_anew_keeps_its_start(start):
    text = f"a: 1\n{start}{{x: 1, stray: , z: 2}}\n---\nc: 3\n"
    second = read_manifests(text.encode(), "test.yaml")[1]
    fixed = fix_text(text, [Finding("NW-2101", second, (), "x", edits=(Remove(("stray",)),))])
    after = [one.raw for one in read_manifests(fixed.text.encode(), "test.yaml")]

    assert after == [{"a": 1}, {"x": 1, "z": 2}, {"c": 3}]


def test_line_ends_of_windows_stay():
    assert mend("a: x\r\nb: y\r\n", Replace(("b",), "z")).text == "a: x\r\nb: z\r\n"


def test_an_object_of_a_list_is_mended_in_place():
    text = "kind: List\nitems:\n  - kind: A\n    x: 1\n  - kind: B\n    x: 1\n"
    second = read_manifests(text.encode(), "test.yaml")[1]
    fixed = fix_text(text, [Finding("NW-2101", second, (), "x", edits=(Replace(("x",), 2),))])

    assert fixed.text == "kind: List\nitems:\n  - kind: A\n    x: 1\n  - kind: B\n    x: 2\n"


BROKEN = """\
# pools of the shop
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: shop}   # the name
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: shop}
      requirements:
        - key: node.kubernetes.io/instance-type
          operator: In
          values: [m, c]   # large ones
        - key: karpenter.k8s.aws/instance-generation
          operator: Gt
          values: [4]
          requirements:
      expireAfter: 30d
      # nobody removes it
      startupTaints:
        - key: karpenter.sh/not-ready
          effect: NoSchedule
  disruption:
    consolidationPolicy: WhenUnderutilized
    consolidateAftr: 1m
  limits: {cpu: 100}
"""


def test_everything_that_has_one_right_answer_is_mended_and_a_second_run_changes_nothing():
    text = BROKEN
    for _ in range(3):
        manifests = read_manifests(text.encode(), "shop.yaml")
        text = fix_text(text, lint(manifests)).text
    again = lint(read_manifests(text.encode(), "shop.yaml"))

    assert [finding.code for finding in again] == []
    assert text.count("#") == BROKEN.count("#")
    assert fix_text(text, again).text == text


keys = st.sampled_from(["a", "b", "c", "d"])
trees = st.recursive(
    st.integers() | st.sampled_from(["x", "yes", "1", "a b"]),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(keys, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(keys, trees, min_size=1), st.data(), st.booleans())
def test_a_mended_text_holds_what_was_meant_and_nothing_else(value, data, flow):
    import yaml

    from nodewright.lint.edits import apply_all

    text = yaml.dump(value, Dumper=yaml.CSafeDumper, default_flow_style=flow)
    path = data.draw(st.sampled_from(sorted(paths(value), key=str)))
    edit = data.draw(st.sampled_from([Replace(path, "new"), Remove(path)]))
    if isinstance(edit, Replace) and isinstance(at(value, path), dict | list):
        return
    fixed = mend(text, edit)
    wanted = apply_all(read_manifests(text.encode(), "x")[0].raw, [edit])
    after = read_manifests(fixed.text.encode(), "x")

    assert not fixed.mended or (after[0].raw if after else {}) == wanted


def paths(value, at=()):
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for part, entry in entries:
        yield (*at, part)
        if isinstance(entry, dict | list):
            yield from paths(entry, (*at, part))


def at(value, path):
    for part in path:
        value = value[part]
    return value


@pytest.mark.parametrize("value", ["a: b", "- x", "yes", "1", "", "é"])
def test_text_that_needs_quotes_gets_them(value):
    fixed = mend("a: x\n", Replace(("a",), value))

    assert read_manifests(fixed.text.encode(), "x")[0].raw == {"a": value}
