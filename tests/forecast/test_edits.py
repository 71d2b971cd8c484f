import pytest

from nodewright.forecast.edits import edit
from nodewright.forecast.setup import default_objects
from nodewright.model.errors import UserError


def spec(objects, name):
    return next(
        one for one in objects if one["metadata"]["name"] == name and one["kind"] == "NodePool"
    )["spec"]


def test_a_setting_is_changed_by_its_path_and_nothing_else_is():
    before = default_objects()

    after = edit(
        before, ["nodepool/*.spec.disruption.consolidateAfter=5m", "NodePool/gpu.spec.weight=7"]
    )

    assert spec(after, "default")["disruption"] == {"consolidateAfter": "5m"}
    assert spec(after, "gpu")["weight"] == 7
    assert "disruption" not in spec(before, "default")


def test_places_of_lists_can_be_named_and_values_are_yaml():
    after = edit(
        default_objects(),
        ["nodepool/default.spec.template.spec.requirements[2].values=[on-demand]"],
    )

    assert spec(after, "default")["template"]["spec"]["requirements"][2]["values"] == ["on-demand"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("consolidateAfter=5m", "this is no setting"),
        ("nodepool/other.spec.weight=1", "there is no nodepool/other"),
        ("nodepool/gpu.spec.weight={", "the value is no YAML"),
        ("nodepool/gpu.spec.template.spec.requirements[9].key=a", "there is no place [9]"),
        ("nodepool/gpu.spec.weight.more=1", "is no field of a text"),
    ],
)
def test_a_setting_that_means_nothing_is_one_sentence(change, sentence):
    with pytest.raises(UserError) as told:
        edit(default_objects(), [change])

    assert sentence in told.value.message
