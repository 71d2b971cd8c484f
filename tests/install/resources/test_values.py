import pytest

from nodewright.install.resources.values import (
    Release,
    merge_values,
    name_release,
    read_chart_file,
    without_empty,
)
from nodewright.model.errors import UserError


def test_what_is_not_wanted_otherwise_is_the_charts_default():
    assert merge_values({}) == read_chart_file("values.yaml")


def test_maps_are_merged_and_lists_replaced():
    merged = merge_values({"settings": {"clusterName": "prod"}, "tolerations": []})

    assert merged["settings"]["clusterName"] == "prod"
    assert merged["settings"]["batchMaxDuration"] == "10s"
    assert merged["tolerations"] == []


def test_a_null_takes_a_default_away():
    merged = merge_values({"nodeSelector": None, "affinity": {"podAntiAffinity": None}})

    assert "nodeSelector" not in merged
    assert list(merged["affinity"]) == ["nodeAffinity"]


def test_the_defaults_stay_as_they_are_when_somebody_changes_what_he_got():
    merge_values({})["settings"]["clusterName"] = "spoilt"

    assert merge_values({})["settings"]["clusterName"] == ""


def test_a_name_that_the_chart_does_not_have_is_refused_with_the_nearest():
    with pytest.raises(UserError, match=r"no value settings\.clusterNam$") as refused:
        merge_values({"settings": {"clusterNam": "prod"}})

    assert refused.value.advice == "did you mean settings.clusterName?"


@pytest.mark.parametrize(
    ("values", "release", "name", "account"),
    [
        ({}, Release(), "nodewright", "nodewright"),
        ({}, Release("mine"), "mine-nodewright", "mine-nodewright"),
        ({}, Release("my-nodewright"), "my-nodewright", "my-nodewright"),
        ({"nameOverride": "scaler"}, Release("mine"), "mine-scaler", "mine-scaler"),
        ({"fullnameOverride": "x" * 62 + "-y"}, Release(), "x" * 62, "x" * 62),
        ({"serviceAccount": {"name": "sa"}}, Release(), "nodewright", "sa"),
        ({"serviceAccount": {"create": False}}, Release(), "nodewright", "default"),
    ],
)
def test_names_follow_from_the_release_unless_they_are_given(values, release, name, account):
    names = name_release(merge_values(values), release)

    assert (names.full_name, names.account) == (name, account)


def test_an_empty_text_is_something_said_and_an_empty_map_is_not():
    assert without_empty({"a": "", "b": {}, "c": [], "d": None, "e": False, "f": 1}) == {
        "a": "",
        "f": 1,
    }
