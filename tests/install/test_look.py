"""What is wrong with what somebody asks for is said before anything is looked at twice."""

import pytest

from builders.installs import AUTHORITY, SERVER, a_site
from nodewright.install.look_cluster import check_same
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError
from nodewright.sandbox.aws.faults import Switch


@pytest.fixture(scope="module")
def site():
    with a_site("cluster-autoscaler") as made:
        yield made


@pytest.fixture(autouse=True)
def no_faults(site):
    yield
    site.standin.account.faults.clear()


async def test_a_cluster_is_read_with_its_node_groups_and_its_scaler(site):
    found = await site.look()
    cluster = found.account.cluster

    assert (cluster.name, cluster.version, cluster.mode) == ("shop", "1.34", "API_AND_CONFIG_MAP")
    assert [group.name for group in cluster.node_groups] == ["large", "main"]
    assert cluster.node_groups[0].instance_types == ("m5.xlarge",)
    assert [one.kind for one in found.kube.scalers] == ["cluster-autoscaler"]
    assert found.kube.scalers[0].version == "v1.34.0"
    assert found.account.queue is None
    assert not found.account.has_spot_role


async def test_an_unknown_cluster_brings_the_nearest_name(site):
    with pytest.raises(UserError, match="there is no cluster shopp in us-west-2") as caught:
        await site.look(Wish("shopp"))

    assert caught.value.advice == "did you mean shop?"


async def test_a_cluster_of_another_region_is_not_found_and_that_is_said(site):
    with pytest.raises(UserError, match="there is no cluster elsewhere") as caught:
        await site.look(Wish("elsewhere"))

    assert caught.value.advice == "there are: shop"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("ExpiredToken", "the credentials for AWS have expired"),
        ("InvalidClientTokenId", "AWS does not accept these credentials"),
    ],
)
async def test_credentials_that_do_not_hold_are_one_sentence(site, code, said):
    site.standin.account.faults.set("sts.*", Switch("error", code=code, status=403))

    with pytest.raises(UserError, match=said):
        await site.look()


async def test_a_kubeconfig_of_another_cluster_is_refused(site):
    account = (await site.look()).account

    check_same(account, SERVER, "")
    check_same(account, "https://localhost:8443", AUTHORITY)
    with pytest.raises(UserError, match="the kubeconfig leads to https://other") as caught:
        check_same(account, "https://other", "T1RIRVI=")
    assert "aws eks update-kubeconfig --name shop" in caught.value.advice
