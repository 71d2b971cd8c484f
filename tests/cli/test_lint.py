"""`nodewright lint` as a user meets it."""

import io
import json
import sys

import pytest

from builders.manifests import GENERAL, a_class_text, a_pool_text, a_requirement, a_workload_text
from nodewright.cli.main import run

BROKEN = """\
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata:
  name: shop
spec:
  providerRef: {name: shop}
  requirements:
    - key: "node.kubernetes.io/instance-type"   # large
      operator: In
      values: ["c", "m"]
    - key: karpenter.k8s.aws/instance-generation
      operator: Gt
      values: ["3"]
      requirements:
  limits: {resources: {cpu: 10}}
"""


@pytest.fixture(autouse=True)
def _no_region(monkeypatch):
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.yaml").write_text(BROKEN)
    (tmp_path / "healthy.yaml").write_text(f"{a_pool_text()}---\n{a_class_text()}")
    return tmp_path


def ask(capsys, *arguments):
    status = run(["lint", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_a_finding_looks_like_a_good_compilers(folder, capsys):
    status, out, err = ask(capsys, "broken.yaml", "--ignore", "NW-2123")

    assert (status, err) == (1, "")
    assert out == (
        "error[NW-3026]: c, m are categories, and node.kubernetes.io/instance-type takes types such "
        "as m5.large: no node is ever\n"
        "                made\n"
        " --> broken.yaml:8:12  Provisioner/shop spec.requirements[0].key\n"
        "  |\n"
        '8 |     - key: "node.kubernetes.io/instance-type"   # large\n'
        "  |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  = help: use the key karpenter.k8s.aws/instance-category\n"
        "\n"
        "error[NW-3027]: requirements does not belong inside a requirement\n"
        "  --> broken.yaml:14:7  Provisioner/shop spec.requirements[1].requirements\n"
        "   |\n"
        "14 |       requirements:\n"
        "   |       ^^^^^^^^^^^^\n"
        "   = help: remove it: requirements stand side by side, each with key, operator and values\n"
        "\n"
        "2 errors (2 can be mended with --fix)\n"
    )


def test_nothing_found_is_status_0(folder, capsys):
    assert ask(capsys, "healthy.yaml") == (0, "no findings\n", "")


def test_json_has_the_published_fields(folder, capsys):
    status, out, _ = ask(capsys, "broken.yaml", "-o", "json", "--ignore", "NW-2123")
    first = json.loads(out)["findings"][0]

    assert status == 1
    assert first == {
        "code": "NW-3026",
        "severity": "error",
        "file": "broken.yaml",
        "line": 8,
        "column": 12,
        "object": "Provisioner/shop",
        "path": "spec.requirements[0].key",
        "message": first["message"],
        "help": "use the key karpenter.k8s.aws/instance-category",
        "fixable": True,
    }


def test_no_findings_are_an_empty_list(folder, capsys):
    assert json.loads(ask(capsys, "healthy.yaml", "-o", "json")[1]) == {"findings": []}


def test_sarif_names_rules_levels_and_places(folder, capsys):
    status, out, _ = ask(capsys, "broken.yaml", "-o", "sarif")
    (sarif_run,) = json.loads(out)["runs"]
    rules = [rule["id"] for rule in sarif_run["tool"]["driver"]["rules"]]

    assert status == 1
    assert rules == ["NW-2123", "NW-3026", "NW-3027"]
    assert [one["level"] for one in sarif_run["results"]] == ["note", "error", "error"]
    for one in sarif_run["results"]:
        assert rules[one["ruleIndex"]] == one["ruleId"]
        place = one["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "broken.yaml"
        assert place["region"]["startLine"] >= 1


def test_fix_mends_the_file_and_keeps_its_comments(folder, capsys):
    status, out, _ = ask(capsys, "broken.yaml", "--fix", "--ignore", "NW-2123")
    after = (folder / "broken.yaml").read_text()

    assert (status, out) == (0, "2 mended; no findings\n")
    assert after == BROKEN.replace(
        "node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-category"
    ).replace("      requirements:\n", "")


def test_fixing_twice_changes_nothing_more(folder, capsys):
    ask(capsys, "broken.yaml", "--fix")
    once = (folder / "broken.yaml").read_bytes()
    ask(capsys, "broken.yaml", "--fix")

    assert (folder / "broken.yaml").read_bytes() == once


def test_a_file_without_mistakes_is_not_touched(folder, capsys):
    before = (folder / "healthy.yaml").stat().st_mtime_ns
    ask(capsys, "healthy.yaml", "--fix")

    assert (folder / "healthy.yaml").stat().st_mtime_ns == before


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_mended_file_keeps_its_encoding(folder, capsys, encoding):
    (folder / "broken.yaml").write_bytes(BROKEN.encode(encoding))
    ask(capsys, "broken.yaml", "--fix")
    after = (folder / "broken.yaml").read_bytes()

    assert after[:2] == BROKEN.encode(encoding)[:2]
    assert "instance-category" in after.decode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_healthy_file_of_any_encoding_is_not_touched(folder, capsys, encoding):
    before = a_pool_text().encode(encoding)
    (folder / "pool.yaml").write_bytes(before)
    ask(capsys, "pool.yaml", "--fix")

    assert (folder / "pool.yaml").read_bytes() == before


def test_a_code_to_ignore_takes_no_file_with_it(folder, capsys):
    arguments = ("--ignore", "NW-2123", "--ignore", "NW-3026", "broken.yaml", "-o", "json")
    _, out, _ = ask(capsys, *arguments)

    assert [one["code"] for one in json.loads(out)["findings"]] == ["NW-3027"]


def test_the_zones_of_a_file_count_more_than_where_the_user_usually_works(
    folder, capsys, monkeypatch
):
    zones = a_requirement("topology.kubernetes.io/zone", "eu-west-1a")
    (folder / "pool.yaml").write_text(a_pool_text(requirements=[*GENERAL, zones]))
    monkeypatch.setenv("AWS_REGION", "us-east-1")

    assert ask(capsys, "pool.yaml")[0] == 0
    assert ask(capsys, "pool.yaml", "--region", "us-east-1")[0] == 1


def test_a_folder_is_looked_at_together(folder, capsys):
    (folder / "web.yml").write_text(a_workload_text(nodeSelector={"team": "x"}))
    _, out, _ = ask(capsys, ".", "-o", "json")

    assert {one["file"] for one in json.loads(out)["findings"]} == {"broken.yaml", "web.yml"}


def test_standard_input_is_read(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    status, out, _ = ask(capsys, "-", "-o", "json")

    assert (status, json.loads(out)["findings"][0]["file"]) == (1, "standard input")


def test_the_version_decides_about_images(folder, capsys):
    (folder / "class.yaml").write_text(a_class_text(amiSelectorTerms=[{"alias": "al2@latest"}]))

    assert ask(capsys, "class.yaml", "--kubernetes-version", "1.32")[0] == 0
    assert ask(capsys, "class.yaml", "--kubernetes-version", "v1.33.1-eks-abc")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no file was named"),
        (["missing.yaml"], "the file cannot be read: no such file or directory"),
        (["healthy.yaml", "--kubernetes-version", "new"], "'new' is no Kubernetes version"),
        (["healthy.yaml", "--region", "mars-1"], "the instance catalog has no region 'mars-1'"),
        (["healthy.yaml", "--ignore", "NW-1"], "there is no finding with the code 'NW-1'"),
        (["-", "--fix"], "standard input cannot be mended in place"),
        (["healthy.yaml", "--fx"], "Unknown option: --fx"),
        (["bad.yaml"], "this is not YAML"),
        (["noise.yaml"], "this is not a text file"),
        (["empty"], "this folder holds no .yaml, .yml or .json file"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_status_2(folder, capsys, arguments, said):
    (folder / "bad.yaml").write_text("a: [")
    (folder / "noise.yaml").write_bytes(b"\x00\xff\x00")
    (folder / "empty").mkdir()
    status, out, err = ask(capsys, *arguments)

    assert (status, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_strange_characters_cannot_steer_a_terminal(folder, capsys):
    (folder / "odd.yaml").write_text(a_pool_text(limits=None, name='"\\x1b[31m"'))
    _, out, _ = ask(capsys, "odd.yaml")

    assert "\x1b" not in out
