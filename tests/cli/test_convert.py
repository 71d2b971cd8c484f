"""`nodewright convert` as a user meets it."""

import io
import json
import sys

import pytest
import yaml

from builders.manifests import a_class_text, a_pool_text, a_provisioner_text, a_template_text
from nodewright.cli.main import run

OLD = f"{a_provisioner_text()}---\n{a_template_text()}"
REFUSED = a_template_text(launchTemplate="mine").replace("  instanceProfile: node\n", "")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    (tmp_path / "old.yaml").write_text(OLD)
    (tmp_path / "new.yaml").write_text(f"# v1\n{a_pool_text()}---\n{a_class_text()}")
    (tmp_path / "refused.yaml").write_text(REFUSED)
    return tmp_path


def ask(capsys, *arguments):
    status = run([*arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_old_objects_come_out_as_v1_and_pass_lint(folder, capsys):
    status, out, err = ask(capsys, "convert", "old.yaml")
    (folder / "new.yaml").write_text(out)

    assert (status, err) == (0, "")
    assert [one["apiVersion"] for one in yaml.safe_load_all(out)] == [
        "karpenter.sh/v1",
        "karpenter.k8s.aws/v1",
    ]
    assert ask(capsys, "lint", "new.yaml")[:2] == (0, "no findings\n")


def test_v1_comes_out_as_it_was(folder, capsys):
    assert ask(capsys, "convert", "new.yaml") == (0, (folder / "new.yaml").read_text(), "")


def test_json_is_a_list(folder, capsys):
    _, out, _ = ask(capsys, "convert", "old.yaml", "-o", "json")

    assert [one["kind"] for one in json.loads(out)] == ["NodePool", "EC2NodeClass"]


def test_what_has_no_counterpart_is_refused_with_advice_and_prints_nothing(folder, capsys):
    status, out, err = ask(capsys, "convert", "refused.yaml")

    assert (status, out) == (2, "")
    assert err.startswith(
        "error[NW-9017]: AWSNodeTemplate/general cannot be converted: launchTemplate mine has no "
        "counterpart\n  --> refused.yaml:"
    )
    assert "help: put its image into amiSelectorTerms" in err


def test_check_says_what_would_be_lost_and_prints_no_objects(folder, capsys):
    (folder / "lossy.yaml").write_text(a_provisioner_text(wight=3))
    status, out, _ = ask(capsys, "convert", "lossy.yaml", "refused.yaml", "--check")

    assert status == 1
    assert out.splitlines()[0].startswith("refused  refused.yaml:")
    assert out.splitlines()[1].startswith("lost  lossy.yaml:")
    assert "apiVersion" not in out


def test_check_of_something_harmless_is_status_0(folder, capsys):
    status, out, _ = ask(capsys, "convert", "old.yaml", "--check")

    assert (status, out.splitlines()) == (
        0,
        ["2 objects after conversion; 0 refused, 0 lost, 0 check; 9 changes keep the meaning"],
    )


def test_check_as_json_has_every_note_with_its_place(folder, capsys):
    _, out, _ = ask(capsys, "convert", "old.yaml", "--check", "-o", "json")
    notes = json.loads(out)["notes"]

    assert len(notes) == 9
    assert {"kind", "object", "file", "line", "path", "message"} <= set(notes[0])


def test_a_loss_is_said_beside_the_result_and_is_status_1(folder, capsys):
    (folder / "lossy.yaml").write_text(a_provisioner_text(wight=3))
    status, out, err = ask(capsys, "convert", "lossy.yaml")

    assert (status, yaml.safe_load(out)["kind"]) == (1, "NodePool")
    assert err.startswith("lost: lossy.yaml:")


def test_standard_input_is_read(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(OLD.encode())))

    assert ask(capsys, "convert", "-")[0] == 0


def test_the_version_moves_images_that_have_ended(folder, capsys):
    _, out, err = ask(capsys, "convert", "old.yaml", "--kubernetes-version", "1.34")

    assert "al2023@latest" in out
    assert "AL2 has no images for Kubernetes 1.34" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no file was named"),
        (["missing.yaml"], "the file cannot be read"),
        (["old.yaml", "--role", "a", "--instance-profile", "b"], "exclude each other"),
        (["old.yaml", "--chek"], "Unknown option: --chek"),
        (["old.yaml", "--kubernetes-version", "2"], "no Kubernetes version"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_status_2(folder, capsys, arguments, said):
    status, out, err = ask(capsys, "convert", *arguments)

    assert (status, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
