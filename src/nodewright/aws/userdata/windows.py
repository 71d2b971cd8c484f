"""Windows: one PowerShell block, at the end of which Start-EKSBootstrap.ps1 is called."""

import re
from typing import Final

from nodewright.aws.userdata.draft import Draft
from nodewright.aws.userdata.flags import kubelet_flags

_SCRIPT: Final = r"$env:ProgramFiles\Amazon\EKS\Start-EKSBootstrap.ps1"
_BLOCK: Final = re.compile(r"\s*<powershell>(.*)</powershell>\s*", re.DOTALL | re.IGNORECASE)


def write_windows(draft: Draft) -> str:
    """Write the user's lines and the call in one block; a block of the user's is opened."""
    own = _BLOCK.fullmatch(draft.written)
    written = (own[1] if own else draft.written).strip("\r\n")
    cluster = draft.cluster
    words = [
        f"-EKSClusterName {_quoted(cluster.name)}",
        f"-APIServerEndpoint {_quoted(cluster.endpoint)}",
        *([f"-Base64ClusterCA {_quoted(cluster.authority)}"] if cluster.authority else []),
        f"-KubeletExtraArgs {_quoted(kubelet_flags(draft))}",
        *([f"-DNSClusterIP {_quoted(draft.dns[0])}"] if draft.dns else []),
    ]
    lines = [
        "<powershell>",
        *([written] if written.strip() else []),
        f'[string]$EKSBootstrap = "{_SCRIPT}"',
        f"& $EKSBootstrap {' '.join(words)}",
        "</powershell>",
        "",
    ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
