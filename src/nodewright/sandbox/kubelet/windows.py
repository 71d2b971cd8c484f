"""Windows: the launch agent runs the <powershell> block, which calls Start-EKSBootstrap.ps1.

The call names its parameters. Quotes, backquotes at the end of a line and variables that the block
sets are understood; parameters may be cut short as long as one name fits.
"""

import re
import shlex
from collections.abc import Iterator
from typing import Final

from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.flags import apply_flags, check_labels

_BLOCK: Final = re.compile(r"<powershell>(.*?)</powershell>", re.DOTALL | re.IGNORECASE)
_SCRIPT: Final = "start-eksbootstrap.ps1"
_PARAMETERS: Final = (
    "EKSClusterName", "APIServerEndpoint", "Base64ClusterCA", "DNSClusterIP",
    "KubeletExtraArgs", "KubeProxyExtraArgs", "ContainerRuntime", "ServiceCIDR",
    "ExcludedSnatCIDRs", "EnableContainerDConfig",
)  # fmt: skip
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t]+|`\r?\n)|(?P<comment>\#[^\n]*)|(?P<end>[;\r\n]+)"""
    r"""|(?P<single>'(?:[^']|'')*')|(?P<double>"(?:[^"`]|`.|"")*")"""
    r"""|(?P<word>(?:[^\s;'"`]|`.)+)|(?P<bad>.)""",
    re.DOTALL,
)
_VARIABLE: Final = re.compile(r"\$\{?(env:)?(\w+)\}?", re.IGNORECASE)
_CAST: Final = re.compile(r"^\[\w+\](?=\$)")
_PROGRAMS: Final = r"C:\Program Files"


def read_windows(text: str) -> Boot:
    """Give what the PowerShell block makes of the machine."""
    block = _BLOCK.search(text)
    if block is None:
        raise BootError("EC2Launch: user data has no <powershell> block; nothing was run")
    variables = {"programfiles": _PROGRAMS}
    for statement in _statements(block[1], variables):
        words = statement[1:] if statement[0] in ("&", ".") else statement
        if words and words[0].lower().endswith(_SCRIPT):
            return _bootstrap(words[1:])
        if len(words) >= 3 and words[1] == "=" and words[0].startswith("$"):
            variables[words[0][1:].lower()] = words[2]
    raise BootError("EC2Launch: finished; Start-EKSBootstrap.ps1 was never called")


def _statements(script: str, variables: dict[str, str]) -> Iterator[list[str]]:
    words: list[str] = []
    for found in _TOKEN.finditer(script):
        kind, token = found.lastgroup, found[0]
        if kind == "bad":
            line = script.count("\n", 0, found.start()) + 1
            raise BootError(
                f"EC2Launch: line {line}: the string is missing the terminator: {token}"
            )
        if kind == "end":
            if words:
                yield words
            words = []
        elif kind not in ("space", "comment"):
            words.append(_value(kind or "", token, variables, is_first=not words))
    if words:
        yield words


def _value(kind: str, token: str, variables: dict[str, str], *, is_first: bool) -> str:
    if kind == "single":
        return token[1:-1].replace("''", "'")
    text = token[1:-1].replace('""', '"') if kind == "double" else _CAST.sub("", token)
    if is_first and kind == "word" and text.startswith("$"):
        return text
    known = _VARIABLE.sub(lambda name: variables.get(name[2].lower(), ""), text)
    return re.sub(r"`(.)", r"\1", known)


def _bootstrap(words: list[str]) -> Boot:
    given = _named(words)
    if not given.get("EKSClusterName"):
        raise BootError("Start-EKSBootstrap.ps1: missing an argument for parameter EKSClusterName")
    dns = given.get("DNSClusterIP", "")
    boot = Boot(
        cluster_name=given["EKSClusterName"],
        endpoint=given.get("APIServerEndpoint", ""),
        authority=given.get("Base64ClusterCA", ""),
        cluster_dns=(dns,) if dns else (),
    )
    try:
        arguments = shlex.split(given.get("KubeletExtraArgs", ""))
    except ValueError as problem:
        raise BootError(f"Start-EKSBootstrap.ps1: KubeletExtraArgs: {problem}") from problem
    boot = apply_flags(boot, arguments)
    check_labels(boot.labels)
    return boot


def _named(words: list[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        wanted = word.lstrip("-").rstrip(":").lower()
        fitting = [name for name in _PARAMETERS if name.lower().startswith(wanted)]
        exact = [name for name in fitting if name.lower() == wanted]
        if not word.startswith("-") or len(exact or fitting) != 1:
            raise BootError(
                "Start-EKSBootstrap.ps1: a parameter cannot be found that matches parameter "
                f"name '{word.lstrip('-')}'"
            )
        given[(exact or fitting)[0]] = next(rest, "")
    return given
