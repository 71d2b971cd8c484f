from builders.awsclients import Hurried
from builders.installs import Table
from nodewright.install.smoke import LIMIT_MS, NAME, smoke_pod, smoke_test

POD = f"/api/v1/namespaces/nodewright/pods/{NAME}"
CLAIM = "/apis/karpenter.sh/v1/nodeclaims/default-1"
LABELS = {"node.kubernetes.io/instance-type": "c7a.medium"}


class Scaled(Table):
    """A cluster on which somebody makes a node for the pod, with other pods on it or without."""

    def __init__(self, *others):
        super().__init__()
        self.others = others

    async def apply(self, document):
        await super().apply(document)
        if document["kind"] == "Pod":
            self.objects[POD]["spec"]["nodeName"] = "new"
            self.objects[POD]["status"] = {"phase": "Running"}
            self.objects["/api/v1/nodes/new"] = {"metadata": {"name": "new", "labels": LABELS}}
            self.objects[CLAIM] = {
                "metadata": {"name": "default-1"},
                "status": {"nodeName": "new"},
            }
            for index, owner in enumerate(self.others):
                name = f"other-{index}"
                self.objects[f"/api/v1/pods/{name}"] = {
                    "metadata": {"name": name, "ownerReferences": [{"kind": owner}]},
                    "spec": {"nodeName": "new"},
                }


async def test_a_pod_that_gets_a_node_proves_it_and_everything_goes_again():
    table = Scaled("DaemonSet")
    came = await smoke_test(table, Hurried(), "default")

    assert (came.node, came.instance_type, came.problem, came.left) == ("new", "c7a.medium", "", "")
    assert POD not in table.objects
    assert CLAIM not in table.objects


async def test_a_pod_that_its_node_lost_is_put_there_again():
    class Shaky(Scaled):
        lost = False

        async def apply(self, document):
            await super().apply(document)
            if document["kind"] == "Pod" and not self.lost:
                self.lost = True
                del self.objects[POD]

    came = await smoke_test(Shaky(), Hurried(), "default")
    assert (came.node, came.problem) == ("new", "")


async def test_a_node_that_others_use_by_now_stays():
    table = Scaled("ReplicaSet")
    await smoke_test(table, Hurried(), "default")

    assert CLAIM in table.objects


async def test_a_pod_that_gets_no_node_says_why_and_goes():
    table, clock = Table(), Hurried()
    began = clock.now_ms()
    for name, said in (("a", "no room (NW-1204)"), ("b", "0/2 nodes are available")):
        table.objects[f"/api/v1/namespaces/nodewright/events/{name}"] = {
            "involvedObject": {"name": NAME},
            "message": said,
        }
    came = await smoke_test(table, clock, "default")

    assert came.problem == "the pod is unknown after 10 min: no room (NW-1204)"
    assert clock.now_ms() - began >= LIMIT_MS
    assert POD not in table.objects


def test_the_pod_asks_for_a_node_of_the_pool_to_itself():
    spec = smoke_pod("default", "image:1")["spec"]

    assert spec["nodeSelector"] == {"karpenter.sh/nodepool": "default"}
    assert spec["containers"][0]["image"] == "image:1"
