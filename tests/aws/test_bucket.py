"""Places in S3."""

import pytest

from nodewright.aws.bucket import EXAMPLE, Place, read_place


@pytest.mark.parametrize(
    ("written", "place", "key"),
    [
        ("s3://logs", Place("logs"), "x"),
        ("s3://logs/", Place("logs"), "x"),
        ("s3://my.logs-1/journal/shop/", Place("my.logs-1", "journal/shop"), "journal/shop/x"),
    ],
)
def test_a_place_is_a_bucket_and_a_folder(written, place, key):
    assert read_place(written) == place
    assert place.key("x") == key
    assert str(place) == written.rstrip("/")


@pytest.mark.parametrize(
    "written",
    ["", "logs", "s3:/logs", "s3://", "s3://lo", "s3://LOGS", "https://logs", "s3://logs/a//b",
     "s3://logs/*", "s3://logs/a?", "s3://logs/${aws:username}", "s3://logs/ü", "s3://logs\n"],
)  # fmt: skip
def test_what_is_no_place_or_could_mean_several_is_none(written):
    assert read_place(written) is None


def test_the_example_is_one():
    assert read_place(EXAMPLE) == Place("my-bucket", "journal/my-cluster")
