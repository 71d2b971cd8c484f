"""Copies of the journal in S3: from the settings to the bucket, and back."""

import asyncio
import subprocess
import sys

import pytest

from builders import a_type, a_world
from builders.standin import Standin
from journal.test_recorder import a_delete
from nodewright.app.aws_settings import AwsWritten
from nodewright.app.copies import CopyMeter, open_copies
from nodewright.app.settings import Written, read_settings
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder
from nodewright.kube.machine import this_machine
from nodewright.sandbox.aws.account import Account, Timing
from nodewright.sandbox.aws.server import Server

BUCKET = "logs"


@pytest.fixture(scope="module")
def s3():
    """A bucket of the stand-in."""
    with Server(Account(timing=Timing(0, 0, 0))) as server:
        client = Standin(server).client("s3")
        where = {"LocationConstraint": server.account.region}
        client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=where)
        yield client


@pytest.fixture
def reach(s3, monkeypatch):
    """An environment that leads to it."""
    for name, value in {
        "AWS_ENDPOINT_URL": s3.meta.endpoint_url,
        "AWS_REGION": s3.meta.region_name,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }.items():
        monkeypatch.setenv(name, value)


def an_order(folder="shop", **more):
    written = Written(region="us-west-2", cluster_name="shop", **more)
    return read_settings(written, aws=AwsWritten(journal_s3=f"s3://{BUCKET}/{folder}"))


def test_a_journal_is_copied_when_it_ends_and_can_be_read_back(tmp_path, s3, reach):
    asked, meter = [], CopyMeter()
    meter.note = lambda *told: asked.append(told[:3])
    source, back = tmp_path / "journal", tmp_path / "back"

    async def run():
        machine = this_machine()
        async with open_copies(an_order(), source, machine, meter) as copier:
            recorder = Recorder(source, machine.clock)
            recorder.decided("test", a_world(a_type()), [a_delete()], 1)
            # What is still being written is not copied.
            await copier.copy()
            assert asked == []
            recorder.close()
        return copier

    copier = asyncio.run(run())
    back.mkdir()
    for one in s3.list_objects_v2(Bucket=BUCKET, Prefix="shop/")["Contents"]:
        content = s3.get_object(Bucket=BUCKET, Key=one["Key"])["Body"].read()
        (back / one["Key"].rpartition("/")[2]).write_bytes(content)

    assert (copier.problem, asked) == ("", [("s3", "PutObject", "")])
    assert [one.decision.kind for one in Journal(back).entries().entries] == ["Delete"]
    shown = subprocess.run(
        [sys.executable, "-m", "nodewright", "decisions", "--journal", str(back)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "Expired" in shown.stdout


@pytest.mark.parametrize("more", [{"dry_run": True}, {"cloud": "kwok"}])
def test_who_only_looks_or_asks_nothing_of_aws_copies_nothing(tmp_path, more):
    async def run():
        order = an_order(**more)
        async with open_copies(order, tmp_path, this_machine(), CopyMeter()) as copier:
            return copier

    assert asyncio.run(run()) is None


def test_without_the_setting_there_are_no_copies(tmp_path):
    async def run():
        order = read_settings(Written(cluster_name="shop"))
        async with open_copies(order, tmp_path, this_machine(), CopyMeter()) as copier:
            return copier

    assert asyncio.run(run()) is None
