"""Amazon Linux 2: cloud-init runs every script, and one of them runs /etc/eks/bootstrap.sh.

Scripts run one after the other, each in its own shell, whether or not the one before ended well.
The bootstrap script takes options in the form `--name value` only; any other word is a position,
the first of which is the name of the cluster.
"""

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

import yaml

from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.flags import apply_flags, check_labels
from nodewright.sandbox.kubelet.parts import CLOUD_CONFIG, SHELL, Part, read_parts
from nodewright.sandbox.kubelet.shell import Command, read_commands

BOOTSTRAP: Final = "/etc/eks/bootstrap.sh"
_SHELLS: Final = ("bash", "/bin/bash", "sh", "/bin/sh", "source", ".")
_OPTIONS_NAMES: Final = (
    "apiserver-endpoint aws-api-retry-attempts b64-cluster-ca cluster-id container-runtime "
    "containerd-config-file dns-cluster-ip docker-config-json enable-docker-bridge "
    "enable-local-outpost ip-family kubelet-extra-args local-disks mount-bpf-fs "
    "pause-container-account pause-container-version service-ipv6-cidr use-max-pods"
)
_OPTIONS: Final = frozenset(_OPTIONS_NAMES.split())
_KUBELET_PODS: Final = 110


def read_al2(text: str) -> Boot:
    """Give what the scripts of the user data make of the machine."""
    complaints: list[str] = []
    for part in read_parts(text):
        try:
            arguments = _find_bootstrap(part)
        except BootError as problem:
            # cloud-init goes on with the next script.
            complaints.append(f"cloud-init: Failed to run module scripts-user: {problem}")
            continue
        if arguments is not None:
            return read_bootstrap(arguments)
    complaints.append(f"cloud-init: finished; {BOOTSTRAP} was never run, so no kubelet was started")
    raise BootError("\n".join(complaints))


def read_bootstrap(arguments: Sequence[str]) -> Boot:
    """Give what the bootstrap script makes of its arguments."""
    options, positions = _split(arguments)
    if not positions:
        raise BootError("bootstrap.sh: cluster name is not defined")
    boot = Boot(
        cluster_name=positions[0],
        endpoint=options.get("apiserver-endpoint", ""),
        authority=options.get("b64-cluster-ca", ""),
        cluster_dns=tuple(filter(None, [options.get("dns-cluster-ip", "")])),
        max_pods=None if options.get("use-max-pods", "true") == "true" else _KUBELET_PODS,
        joins_disks=options.get("local-disks") == "raid0",
    )
    extra = options.get("kubelet-extra-args", "")
    try:
        words = shlex.split(extra)
    except ValueError as problem:
        raise BootError(f"bootstrap.sh: --kubelet-extra-args {extra!r}: {problem}") from problem
    boot = apply_flags(boot, words)
    check_labels(boot.labels)
    return boot


def _split(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    positions: list[str] = []
    words = iter(arguments)
    for word in words:
        name = word.removeprefix("--")
        if word.startswith("--") and name in _OPTIONS:
            options[name] = next(words, "")
        else:
            positions.append(word)
    return options, positions


def _find_bootstrap(part: Part) -> tuple[str, ...] | None:
    for command in _commands(part):
        if command.words[0] == "exit":
            raise BootError(f"the script ended at its line {command.line}")
        arguments = _bootstrap_arguments(command)
        if arguments is not None:
            return arguments
    return None


def _commands(part: Part) -> Iterator[Command]:
    if part.kind == SHELL:
        if not part.text.lstrip().startswith("#!"):
            raise BootError("Exec format error. Missing #! in script?")
        yield from read_commands(part.text)
    elif part.kind == CLOUD_CONFIG:
        yield from _run_commands(part.text)


def _run_commands(text: str) -> Iterator[Command]:
    try:
        config = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BootError(f"Failed loading yaml blob: {error}") from error
    for entry in config.get("runcmd") or () if isinstance(config, dict) else ():
        if isinstance(entry, list):
            yield Command(tuple(str(word) for word in entry), 0)
        else:
            yield from read_commands(str(entry))


def _bootstrap_arguments(command: Command) -> tuple[str, ...] | None:
    words = command.words
    if words[0] in _SHELLS:
        words = tuple(word for word in words[1:] if not _is_shell_option(word))
    return words[1:] if words and words[0] == BOOTSTRAP else None


def _is_shell_option(word: str) -> bool:
    return len(word) == 2 and word[0] == "-"
