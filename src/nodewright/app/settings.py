"""Settings of the controller, with Karpenter's names: read once, and refused in one sentence.

Every setting is a flag and an environment variable of the same name; a flag beats its variable.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.app.aws_settings import AwsSettings, AwsWritten, read_aws
from nodewright.app.durations import BAD_SETTING, read_duration
from nodewright.app.gates import read_gates
from nodewright.app.spans import read_endpoint
from nodewright.controllers.ports import Settings
from nodewright.journal.api import PORT
from nodewright.kube.election import NAME
from nodewright.kube.limiter import BURST, QPS
from nodewright.model.errors import UserError
from nodewright.model.world import Options

NAMESPACE: Final = "nodewright"
DOORS: Final = ("kubernetes", "token")
TOKEN_MIN: Final = 16
CLOUDS: Final = ("aws", "kwok")
LOG_FORMATS: Final = ("json", "console")
LOG_LEVELS: Final = ("debug", "info", "warn", "error")
GATES: Final = {
    "CapacityBuffer": True,
    "NodeOverlay": True,
    "NodeRepair": False,
    "ReservedCapacity": True,
    "SpotToSpotConsolidation": False,
    "StaticCapacity": True,
}


class Written(msgspec.Struct, frozen=True):
    """Settings as they are written, by flag or by environment."""

    cloud: str = "aws"
    kubeconfig: str = ""
    context: str = ""
    dry_run: bool = False
    region: str = ""
    cluster_name: str = ""
    batch_max_duration: str = "10s"
    batch_idle_duration: str = "1s"
    preference_policy: str = "Respect"
    min_values_policy: str = "Strict"
    feature_gates: str = ""
    kube_client_qps: int = QPS
    kube_client_burst: int = BURST
    leader_election_name: str = NAME
    leader_election_namespace: str = ""
    disable_leader_election: bool = False
    health_probe_port: int = 8081
    metrics_port: int = 8080
    api_port: int = PORT
    dashboard_port: int = 0
    dashboard_auth: str = "kubernetes"
    dashboard_token: str = ""
    journal: str = ""
    log_level: str = "info"
    log_format: str = "json"
    bound_every: str = "15m"
    traces: str = ""
    disable_pod_nomination: bool = False


class Order(msgspec.Struct, frozen=True):
    """What is to be run."""

    written: Written
    controllers: Settings
    inert: Mapping[str, str] = {}
    aws: AwsSettings = AwsSettings()


def read_settings(
    written: Written, inert: Mapping[str, str] | None = None, aws: AwsWritten | None = None
) -> Order:
    """Give what is to be run; a setting that makes no sense is one sentence."""
    _one_of("--cloud", written.cloud, CLOUDS)
    _one_of("--log-level", written.log_level, LOG_LEVELS)
    _one_of("--log-format", written.log_format, LOG_FORMATS)
    _one_of("--dashboard-auth", written.dashboard_auth, DOORS)
    if written.dashboard_port and written.dashboard_auth == "token":
        _check_token(written.dashboard_token)
    read_endpoint(written.traces)
    read_duration("--bound-every", written.bound_every)
    _one_of("--preference-policy", written.preference_policy, ("Respect", "Ignore"))
    _one_of("--min-values-policy", written.min_values_policy, ("Strict", "BestEffort"))
    for name, number in (
        ("--kube-client-qps", written.kube_client_qps),
        ("--kube-client-burst", written.kube_client_burst),
    ):
        if number < 1:
            raise UserError(f"{name} must be at least 1, not {number}", code=BAD_SETTING)
    idle_ms = read_duration("--batch-idle-duration", written.batch_idle_duration)
    most_ms = read_duration("--batch-max-duration", written.batch_max_duration)
    if most_ms < idle_ms:
        raise UserError(
            f"--batch-max-duration {written.batch_max_duration} is shorter than "
            f"--batch-idle-duration {written.batch_idle_duration}",
            code=BAD_SETTING,
            advice="a batch waits at most the first, and ends after the second without new pods",
        )
    options = Options(
        preference_policy=written.preference_policy,
        min_values_policy=written.min_values_policy,
        feature_gates=read_gates("--feature-gates", written.feature_gates, GATES),
        pending_rule="live",
    )
    nominates = not written.disable_pod_nomination
    told = read_aws(aws or AwsWritten())
    controllers = Settings(idle_ms, most_ms, options, nominates)
    return Order(written, controllers, inert or {}, told)


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UserError(f"{name} is one of {', '.join(known)}, not {value!r}", code=BAD_SETTING)


def _check_token(token: str) -> None:
    """Refuse a token that could be guessed."""
    if len(token) < TOKEN_MIN:
        raise UserError(
            f"--dashboard-token must have at least {TOKEN_MIN} letters",
            code=BAD_SETTING,
            advice="keep it in a Secret, and hand it over as DASHBOARD_TOKEN",
        )
