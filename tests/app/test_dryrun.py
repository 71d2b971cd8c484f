"""A dry run: looked at, decided, never done."""

import inspect

from builders import NOW_MS, a_node
from nodewright.app.dryrun import NOT_DONE, DryCloud, DryKube
from nodewright.model.requirements import Requirements
from nodewright.model.resource import NODES, refer
from nodewright.ports.cloud import Cloud, Ended, LaunchFailed, LaunchRequest, Machine
from nodewright.ports.kube import Kube

NODE = a_node("n")
MACHINE = Machine("fake:///n", "running", "m5.large", "zone-a", "spot", NOW_MS)


class Watched:
    """A cloud that may be looked at and nothing else."""

    async def list_machines(self):
        return (MACHINE,)


async def test_nothing_is_written_on_the_cluster():
    kube, ref = DryKube(), refer(NODES, NODE)

    answers = [
        await kube.create(NODES, NODE),
        *await kube.create_all(NODES, [NODE]),
        await kube.patch(ref, {}),
        await kube.patch_list(ref, []),
        await kube.apply(ref, {}),
        await kube.delete(ref),
        await kube.evict(ref),
        await kube.add_finalizer(ref, NODE, "x"),
        await kube.remove_finalizer(ref, NODE, "x"),
    ]

    assert answers == [NOT_DONE] * 9
    assert not NOT_DONE.is_done


async def test_machines_are_seen_and_neither_made_nor_ended():
    cloud = DryCloud(Watched())
    request = LaunchRequest("t", "c", "u", "pool", None, Requirements(), ("m5.large",))

    assert await cloud.list_machines() == (MACHINE,)
    assert isinstance(await cloud.launch(request), LaunchFailed)
    assert await cloud.terminate("fake:///n") is Ended.TRY_AGAIN


def test_every_way_to_act_is_covered():
    for promise, dry in ((Kube, DryKube), (Cloud, DryCloud)):
        wanted = {name for name, _ in inspect.getmembers(promise, inspect.isfunction)}
        missing = {name for name in wanted if not name.startswith("_")} - set(dir(dry))
        assert missing == set()
