"""How each program of the control plane is started and how it tells that it is ready.

All listen on the loopback address with certificates of the sandbox's own authority. etcd does
not wait for the disk (a sandbox is not meant to outlive a power cut), leader election is off
(there is one of each), and the clients' own rate limits are lifted so that thousands of pods
can be had in seconds. Where AWS is wanted, the stand-in and the kubelets of its machines run beside.
"""

import sys

import msgspec

from nodewright.sandbox.binaries import Binaries
from nodewright.sandbox.folder import Folder
from nodewright.sandbox.loopback import HOST

SERVICE_RANGE = "10.96.0.0/16"
# Addresses of fake pods: room for eight million.
POD_RANGE = "10.128.0.1/9"
MANAGED_NODES = "kwok.x-k8s.io/node=fake"

# Each of these has a client certificate; the first is the user's.
USERS = {
    "admin": "system:masters",
    "system:kube-controller-manager": "",
    "system:kube-scheduler": "",
    "kwok": "system:masters",
    "kubelet": "system:masters",
}
_PYTHON = (sys.executable, "-P", "-m")


class Ports(msgspec.Struct, frozen=True):
    """Where each program listens."""

    etcd: int
    etcd_peer: int
    apiserver: int
    controller_manager: int
    scheduler: int
    kwok: int
    aws: int = 0

    @property
    def aws_url(self) -> str:
        """The address of the AWS stand-in."""
        return f"http://{HOST}:{self.aws}"

    @property
    def server(self) -> str:
        """The address of the Kubernetes API."""
        return f"https://{HOST}:{self.apiserver}"


class Program(msgspec.Struct, frozen=True):
    """One program: its command line, and the address that answers once it is ready, if any."""

    name: str
    argv: tuple[str, ...]
    port: int
    ready_url: str


class Plan(msgspec.Struct, frozen=True):
    """The programs in the order they are started: each wave waits for the one before."""

    waves: tuple[tuple[Program, ...], ...]


def user_file(user: str) -> str:
    """Give the file name stem of a user's certificate and kubeconfig."""
    return user.removeprefix("system:")


def plan_programs(
    binaries: Binaries,
    folder: Folder,
    ports: Ports,
    apiserver_flags: tuple[str, ...] = (),
    aws_region: str = "",
) -> Plan:
    """Lay out all programs of a sandbox."""
    etcd = _etcd(binaries.etcd, folder, ports)
    apiserver = _apiserver(binaries.kube_apiserver, folder, ports, apiserver_flags)
    rest = (
        _controller_manager(binaries.kube_controller_manager, folder, ports),
        _scheduler(binaries.kube_scheduler, folder, ports),
        _kwok(binaries.kwok, folder, ports),
    )
    if not aws_region:
        return Plan(((etcd,), (apiserver,), rest))
    # The stand-in takes as long to start as the API server, so they start side by side.
    standin, kubelets = _standin(ports, aws_region), _kubelets(folder, ports, aws_region)
    return Plan(((etcd,), (apiserver, standin), (*rest, kubelets)))


def _etcd(path: str, folder: Folder, ports: Ports) -> Program:
    client = f"https://{HOST}:{ports.etcd}"
    peer = f"https://{HOST}:{ports.etcd_peer}"
    pki = folder.certificates
    argv = (
        path,
        "--name=sandbox",
        f"--data-dir={folder.data}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=sandbox={peer}",
        f"--cert-file={pki}/server.crt",
        f"--key-file={pki}/server.key",
        f"--trusted-ca-file={pki}/authority.crt",
        "--client-cert-auth",
        f"--peer-cert-file={pki}/server.crt",
        f"--peer-key-file={pki}/server.key",
        f"--peer-trusted-ca-file={pki}/authority.crt",
        "--peer-client-cert-auth",
        "--unsafe-no-fsync",
        f"--quota-backend-bytes={4 << 30}",
        "--log-level=warn",
    )
    return Program("etcd", argv, ports.etcd, f"{client}/health")


def _apiserver(path: str, folder: Folder, ports: Ports, extra: tuple[str, ...]) -> Program:
    pki = folder.certificates
    argv = (
        path,
        f"--etcd-servers=https://{HOST}:{ports.etcd}",
        f"--etcd-cafile={pki}/authority.crt",
        f"--etcd-certfile={pki}/server.crt",
        f"--etcd-keyfile={pki}/server.key",
        f"--bind-address={HOST}",
        f"--advertise-address={HOST}",
        f"--secure-port={ports.apiserver}",
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={pki}/server.crt",
        f"--tls-private-key-file={pki}/server.key",
        f"--client-ca-file={pki}/authority.crt",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={pki}/tokens.pub",
        f"--service-account-signing-key-file={pki}/tokens.key",
        "--authorization-mode=RBAC",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        "--allow-privileged=true",
        "--max-requests-inflight=2000",
        "--max-mutating-requests-inflight=1000",
        *extra,
    )
    return Program("kube-apiserver", argv, ports.apiserver, f"{ports.server}/readyz")


def _controller_manager(path: str, folder: Folder, ports: Ports) -> Program:
    pki = folder.certificates
    argv = (
        path,
        *_component_flags(folder, "kube-controller-manager", ports.controller_manager),
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={pki}/tokens.key",
        f"--root-ca-file={pki}/authority.crt",
        "--allocate-node-cidrs=false",
        "--controllers=*",
    )
    return _component("kube-controller-manager", argv, ports.controller_manager)


def _scheduler(path: str, folder: Folder, ports: Ports) -> Program:
    argv = (path, *_component_flags(folder, "kube-scheduler", ports.scheduler))
    return _component("kube-scheduler", argv, ports.scheduler)


def _kwok(path: str, folder: Folder, ports: Ports) -> Program:
    argv = (
        path,
        f"--kubeconfig={folder.certificates}/kwok.kubeconfig",
        f"--config={folder.stages}",
        "--manage-all-nodes=false",
        f"--manage-nodes-with-annotation-selector={MANAGED_NODES}",
        f"--cidr={POD_RANGE}",
        f"--node-ip={HOST}",
        "--node-lease-duration-seconds=40",
        f"--server-address={HOST}:{ports.kwok}",
    )
    return Program("kwok", argv, ports.kwok, f"http://{HOST}:{ports.kwok}/healthz")


def _standin(ports: Ports, region: str) -> Program:
    argv = (*_PYTHON, "nodewright.sandbox.aws.server", f"--port={ports.aws}", f"--region={region}")
    return Program("aws", argv, ports.aws, f"{ports.aws_url}/_standin/health")


def _kubelets(folder: Folder, ports: Ports, region: str) -> Program:
    argv = (
        *_PYTHON,
        "nodewright.sandbox.kubelet.program",
        f"--url={ports.aws_url}",
        f"--region={region}",
        f"--kubeconfig={folder.certificates}/kubelet.kubeconfig",
    )
    return Program("kubelet", argv, 0, "")


def _component(name: str, argv: tuple[str, ...], port: int) -> Program:
    return Program(name, argv, port, f"https://{HOST}:{port}/healthz")


def _component_flags(folder: Folder, name: str, port: int) -> tuple[str, ...]:
    pki = folder.certificates
    kubeconfig = f"{pki}/{name}.kubeconfig"
    return (
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        f"--bind-address={HOST}",
        f"--secure-port={port}",
        f"--tls-cert-file={pki}/server.crt",
        f"--tls-private-key-file={pki}/server.key",
        "--leader-elect=false",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
    )
