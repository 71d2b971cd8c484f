"""The AWS provider out of the settings: what is found out, and what is said where it cannot be."""

import base64
import json
from types import SimpleNamespace

import pytest

from builders.awsaccounts import a_class, make_account
from builders.awsclients import Even, Hurried
from builders.standin import Standin
from nodewright.app.aws import VERSION_MS, minor_version, open_aws
from nodewright.app.aws_settings import AwsWritten
from nodewright.app.settings import Written, read_settings
from nodewright.aws.calls import CREATE_PROFILE
from nodewright.kube.access import Access, Source
from nodewright.kube.client import Reply
from nodewright.kube.machine import Machine
from nodewright.model.errors import UserError
from nodewright.sandbox.aws.account import Account, Timing
from nodewright.sandbox.aws.faults import Switch
from nodewright.sandbox.aws.server import Server
from nodewright.state.mirror import Mirror

DNS = "/api/v1/namespaces/kube-system/services/kube-dns"


class Api:
    """A client of an API server that knows its version and the address of its DNS."""

    def __init__(self, **replies):
        self.machine = Machine(Hurried(), Even())
        self.access = Access("https://api", authority=Source(data=b"whom we trust"))
        self.version = "v1.34.4"
        self.dns = Reply(200, json.dumps({"spec": {"clusterIP": "10.100.0.10"}}).encode())
        for name, value in replies.items():
            setattr(self, name, value)

    async def ask(self, request):
        if request.path == DNS:
            return self.dns
        assert request.path == "/version"
        return Reply(200, json.dumps({"gitVersion": self.version}).encode())


@pytest.fixture(scope="module")
def standin():
    """An account with the cluster of the name demo."""
    with Server(Account(timing=Timing(0, 0, 0))) as server:
        made = Standin(server)
        network, _ = make_account(made)
        made.client("eks").create_cluster(
            name="demo",
            version="1.33",
            roleArn="arn:aws:iam::123456789012:role/eks",
            resourcesVpcConfig={"subnetIds": list(network.subnets)},
        )
        yield made


@pytest.fixture(autouse=True)
def environment(standin, monkeypatch, tmp_path):
    """The environment of a process that is to talk to the account."""
    for name in ("AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "AWS_ENDPOINT_URL": standin.server.url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
    }.items():
        monkeypatch.setenv(name, value)
    yield
    standin.account.faults.clear()
    standin.account.calls.clear()


def opened(api=None, *, dry_run=False, name="demo", **aws):
    """What opens the provider, and the requests that it is told of."""
    written = Written(cluster_name=name, dry_run=dry_run, region="us-west-2")
    order = read_settings(written, aws=AwsWritten(**aws))
    told = []
    session = SimpleNamespace(client=api or Api(), mirror=Mirror())
    return open_aws(order, session, lambda *row: told.append(row)), told


def cluster_of(provider):
    return provider.classes._cluster


async def test_what_nodes_must_know_comes_from_eks_and_the_api_server():
    context, told = opened()
    async with context as provider:
        found = cluster_of(provider)

    assert provider.region == "us-west-2"
    assert (found.name, found.version, found.dns_ip) == ("demo", "1.34", "10.100.0.10")
    assert found.endpoint.startswith("https://")
    assert found.authority
    assert found.service_range.endswith("/16")
    assert [row[:3] for row in told] == [("eks", "DescribeCluster", "")]


async def test_the_version_is_that_of_eks_where_the_settings_say_so():
    context, _ = opened(eks_control_plane=True)
    async with context as provider:
        assert cluster_of(provider).version == "1.33"


async def test_a_cluster_without_kube_dns_is_served_all_the_same():
    context, _ = opened(Api(dns=Reply(404)))
    async with context as provider:
        assert cluster_of(provider).dns_ip == ""


async def test_settings_do_where_eks_is_forbidden(standin):
    standin.account.faults.set("eks.DescribeCluster", Switch("deny"))
    context, _ = opened(cluster_endpoint="https://own.example.org")
    async with context as provider:
        found = cluster_of(provider)

    assert (found.endpoint, found.version) == ("https://own.example.org", "1.34")
    assert base64.b64decode(found.authority) == b"whom we trust"


@pytest.mark.parametrize(
    ("kind", "code", "word"),
    [
        ("deny", "NW-3113", "eks:DescribeCluster"),
        ("error", "NW-3113", "reached"),
    ],
)
async def test_a_cluster_that_is_not_described_is_one_sentence(standin, kind, code, word):
    standin.account.faults.set("eks.DescribeCluster", Switch(kind))
    context, _ = opened()
    with pytest.raises(UserError) as refused:
        await context.__aenter__()

    assert refused.value.code == code
    assert word in refused.value.advice


async def test_a_cluster_that_is_not_there_is_one_sentence():
    context, _ = opened(name="shop", cluster_endpoint="https://own.example.org")
    with pytest.raises(UserError, match="shop in us-west-2: EKS does not know"):
        await context.__aenter__()


async def test_without_credentials_the_user_is_told_where_they_come_from(monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    context, _ = opened()
    with pytest.raises(UserError, match="credentials") as refused:
        await context.__aenter__()

    assert "IRSA" in refused.value.advice


async def test_a_dry_run_looks_and_asks_for_nothing_else(standin):
    context, _ = opened(dry_run=True, interruption_queue="demo")
    async with context as provider:
        await provider.cloud.list_machines()
        heard = await provider.cloud._gateway.ask(CREATE_PROFILE, {"InstanceProfileName": "x"})
        assert provider.cloud._options.queue == ""

    assert heard.code == "DryRun"
    names = {one.name for one in standin.account.calls.named("")}
    assert names == {"eks.DescribeCluster", "ec2.DescribeInstances"}


async def test_a_cluster_that_was_upgraded_gets_images_of_its_new_version():
    api = Api()
    context, _ = opened(api)
    async with context as provider:
        before = await provider.classes.find(a_class())
        api.version = "v1.35.0"
        api.machine.clock.now += VERSION_MS
        after = await provider.classes.find(a_class())

    assert (before.kubernetes_minor, after.kubernetes_minor) == (34, 35)
    assert {one.id for one in before.amis}.isdisjoint(one.id for one in after.amis)


@pytest.mark.parametrize(
    ("written", "read"), [("v1.34.4-eks-1", "1.34"), ("1.35", "1.35"), ("v1.36.0", "1.36")]
)
def test_a_version_is_two_numbers(written, read):
    assert minor_version(written) == read
