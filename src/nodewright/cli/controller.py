"""`nodewright controller`: the autoscaler itself, on the cluster of a kubeconfig or of its own pod."""

import os
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from cyclopts import Parameter

from nodewright.app.aws_settings import AwsWritten
from nodewright.app.controller import control
from nodewright.app.inert import find_inert, find_inert_aws
from nodewright.app.settings import Written, read_settings
from nodewright.cli.errors import EXIT_FINE
from nodewright.web.controlling import show_controller

_DEFAULT = Written()
_AWS = AwsWritten()


def _setting(help_text: str, variable: str) -> Parameter:
    return Parameter(help=help_text, env_var=variable, negative=())


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Place:
    """Which cluster and which cloud."""

    cloud: Annotated[Literal["aws", "kwok"], _setting("Who makes the machines.", "CLOUD")] = "aws"
    kubeconfig: Annotated[str, Parameter(help="The kubeconfig; else the usual places.")] = ""
    context: Annotated[str, Parameter(help="The context of the kubeconfig.")] = ""
    region: Annotated[
        str,
        Parameter(
            env_var=["AWS_REGION", "AWS_DEFAULT_REGION"],
            help="Where the machines are, and whose types and prices.",
        ),
    ] = _DEFAULT.region
    cluster_name: Annotated[str, _setting("The cluster's name.", "CLUSTER_NAME")] = ""
    dry_run: Annotated[
        bool, Parameter(help="Decide, and write nothing; needs no lease.", negative=())
    ] = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """What is decided, and how fast."""

    batch_max_duration: Annotated[
        str, _setting("How long pods are gathered at most.", "BATCH_MAX_DURATION")
    ] = _DEFAULT.batch_max_duration
    batch_idle_duration: Annotated[
        str, _setting("How long no new pod ends a batch.", "BATCH_IDLE_DURATION")
    ] = _DEFAULT.batch_idle_duration
    preference_policy: Annotated[
        str, _setting("Respect or Ignore the pods' preferences.", "PREFERENCE_POLICY")
    ] = _DEFAULT.preference_policy
    min_values_policy: Annotated[
        str, _setting("Strict or BestEffort about minValues.", "MIN_VALUES_POLICY")
    ] = _DEFAULT.min_values_policy
    feature_gates: Annotated[
        str, _setting("Gates such as NodeRepair=true,StaticCapacity=false.", "FEATURE_GATES")
    ] = _DEFAULT.feature_gates
    kube_client_qps: Annotated[
        int, _setting("Writes to the API server per second.", "KUBE_CLIENT_QPS")
    ] = _DEFAULT.kube_client_qps
    kube_client_burst: Annotated[
        int, _setting("Writes that may come at once.", "KUBE_CLIENT_BURST")
    ] = _DEFAULT.kube_client_burst
    disable_pod_nomination: Annotated[
        bool,
        _setting(
            "Do not tell the scheduler which node is meant for a pod.", "DISABLE_POD_NOMINATION"
        ),
    ] = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Process:
    """How this process runs among others."""

    leader_election_name: Annotated[
        str, _setting("The lease by which one replica leads.", "LEADER_ELECTION_NAME")
    ] = _DEFAULT.leader_election_name
    leader_election_namespace: Annotated[
        str, _setting("Where it is; else our own namespace.", "LEADER_ELECTION_NAMESPACE")
    ] = _DEFAULT.leader_election_namespace
    disable_leader_election: Annotated[
        bool, _setting("Act without a lease.", "DISABLE_LEADER_ELECTION")
    ] = False
    health_probe_port: Annotated[
        int, _setting("Where /healthz and /readyz are; 0 for any.", "HEALTH_PROBE_PORT")
    ] = _DEFAULT.health_probe_port
    metrics_port: Annotated[int, _setting("Where /metrics is; 0 for any.", "METRICS_PORT")] = (
        _DEFAULT.metrics_port
    )
    api_port: Annotated[
        int, _setting("Where journal and dashboard are, on loopback; 0 for any.", "API_PORT")
    ] = _DEFAULT.api_port
    dashboard_port: Annotated[
        int,
        _setting("Where others reach the dashboard, with a token; 0 nowhere.", "DASHBOARD_PORT"),
    ] = _DEFAULT.dashboard_port
    dashboard_auth: Annotated[
        str, _setting("kubernetes, or token for one of your own.", "DASHBOARD_AUTH")
    ] = _DEFAULT.dashboard_auth
    dashboard_token: Annotated[
        str, _setting("That token, of 16 letters or more.", "DASHBOARD_TOKEN")
    ] = _DEFAULT.dashboard_token
    journal: Annotated[
        str, _setting("The folder of the journal; else one of its own.", "JOURNAL")
    ] = _DEFAULT.journal
    log_level: Annotated[str, _setting("debug, info, warn or error.", "LOG_LEVEL")] = (
        _DEFAULT.log_level
    )
    log_format: Annotated[str, _setting("json, or console for people.", "LOG_FORMAT")] = (
        _DEFAULT.log_format
    )
    bound_every: Annotated[
        str,
        _setting("How often the lower bound of the cost is looked for; 0s never.", "BOUND_EVERY"),
    ] = _DEFAULT.bound_every
    traces: Annotated[
        str, _setting("Where OpenTelemetry spans are sent to; else nowhere.", "TRACES")
    ] = _DEFAULT.traces


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Aws:
    """What is asked of AWS, and as whom; of no effect on another cloud."""

    profile: Annotated[
        str, Parameter(help="The profile of the AWS configuration; else AWS_PROFILE.")
    ] = ""
    cluster_endpoint: Annotated[
        str, _setting("Where nodes reach the API server; else EKS is asked.", "CLUSTER_ENDPOINT")
    ] = ""
    cluster_ca_bundle: Annotated[
        str, _setting("Whom nodes trust, in base64; else EKS is asked.", "CLUSTER_CA_BUNDLE")
    ] = ""
    interruption_queue: Annotated[
        str, _setting("The SQS queue of messages about machines.", "INTERRUPTION_QUEUE")
    ] = ""
    isolated_vpc: Annotated[
        bool, _setting("There is no way out: prices are not asked for.", "ISOLATED_VPC")
    ] = False
    eks_control_plane: Annotated[
        bool, _setting("Take the version of EKS, not of the API server.", "EKS_CONTROL_PLANE")
    ] = False
    vm_memory_overhead_percent: Annotated[
        float,
        _setting("What part of memory the hypervisor takes.", "VM_MEMORY_OVERHEAD_PERCENT"),
    ] = _AWS.vm_memory_overhead_percent
    reserved_enis: Annotated[
        int, _setting("Network interfaces that are not for pods.", "RESERVED_ENIS")
    ] = _AWS.reserved_enis
    assume_role_arn: Annotated[str, _setting("A role to take on.", "ASSUME_ROLE_ARN")] = ""
    assume_role_duration: Annotated[
        str, _setting("For how long it is taken on each time.", "ASSUME_ROLE_DURATION")
    ] = _AWS.assume_role_duration
    ami_refresh_interval: Annotated[
        str, _setting("How often images are looked for again.", "AMI_REFRESH_INTERVAL")
    ] = _AWS.ami_refresh_interval
    subnet_refresh_interval: Annotated[
        str, _setting("How often subnets are looked for again.", "SUBNET_REFRESH_INTERVAL")
    ] = _AWS.subnet_refresh_interval
    disable_dry_run: Annotated[
        bool, _setting("Do not try launches that start nothing.", "DISABLE_DRY_RUN")
    ] = False
    enable_zonal_shift: Annotated[
        bool, _setting("Start nothing in zones that ARC shifts away from.", "ENABLE_ZONAL_SHIFT")
    ] = False
    aws_feature_gates: Annotated[
        str, _setting("Gates such as NodeClassCEL=true.", "AWS_FEATURE_GATES")
    ] = _AWS.aws_feature_gates
    journal_s3: Annotated[
        str, _setting("Where in S3 the journal is copied to; else nowhere.", "JOURNAL_S3")
    ] = ""


