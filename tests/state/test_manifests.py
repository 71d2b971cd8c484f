import contextlib
import json
import random
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodewright.model.errors import UserError
from nodewright.state.manifests import SIZE_MAX_BYTES, read_manifests

POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default # the usual one
spec:
  weight: 10
  template:
    spec:
      requirements:
        - key: kubernetes.io/arch
          operator: In
          values: [amd64, "arm64"]
        - {key: a, operator: Exists}
"""


def read(text, source="f.yaml"):
    return read_manifests(text if isinstance(text, bytes) else text.encode(), source)


def raws(text):
    return [manifest.raw for manifest in read(text)]


def refusal(text):
    with pytest.raises(UserError) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_stream_gives_every_object_in_order():
    stream = f"---\n{POOL}---\n# nothing here\n---\n{POOL.replace('default', 'other')}...\n"
    found = read(stream)
    assert [(m.api_version, m.kind, m.name) for m in found] == [
        ("karpenter.sh/v1", "NodePool", "default"),
        ("karpenter.sh/v1", "NodePool", "other"),
    ]


def test_lists_are_taken_apart_and_their_items_know_their_place():
    text = "kind: List\nitems:\n- kind: A\n- kind: PodList\n  items:\n  - kind: B\n    x: 1\n"
    found = read(text)
    assert [m.kind for m in found] == ["A", "B"]
    assert found[1].where(("x",)) == "f.yaml:7:5"


def test_an_empty_list_is_no_object():
    assert read("kind: List\nitems: []\n") == []
    assert read("kind: PodList\nitems:\n") == []


def test_a_document_without_a_kind_is_given_for_the_caller_to_judge():
    (values,) = read("settings:\n  clusterName: c\n")
    assert values.kind == ""
    assert values.name == ""


def test_a_field_is_found_by_its_path():
    (pool,) = read(f"# a remark\n---\n{POOL}")
    path = ("spec", "template", "spec", "requirements", 0, "operator")
    position = pool.locate(path)
    assert (position.key.line, position.key.column) == (13, 11)
    assert (position.value.line, position.value.column, position.value.end_column) == (13, 21, 23)
    assert pool.where(("spec", "template", "spec", "requirements", 1, "key")) == "f.yaml:15:12"
    assert pool.where(("spec", "template", "spec", "requirements", 0, "values", 1)) == (
        "f.yaml:14:27"
    )


def test_a_field_that_is_not_there_is_found_at_what_surrounds_it():
    (pool,) = read(POOL)
    assert pool.where(("spec", "limits", "cpu")) == "f.yaml:5:1"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", True),
        ("y", True),
        ("off", False),
        ("~", None),
        ("", None),
        ("10", 10),
        ("0x1F", 31),
        ("0o17", 15),
        ("017", 15),
        ("1_000", 1000),
        ("-3", -3),
        ("1.5", 1.5),
        ("1e3", 1000),
        ("1.0", 1),
        ("12:30:45", "12:30:45"),
        ("2024-01-01", "2024-01-01"),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ("1Gi", "1Gi"),
        ("10%", "10%"),
        ("'10'", "10"),
        ('"yes"', "yes"),
        ("!!str 10", "10"),
        ("!!int '10'", 10),
        ("|\n  a\n  b", "a\nb\n"),
    ],
)
def test_words_mean_what_they_mean_to_kubernetes(written, value):
    (found,) = raws(f"k: {written}\n")
    assert found == {"k": value}
    assert type(found["k"]) is type(value)


def test_keys_are_texts():
    assert raws("1: a\ntrue: b\nnull: c\n1.5: d\n") == [
        {"1": "a", "true": "b", "null": "c", "1.5": "d"}
    ]


def test_anchors_and_merge_keys_work():
    text = "a: &a {x: 1, w: 2}\nb:\n  <<: *a\n  w: 3\nc: *a\nd:\n  <<: [{z: 1}, *a]\n"
    (found,) = raws(text)
    assert found["b"] == {"x": 1, "w": 3}
    assert found["c"] == {"x": 1, "w": 2}
    assert found["d"] == {"z": 1, "x": 1, "w": 2}


def test_json_is_read_with_its_places():
    text = json.dumps({"kind": "List", "items": [{"kind": "A", "n": 1.0}, {"kind": "B"}]}, indent=1)
    found = read(text)
    assert [m.raw for m in found] == [{"kind": "A", "n": 1}, {"kind": "B"}]
    assert found[1].where(("kind",)) == "f.yaml:9:4"


def test_json_objects_may_follow_each_other():
    assert raws('{"kind": "A"}\n{"kind": "B"}{"kind": "C"}\n') == [
        {"kind": "A"},
        {"kind": "B"},
        {"kind": "C"},
    ]


def test_flow_style_yaml_is_not_mistaken_for_json():
    assert raws("{kind: A, x: [1, yes]}") == [{"kind": "A", "x": [1, True]}]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_is_accepted(encoding):
    mark = "\ufeff" if encoding[-2:] in ("le", "be") else ""
    (pool,) = read((mark + POOL).encode(encoding))
    assert pool.name == "default"
    assert pool.where(("spec", "weight")) == "f.yaml:6:3"


def test_windows_line_ends_are_accepted():
    (pool,) = read(POOL.replace("\n", "\r\n"))
    assert pool.raw == raws(POOL)[0]
    assert pool.where(("spec", "weight")) == "f.yaml:6:3"


def test_other_alphabets_are_accepted():
    assert raws("kind: A\nnote: 한국어 😀\n") == [{"kind": "A", "note": "한국어 😀"}]
    assert raws('{"kind": "A", "note": "\\ud83d\\ude00"}') == [{"kind": "A", "note": "😀"}]


def test_a_duplicate_key_names_both_lines():
    error = refusal("kind: A\nspec:\n  a:\n  - x: 1\n    y: 2\n    x: 3\n")
    assert str(error) == (
        "f.yaml:6:5: the key spec.a[0].x stands there twice, in line 4 and in line 6: "
        "keep one of the two"
    )


def test_a_duplicate_key_is_found_in_later_documents_and_in_json():
    assert "line 6 and in line 7" in str(refusal("a: 1\nb: 2\n---\nkind: A\nc:\n  x: 1\n  x: 1\n"))
    error = refusal('{"kind": "A",\n "kind": "B"}')
    assert "in line 1 and in line 2" in str(error)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a: [1, 2", "not YAML"),
        ("a: b: c", "not YAML"),
        ("\tkey: 1", "not YAML"),
        ("a: {{ .Values.x }}-{{ .Values.y }}\n", "key cannot be"),
        ("just some text", "expected a Kubernetes object"),
        ("- kind: A\n", "found a list"),
        ("42", "found 42"),
        ("a: !Ref x", "tag !Ref"),
        ("a: !!python/object:os.system x", "tag !!python"),
        ("a: *b", "no anchor"),
        ("a: &a [*a]", "inside of itself"),
        ("? [a]\n: b", "key cannot be"),
        ("? {a: b}\n: b", "key cannot be"),
        ("<<: 3", "<< takes a mapping"),
        ("a: .inf", "JSON does not have"),
        ("a: 1e999", "too large"),
        ("a: " + "9" * 5000, "5000 digits"),
        ('{"a": NaN}x', "not YAML"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"a: \x00", "U+0000"),
        (b"a: 1\nb: \xff\xfe", "byte 8 is no UTF-8"),
        (b"\x7fELF\x02\x01", "not a text file"),
        ('{"kind": "\\ud800"}', "half a character"),
        ("kind: List\nitems:\n- 3\n", "found 3"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(text, part):
    error = refusal(text)
    assert part in str(error)
    assert str(error).startswith("f.yaml")
    assert error.code.startswith("NW-92")


def test_a_helm_template_is_told_to_be_rendered():
    assert "helm template" in refusal("a: {{ .Values.x }}-{{ .Values.y }}\n").advice


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        "{a: " * 50_000,
        "- " * 50_000 + "x",
        '{"a":' * 50_000,
        "\n".join(f"{'  ' * n}a:" for n in range(2_000)),
        "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 200)),
    ],
)
def test_deep_nesting_is_refused_at_once(text):
    before = time.process_time()
    assert "levels deep" in str(refusal(text)) or "not YAML" in str(refusal(text))
    assert time.process_time() - before < 5


def test_aliases_that_multiply_are_refused_in_little_memory():
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
    )
    tracemalloc.start()
    assert "aliases count in full" in str(refusal(bomb))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_merges_that_multiply_are_refused_in_little_memory():
    keys = ", ".join(f"k{n}: 1" for n in range(5_000))
    bomb = f"base: &b {{{keys}}}\n" + "".join(f"m{n}: {{<<: *b}}\n" for n in range(1_000))
    assert "aliases count in full" in str(refusal(bomb))


def test_a_file_beyond_the_limit_is_refused_unread():
    error = refusal(bytes(SIZE_MAX_BYTES + 1))
    assert "64 MB" in str(error)


def test_five_thousand_pools_are_read_in_three_seconds():
    stream = "---\n".join(POOL.replace("default", f"pool-{n}") * 1 for n in range(5_000))
    before = time.process_time()
    assert len(read(stream)) == 5_000
    assert time.process_time() - before < 3


SHARDS = st.sampled_from(
    [
        "---\n",
        "a: ",
        "- ",
        "  ",
        "\n",
        "[",
        "]",
        "{",
        "}",
        ",",
        ": ",
        "&x ",
        "*x",
        "<<: ",
        "!!",
        "'",
        '"',
        "#",
        "?",
        "%",
        "@",
        "~",
        "1e9",
        "kind: List\n",
        "items:\n",
        "\r\n",
        "\t",
        "\ufeff",
    ]
)
NOISE = (
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | st.lists(SHARDS, max_size=60).map(lambda shards: "".join(shards).encode())
)


@st.composite
def broken_pools(draw):
    text = bytearray(POOL.encode())
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text) - 1))
        text[at : at + draw(st.integers(0, 5))] = draw(NOISE)[:10]
    return bytes(text)


def survives(data):
    with contextlib.suppress(UserError):
        for manifest in read(data):
            json.dumps(manifest.raw)
            assert manifest.where(("spec", "x")).startswith("f.yaml:")


@given(NOISE | broken_pools())
def test_any_bytes_give_objects_or_one_sentence(data):
    survives(data)


@pytest.mark.soak
@settings(settings.get_profile("soak"))
@given(NOISE | broken_pools())
def test_very_many_bytes_give_objects_or_one_sentence(data):
    survives(data)


@pytest.mark.soak
@pytest.mark.parametrize("alphabet", [bytes(range(256)), b"abc:-# \n[]{}&*'\"", b"ab \n", b"[{- "])
def test_sixty_megabytes_of_noise_are_survived(alphabet):
    chance = random.Random(7)
    noise = bytes(chance.choices(alphabet, k=1 << 20)) * 60
    before = time.process_time()
    refusal(noise)
    assert time.process_time() - before < 120
    assert "64 MB" in str(refusal(noise * 2))
