from pathlib import Path

import pytest
import yaml

from crds import cases, cases_aws
from nodewright.crds.definitions import CURRENT, LEGACY
from nodewright.crds.document import as_yaml, definitions, write_definition
from nodewright.model.admission import admit
from nodewright.model.kinds import BY_NAME
from nodewright.model.path import show_path

CASES = (*cases.CASES, *cases_aws.CASES)
CHART = Path(__file__).parents[2] / "charts" / "nodewright-crd" / "files"


def verdict(case):
    struct = BY_NAME[case.object["apiVersion"], case.object["kind"]].struct
    return [
        f"{show_path(problem.path)}: {problem.message}"
        for problem in admit(case.object, struct, case.before)
    ]


def test_every_case_has_a_name_of_its_own():
    names = [case.name for case in CASES]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_offline_judge_takes_and_refuses_as_the_cases_say(case):
    said = verdict(case)
    if case.refused:
        assert any(case.refused in one for one in said), said
    else:
        assert said == []


def test_kwoks_class_comes_on_request_only():
    (last,) = definitions(kwok=True)[6:]

    assert last["metadata"]["name"] == "kwoknodeclasses.karpenter.kwok.sh"


@pytest.mark.parametrize(
    ("folder", "definition"),
    [*(("current", one) for one in CURRENT), *(("legacy", one) for one in LEGACY)],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_committed_definitions_are_up_to_date(folder, definition):
    path = CHART / folder / f"{definition.group}_{definition.plural}.yaml"
    written = as_yaml(write_definition(definition))
    assert path.read_text() == written, "run: .venv/bin/python tools/crds/make.py"


def test_nothing_else_is_committed_beside_them():
    found = sorted(path.name for path in CHART.glob("*/*.yaml"))
    known = [f"{one.group}_{one.plural}.yaml" for one in (*CURRENT, *LEGACY)]
    assert found == sorted(known)


def test_the_legacy_two_come_on_request_only():
    assert len(definitions()) == 6
    names = [one["metadata"]["name"] for one in definitions(legacy=True)]
    assert names[6:] == ["provisioners.karpenter.sh", "awsnodetemplates.karpenter.k8s.aws"]


def schemas(node, path=()):
    yield path, node
    for name, part in node.get("properties", {}).items():
        yield from schemas(part, (*path, name))
    for name in ("items", "additionalProperties"):
        if name in node:
            yield from schemas(node[name], (*path, name))


ALL_SCHEMAS = [
    (one["metadata"]["name"], path, schema)
    for one in definitions(legacy=True)
    for path, schema in schemas(one["spec"]["versions"][0]["schema"]["openAPIV3Schema"])
]


def test_every_schema_is_structural():
    for name, path, schema in ALL_SCHEMAS:
        assert "type" in schema or "x-kubernetes-int-or-string" in schema, (name, path)


def test_every_rule_has_a_sentence_of_its_own_and_no_secret_parts():
    for name, path, schema in ALL_SCHEMAS:
        for rule in schema.get("x-kubernetes-validations", ()):
            assert set(rule) == {"rule", "message"}, (name, path)
            assert "\n" not in rule["rule"] + rule["message"]


def test_every_field_that_a_user_writes_is_described():
    for name, path, schema in ALL_SCHEMAS:
        if path[:1] == ("spec",) and path[-1] not in ("items", "additionalProperties"):
            assert schema.get("description"), (name, path)


def test_every_definition_is_in_the_category_and_has_a_status():
    for one in definitions(legacy=True):
        assert one["spec"]["names"]["categories"] == ["karpenter"]
        assert "status" in one["spec"]["versions"][0]["subresources"]


def test_pools_can_be_scaled():
    (pools,) = [one for one in definitions() if one["spec"]["names"]["kind"] == "NodePool"]
    assert pools["spec"]["versions"][0]["subresources"]["scale"] == {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.nodes",
    }


def test_what_is_written_reads_back():
    for one in definitions(legacy=True):
        assert yaml.safe_load(as_yaml(one)) == one
