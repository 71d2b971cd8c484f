"""`nodewright crds` as a user meets it."""

import json

import yaml

from nodewright.cli.main import run


def ask(capsys, *arguments):
    status = run(["crds", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def kinds(documents):
    return [one["spec"]["names"]["kind"] for one in documents]


def test_the_definitions_come_as_a_stream_for_kubectl(capsys):
    status, out, err = ask(capsys)
    assert (status, err) == (0, "")
    assert kinds(yaml.safe_load_all(out)) == [
        "NodePool",
        "NodeClaim",
        "NodeOverlay",
        "EC2NodeClass",
        "CapacityBuffer",
        "NodePolicy",
    ]


def test_the_first_two_kinds_come_on_request(capsys):
    _, out, _ = ask(capsys, "--legacy")
    assert kinds(yaml.safe_load_all(out))[6:] == ["Provisioner", "AWSNodeTemplate"]


def test_json_is_one_list(capsys):
    _, out, _ = ask(capsys, "-o", "json")
    document = json.loads(out)
    assert document["kind"] == "List"
    assert len(document["items"]) == 6


def test_another_format_is_refused(capsys):
    status, out, err = ask(capsys, "-o", "csv")
    assert (status, out) == (2, "")
    assert "csv" in err
