"""Settings of Karpenter that have no effect here: taken, so that its command line and pod still work.

Each is a flag and an environment variable, as with Karpenter. What is given is named once when the
controller starts, with why it changes nothing; its value is not looked at.
"""

from collections.abc import Iterable, Mapping
from typing import Final

_NO_WEBHOOK: Final = "no webhook is served: the CRDs themselves check what is written"
_ONLY_AWS: Final = "it is about AWS, of which --cloud kwok asks nothing"
_ONE_STREAM: Final = "the log goes to standard output"

INERT: Final[Mapping[str, str]] = {
    "cpu_requests": "how much is done at once does not depend on it",
    "memory_limit": "there is no soft limit to set: memory is bounded by the container alone",
    "enable_profiling": "there are no profiling pages",
    "karpenter_service": _NO_WEBHOOK,
    "disable_webhook": _NO_WEBHOOK,
    "webhook_port": _NO_WEBHOOK,
    "webhook_metrics_port": _NO_WEBHOOK,
    "leader_elect": "since v1 it is --disable-leader-election that says so",
    "disable_controller_warmup": "what is on the cluster is known before a replica leads, always",
    "disable_cluster_state_observability": "metrics of the cluster are made when they are asked for",
    "ignore_dra_requests": "pods that claim devices are told why they get no node, always",
    "scheduler_config": "the defaults of kube-scheduler are what is planned for",
    "log_output_paths": _ONE_STREAM,
    "log_error_output_paths": _ONE_STREAM,
    "assume_role_arn": _ONLY_AWS,
    "assume_role_duration": _ONLY_AWS,
    "cluster_endpoint": _ONLY_AWS,
    "cluster_ca_bundle": _ONLY_AWS,
    "interruption_queue": _ONLY_AWS,
    "isolated_vpc": _ONLY_AWS,
    "eks_control_plane": _ONLY_AWS,
    "vm_memory_overhead_percent": _ONLY_AWS,
    "reserved_enis": _ONLY_AWS,
    "enable_zonal_shift": _ONLY_AWS,
    "disable_dry_run": _ONLY_AWS,
    "ami_refresh_interval": _ONLY_AWS,
    "subnet_refresh_interval": _ONLY_AWS,
}


def name_flag(setting: str) -> str:
    """Write a setting as a flag."""
    return f"--{setting.replace('_', '-')}"


def find_inert(flags: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Give why each setting changes nothing that is given as a flag or as a variable that says something."""
    given = set(flags)
    found = {name_flag(one): why for one, why in INERT.items() if one in given}
    variables = {one.upper(): why for one, why in INERT.items()}
    return found | {name: why for name, why in variables.items() if environment.get(name)}
