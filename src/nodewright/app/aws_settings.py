"""Settings of the AWS provider, with Karpenter's names and defaults: read once, and refused in one sentence."""

import base64
import binascii
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import msgspec

from nodewright.app.durations import BAD_SETTING, read_duration
from nodewright.app.gates import read_gates
from nodewright.aws.bucket import EXAMPLE, Place, read_place
from nodewright.model.errors import UserError

GATES: Final = {"NodeClassCEL": False}
REFRESH_MS_MIN: Final = 60_000
ROLE_MS_MIN: Final = 15 * 60_000
ROLE_MS_MAX: Final = 12 * 3_600_000


class AwsWritten(msgspec.Struct, frozen=True):
    """Settings as they are written, by flag or by environment."""

    profile: str = ""
    cluster_endpoint: str = ""
    cluster_ca_bundle: str = ""
    interruption_queue: str = ""
    isolated_vpc: bool = False
    eks_control_plane: bool = False
    vm_memory_overhead_percent: float = 0.075
    reserved_enis: int = 0
    assume_role_arn: str = ""
    assume_role_duration: str = "15m"
    ami_refresh_interval: str = "1m"
    subnet_refresh_interval: str = "1m"
    disable_dry_run: bool = False
    enable_zonal_shift: bool = False
    aws_feature_gates: str = ""
    journal_s3: str = ""


class AwsSettings(msgspec.Struct, frozen=True):
    """What the provider is told, as it was written, with durations read."""

    written: AwsWritten = AwsWritten()
    role_s: int = ROLE_MS_MIN // 1000
    images_ms: int = REFRESH_MS_MIN
    subnets_ms: int = REFRESH_MS_MIN
    gates: Mapping[str, bool] = msgspec.field(default_factory=lambda: dict(GATES))
    journal: Place | None = None


def read_aws(written: AwsWritten) -> AwsSettings:
    """Give what the provider is told; a setting that makes no sense is one sentence."""
    if not 0 <= written.vm_memory_overhead_percent < 1:
        raise _bad(
            "--vm-memory-overhead-percent is a part of one, from 0 to less than 1, not "
            f"{written.vm_memory_overhead_percent}"
        )
    if written.reserved_enis < 0:
        raise _bad(f"--reserved-enis cannot be less than 0: {written.reserved_enis}")
    _check_endpoint(written.cluster_endpoint)
    _check_authority(written.cluster_ca_bundle)
    role_ms = read_duration("--assume-role-duration", written.assume_role_duration)
    if not ROLE_MS_MIN <= role_ms <= ROLE_MS_MAX:
        raise _bad(f"--assume-role-duration is from 15m to 12h, not {written.assume_role_duration}")
    intervals = {
        "--ami-refresh-interval": written.ami_refresh_interval,
        "--subnet-refresh-interval": written.subnet_refresh_interval,
    }
    refreshes = [read_duration(name, text) for name, text in intervals.items()]
    for name, found_ms in zip(intervals, refreshes, strict=True):
        if found_ms < REFRESH_MS_MIN:
            raise _bad(f"{name} is at least 1m, not {intervals[name]}")
    images_ms, subnets_ms = refreshes
    gates = read_gates("--aws-feature-gates", written.aws_feature_gates, GATES)
    journal = _find_journal(written.journal_s3)
    return AwsSettings(written, role_ms // 1000, images_ms, subnets_ms, gates, journal)


def _find_journal(written: str) -> Place | None:
    found = read_place(written)
    if written and found is None:
        raise _bad(f"--journal-s3 is a place such as {EXAMPLE}, not {written!r}")
    return found


def _check_endpoint(written: str) -> None:
    parts = urlsplit(written)
    if written and (parts.scheme != "https" or not parts.hostname):
        raise _bad(f"--cluster-endpoint is a URL such as https://…, not {written!r}")


def _check_authority(written: str) -> None:
    try:
        base64.b64decode(written, validate=True)
    except binascii.Error:
        raise _bad("--cluster-ca-bundle is a certificate bundle in base64") from None


def _bad(sentence: str) -> UserError:
    return UserError(sentence, code=BAD_SETTING)
