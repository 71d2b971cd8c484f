"""Settings of the AWS provider."""

import pytest

from nodewright.app.aws_settings import AwsWritten, read_aws
from nodewright.model.errors import UserError


def test_the_defaults_are_karpenters():
    found = read_aws(AwsWritten())

    assert (found.role_s, found.images_ms, found.subnets_ms) == (900, 60_000, 60_000)
    assert found.gates == {"NodeClassCEL": False}
    assert (found.written.vm_memory_overhead_percent, found.written.reserved_enis) == (0.075, 0)


def test_images_and_subnets_have_intervals_of_their_own():
    found = read_aws(AwsWritten(ami_refresh_interval="5m", subnet_refresh_interval="2m"))

    assert (found.images_ms, found.subnets_ms) == (300_000, 120_000)


def test_expressions_of_kubelets_have_a_gate():
    assert read_aws(AwsWritten(aws_feature_gates="NodeClassCEL=true")).gates["NodeClassCEL"]


@pytest.mark.parametrize(
    ("written", "word"),
    [
        (AwsWritten(vm_memory_overhead_percent=7.5), "--vm-memory-overhead-percent"),
        (AwsWritten(vm_memory_overhead_percent=-0.1), "--vm-memory-overhead-percent"),
        (AwsWritten(reserved_enis=-1), "--reserved-enis"),
        (AwsWritten(cluster_endpoint="shop.example.org"), "--cluster-endpoint"),
        (AwsWritten(cluster_endpoint="http://shop.example.org"), "--cluster-endpoint"),
        (AwsWritten(cluster_ca_bundle="-----BEGIN"), "--cluster-ca-bundle"),
        (AwsWritten(assume_role_duration="1m"), "--assume-role-duration"),
        (AwsWritten(assume_role_duration="13h"), "--assume-role-duration"),
        (AwsWritten(ami_refresh_interval="10s"), "--ami-refresh-interval"),
        (AwsWritten(subnet_refresh_interval="soon"), "--subnet-refresh-interval"),
        (AwsWritten(aws_feature_gates="NodeClassCEL"), "--aws-feature-gates"),
        (AwsWritten(journal_s3="my-bucket/journal"), "--journal-s3"),
        (AwsWritten(journal_s3="s3://my-bucket/*"), "--journal-s3"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(written, word):
    with pytest.raises(UserError, match=word):
        read_aws(written)
