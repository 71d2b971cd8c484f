"""What-if: the answer of `diff`, `plan` and `consolidate` on both sides, and nothing hidden comes out."""

import json

import pytest
import yaml

from builders.dashboards import EXAMPLE
from nodewright.model.errors import UserError
from nodewright.state.snapshot import read_snapshot
from nodewright.web.answers.whatif import WhatIfRequest
from nodewright.web.foretold import work_out
from nodewright.web.writing.manifests import HIDDEN, write_manifests


@pytest.fixture(scope="module")
def taken():
    return read_snapshot(EXAMPLE.read_bytes(), "the example")


def manifests_of(taken):
    found = write_manifests(taken.world, 1).manifests
    return {f"{one.kind}/{one.name}": yaml.safe_load(one.text) for one in found}


def ask(taken, *objects):
    return work_out(taken, WhatIfRequest(manifests=yaml.safe_dump_all(objects)))


def test_objects_as_they_are_change_nothing(taken):
    found = ask(taken, *manifests_of(taken).values())

    assert found.difference.changes == ()
    assert found.plan_now == found.plan_changed
    assert found.going_now == found.going_changed


def test_a_changed_pool_is_told_by_its_field_and_its_price(taken):
    pool = manifests_of(taken)["NodePool/general"]
    pool["spec"]["limits"]["cpu"] = "1"
    found = ask(taken, pool)

    [change] = found.difference.changes
    assert (change.name, change.fields) == ("general", ("spec.limits.cpu",))
    assert len(found.plan_changed.unschedulable) > len(found.plan_now.unschedulable)


def test_user_data_is_not_shown_and_yet_the_same():
    whole = json.loads(EXAMPLE.read_bytes())
    [node_class] = [one for one in whole["objects"] if one["kind"] == "EC2NodeClass"]
    node_class["spec"]["userData"] = "#!/bin/sh\necho secret\n"
    taken = read_snapshot(json.dumps(whole).encode(), "the example")
    shown = manifests_of(taken)[f"EC2NodeClass/{node_class['metadata']['name']}"]

    assert shown["spec"]["userData"] == HIDDEN
    assert ask(taken, shown).difference.changes == ()
    shown["spec"]["userData"] = "another"
    assert ask(taken, shown).difference.changes[0].fields == ("spec.userData",)


@pytest.mark.parametrize(
    "text",
    ["", "kind: [", "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: x}\nspec: 3"],
)
def test_what_is_no_manifest_is_one_sentence(taken, text):
    with pytest.raises(UserError):
        work_out(taken, WhatIfRequest(manifests=text))
