"""Settings of Karpenter that have no effect here: taken, so that its command line and pod still work.

Each is a flag and an environment variable, as with Karpenter. What is given is named once when the
controller starts, with why it changes nothing; its value is not looked at. Settings of AWS have no effect
where nothing is asked of AWS.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from nodewright.app.aws_settings import AwsWritten

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


def find_inert_aws(written: AwsWritten, environment: Mapping[str, str]) -> dict[str, str]:
    """Give why settings of AWS change nothing on another cloud, where any are given."""
    found = {}
    for name in AwsWritten.__struct_fields__:
        if environment.get(name.upper()):
            found[name.upper()] = _ONLY_AWS
        elif getattr(written, name) != getattr(AwsWritten(), name):
            found[name_flag(name)] = _ONLY_AWS
    return found
