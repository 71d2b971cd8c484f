"""The archive in S3, against the stand-in, under the policy that is made for it."""

import asyncio

import pytest

from builders.awsclients import a_gateway, a_user
from builders.controller_policies import NODE_ROLE
from nodewright.aws.archive import S3Archive
from nodewright.aws.bucket import Place
from nodewright.aws.policy import Account, policies
from nodewright.sandbox.aws.faults import Switch
from nodewright.sandbox.iam.gate import guard

PLACE = Place("logs", "journal/demo")


@pytest.fixture(scope="module")
def bucket(standin):
    """Make the bucket, in front of which policies count."""
    s3 = standin.client("s3")
    where = {"LocationConstraint": standin.account.region}
    s3.create_bucket(Bucket=PLACE.bucket, CreateBucketConfiguration=where)
    guard(standin.account)
    return s3


@pytest.fixture(scope="module")
def keys(standin, bucket):
    """The keys of somebody who has the controller's policy for the journal."""
    account = Account(
        standin.account.account_id, standin.account.region, "demo", NODE_ROLE, journal=PLACE
    )
    return a_user(standin, "copier", {"Journal": policies(account)["Journal"]})


def keep(standin, keys, place, name="1.jsonl.gz", content=b"lines"):
    gateway = a_gateway(standin, keys)
    try:
        return asyncio.run(S3Archive(gateway, place).keep(name, content))
    finally:
        gateway.close()


def test_a_file_is_put_there_whole_and_twice_is_once(standin, bucket, keys):
    content = bytes(range(256)) * 4096
    problems = [keep(standin, keys, PLACE, content=content) for _ in range(2)]
    listed = bucket.list_objects_v2(Bucket=PLACE.bucket)["Contents"]

    assert problems == ["", ""]
    assert [one["Key"] for one in listed] == ["journal/demo/1.jsonl.gz"]
    found = bucket.get_object(Bucket=PLACE.bucket, Key="journal/demo/1.jsonl.gz")
    assert found["Body"].read() == content


@pytest.mark.parametrize("place", [Place("logs"), Place("logs", "journal/demo2"), Place("other")])
def test_nothing_may_be_put_anywhere_else(standin, keys, place):
    assert keep(standin, keys, place).startswith("AccessDenied: User: ")


def test_a_bucket_that_is_not_there_is_told(standin, bucket):
    problem = keep(standin, ("test", "test"), Place("nowhere"))

    assert problem == "NoSuchBucket: The specified bucket does not exist"


@pytest.mark.parametrize("kind", ["drop", "deny", "throttle"])
def test_what_keeps_it_from_being_kept_is_told(standin, bucket, keys, kind):
    standin.account.faults.set("s3.PutObject", Switch(kind))

    assert keep(standin, keys, PLACE) != ""
