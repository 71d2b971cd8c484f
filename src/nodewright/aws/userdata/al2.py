"""Amazon Linux 2: scripts in a MIME document, the last of which runs /etc/eks/bootstrap.sh."""

from collections.abc import Iterator
from typing import Final

from nodewright.aws.cluster import is_ipv6
from nodewright.aws.userdata.draft import Draft
from nodewright.aws.userdata.flags import kubelet_flags
from nodewright.aws.userdata.mime import SHELL, Entry, entry, is_mime, read_mime, write_mime

_BOOTSTRAP: Final = "/etc/eks/bootstrap.sh"
_QUOTE: Final = "'"


def write_al2(draft: Draft) -> str:
    """Write the user's parts, then ours."""
    return write_mime([*_own(draft.written), entry(SHELL, _script(draft))])


def _own(written: str) -> tuple[Entry, ...]:
    if not written.strip():
        return ()
    return read_mime(written) if is_mime(written) else (entry(SHELL, written),)


def _script(draft: Draft) -> str:
    words = [f"{_BOOTSTRAP} {_quoted(draft.cluster.name)}", *_options(draft)]
    return "#!/bin/bash -xe\n" + " \\\n  ".join(words) + "\n"


def _options(draft: Draft) -> Iterator[str]:
    yield f"--apiserver-endpoint {_quoted(draft.cluster.endpoint)}"
    if draft.cluster.authority:
        yield f"--b64-cluster-ca {_quoted(draft.cluster.authority)}"
    if draft.dns:
        if is_ipv6(draft.dns[0]):
            yield "--ip-family ipv6"
        yield f"--dns-cluster-ip {_quoted(draft.dns[0])}"
    yield "--use-max-pods false"
    yield f"--kubelet-extra-args {_quoted(kubelet_flags(draft))}"
    if draft.joins_disks:
        yield "--local-disks raid0"


def _quoted(text: str) -> str:
    return _QUOTE + text.replace(_QUOTE, "'\\''") + _QUOTE
