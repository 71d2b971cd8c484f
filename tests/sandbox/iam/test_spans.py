"""Where statements stand in a text."""

import json

from hypothesis import given
from hypothesis import strategies as st

from nodewright.sandbox.iam.spans import statement_spans

TEXT = """{
  "Version": "2012-10-17",
  "Statement": [
    {"Effect": "Allow", "Action": "a:*", "Resource": "*", "Sid": "{\\"["},
    {
      "Effect": "Deny",
      "Action": "b:*", "Resource": "*", "Condition": {"Bool": {"aws:x": "true"}}
    }
  ],
  "Id": "x"
}"""


def cut(text, span):
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: span.start_line - 1]) + span.start_column - 1
    end = sum(len(line) + 1 for line in lines[: span.end_line - 1]) + span.end_column - 1
    return text[start:end]


def test_each_statement_is_found_by_line_and_column():
    first, second = statement_spans(TEXT)

    assert (first.start_line, first.start_column) == (4, 5)
    assert (second.start_line, second.end_line) == (5, 8)
    assert json.loads(cut(TEXT, second))["Effect"] == "Deny"


def test_a_single_statement_without_a_list_is_found():
    text = '{"Statement": {"Effect": "Allow", "Condition": {"Bool": {"a:b": "true"}}}, "Id": "i"}'

    assert [json.loads(cut(text, span))["Effect"] for span in statement_spans(text)] == ["Allow"]


WILD = st.text(alphabet='{}[]":\\,a\n', max_size=4)


@given(
    st.lists(st.dictionaries(WILD, st.lists(WILD, max_size=2), max_size=2), max_size=3),
    st.sampled_from([None, 2]),
)
def test_what_is_cut_out_is_what_was_written(statements, indent):
    text = json.dumps({"Id": {"Statement": {}}, "Statement": statements, "V": [{}]}, indent=indent)

    assert [json.loads(cut(text, span)) for span in statement_spans(text)] == statements