_Flag = Annotated[bool | None, Parameter(show=False, negative=())]
_Value = Annotated[str | None, Parameter(show=False)]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Inert:
    """What Karpenter takes and has no effect here."""

    cpu_requests: _Value = None
    memory_limit: _Value = None
    enable_profiling: _Flag = None
    karpenter_service: _Value = None
    disable_webhook: _Flag = None
    webhook_port: _Value = None
    webhook_metrics_port: _Value = None
    leader_elect: _Flag = None
    disable_controller_warmup: _Flag = None
    disable_cluster_state_observability: _Flag = None
    ignore_dra_requests: _Flag = None
    scheduler_config: _Value = None
    log_output_paths: _Value = None
    log_error_output_paths: _Value = None


def controller(
    *,
    place: Place = Place(),  # noqa: B008 - frozen: sharing the default is safe
    behaviour: Behaviour = Behaviour(),  # noqa: B008 - frozen: sharing the default is safe
    process: Process = Process(),  # noqa: B008 - frozen: sharing the default is safe
    aws: Aws = Aws(),  # noqa: B008 - frozen: sharing the default is safe
    inert: Inert = Inert(),  # noqa: B008 - frozen: sharing the default is safe
) -> int:
    """Run the autoscaler until it is told to stop; logs go to standard output, as JSON.

    Flags and environment variables have Karpenter's names, and a flag beats its variable. Those of
    Karpenter's that have no effect here are taken and named in a warning.

    $ nodewright controller --cluster-name shop --interruption-queue shop
    $ nodewright controller --cluster-name shop --dry-run --log-level debug
    $ nodewright controller --cloud kwok --kubeconfig sandbox.kubeconfig
    """
    written = Written(**asdict(place), **asdict(behaviour), **asdict(process))
    told = AwsWritten(**asdict(aws))
    flags = [name for name, value in asdict(inert).items() if value is not None]
    without_effect = find_inert(flags, os.environ)
    if written.cloud != "aws":
        without_effect |= find_inert_aws(told, os.environ)
    control(read_settings(written, without_effect, told), os.environ, show_controller)
    return EXIT_FINE
