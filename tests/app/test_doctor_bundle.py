"""A bundle holds a snapshot and the report, and nothing that looks like a secret."""

import io
import zipfile

from nodewright.app.doctor_bundle import make_bundle, strike_out
from nodewright.doctor.report import Report


def test_a_bundle_holds_the_snapshot_and_the_report():
    packed = make_bundle(b'{"kind":"Snapshot"}', Report("shop"), "en")

    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.namelist() == ["snapshot.json", "report.json", "report.md"]
        assert archive.read("snapshot.json") == b'{"kind":"Snapshot"}'


def test_what_looks_like_a_secret_is_struck_out():
    key = "AKIA" + "ABCDEFGHIJKLMNOP"

    assert strike_out(f"used {key} here") == "used (left out) here"
    assert strike_out("password=hunter2, rest") == "password=(left out), rest"
    assert strike_out("a subnet-0123 of vpc-1") == "a subnet-0123 of vpc-1"
