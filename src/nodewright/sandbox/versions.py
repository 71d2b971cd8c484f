"""Which Kubernetes the sandbox runs.

Kubernetes is built from Go modules. A release is usable when each of its staging modules was
published under the matching version, which is not so for every patch release, so each minor
has one patch release here for which the whole set was seen. A user may still name another
patch release; Go then says what it cannot find.
"""

import re

from nodewright.model.errors import UserError

DEFAULT_VERSION = "v1.34.4"

PATCH_OF_MINOR = {
    31: "v1.31.0",
    32: "v1.32.2",
    33: "v1.33.13",
    34: DEFAULT_VERSION,
    35: "v1.35.4",
    36: "v1.36.3",
}

_WANTED = re.compile(r"v?1\.(?P<minor>\d{1,3})(?P<patch>\.\d{1,3})?")


def choose_version(wanted: str) -> str:
    """Give the release to run for what a user wrote: `1.33`, `v1.33` or an exact `1.33.13`."""
    match = _WANTED.fullmatch(wanted.strip())
    if match is None:
        raise UserError(
            f"'{wanted}' is not a Kubernetes version",
            code="NW-9101",
            advice="write a minor such as 1.34, or an exact release such as 1.34.4",
        )
    minor = int(match["minor"])
    if minor not in PATCH_OF_MINOR:
        first, last = min(PATCH_OF_MINOR), max(PATCH_OF_MINOR)
        raise UserError(
            f"the sandbox runs Kubernetes 1.{first} to 1.{last}, not {wanted}",
            code="NW-9101",
            advice="choose one of these with --kubernetes-version or KUBE_VERSION",
        )
    return f"v1.{minor}{match['patch']}" if match["patch"] else PATCH_OF_MINOR[minor]


def minor_of(version: str) -> str:
    """Give the minor of a release: `1.34` for `v1.34.4`."""
    major, minor = version.removeprefix("v").split(".")[:2]
    return f"{major}.{minor}"


def staging_version(version: str) -> str:
    """Give the version under which the libraries of a release are published."""
    return "v0." + version.removeprefix("v").split(".", 1)[1]
