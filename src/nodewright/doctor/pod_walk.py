"""What only AWS knows about a pod that waits: machines that were refused, addresses that are left, volumes' zones."""

from typing import Final

import msgspec

from nodewright.core.explain.pod import PodStory, explain_pod
from nodewright.doctor.account import subnets_of_vpc
from nodewright.doctor.cluster import CLAIMS, PODS, VOLUME_CLAIMS, VOLUMES, condition, name_of
from nodewright.doctor.finding import Text, fact
from nodewright.doctor.look import Look, Unseen
from nodewright.doctor.placing import live_world
from nodewright.install.found import Json
from nodewright.model.errors import UserError
from nodewright.model.labels import ZONE

NO_POD: Final = "NW-9736"
_EVENTS: Final = "/api/v1/events"
_CAPACITY: Final = "InsufficientCapacity"
_SHOWN_MAX: Final = 5


class PodWalk(msgspec.Struct, frozen=True):
    """The planner's story of a pod, and what AWS adds to it."""

    pod: str
    story: PodStory
    evidence: tuple[Text, ...]
    unseen: tuple[Text, ...] = ()


async def walk_pod(look: Look, key: str) -> PodWalk:
    """Explain a pod of the live cluster, with what AWS knows."""
    world = await live_world(look)
    story = explain_pod(world, key)
    if story is None:
        near = [
            one.key for one in world.pods if one.key.rpartition("/")[2] == key.rpartition("/")[2]
        ]
        raise UserError(
            f"there is no pod {key}",
            code=NO_POD,
            advice=f"did you mean {near[0]}?" if near else "`kubectl get pods -A` lists them",
        )
    evidence: list[Text] = []
    unseen: list[Text] = []
    for part in (_refusals, _addresses, _volumes):
        try:
            evidence += await part(look, key)
        except Unseen as error:
            unseen.append(error.why)
    return PodWalk(key, story, tuple(evidence), tuple(unseen))


async def _refusals(look: Look, key: str) -> list[Text]:
    """Say which launches EC2 had no machines for."""
    del key
    found = [
        fact(f"NodeClaim/{one['metadata']['name']}", "Launched", told.get("message", ""))
        for one in await look.all(CLAIMS)
        if _CAPACITY in str((told := condition(one, "Launched")).get("reason", ""))
    ]
    found += [
        fact(f"Event {_title(one)}", str(one.get("reason", "")), one.get("message", ""))
        for one in await look.all(_EVENTS)
        if _CAPACITY in str(one.get("reason", "")) or _CAPACITY in str(one.get("message", ""))
    ]
    return found[-_SHOWN_MAX:]


def _title(event: Json) -> str:
    told = event.get("involvedObject") or {}
    return f"{told.get('kind', '')}/{told.get('name', '')}"


async def _addresses(look: Look, key: str) -> list[Text]:
    """Say how many addresses are left in the subnets that nodes may be in."""
    del key
    wanted = f"{look.subject.cluster}"
    return [
        fact(
            f"{one['SubnetId']} ({one['AvailabilityZone']})",
            "AvailableIpAddressCount",
            one.get("AvailableIpAddressCount", "?"),
        )
        for one in await subnets_of_vpc(look)
        if one["tags"].get("karpenter.sh/discovery") == wanted
    ]


async def _volumes(look: Look, key: str) -> list[Text]:
    """Say in which zones the pod's volumes lie."""
    pod = next((one for one in await look.all(PODS) if name_of(one) == key), None)
    if pod is None:
        return []
    space = pod["metadata"]["namespace"]
    claims = {name_of(one): one for one in await look.all(VOLUME_CLAIMS)}
    volumes = {str(one["metadata"]["name"]): one for one in await look.all(VOLUMES)}
    found: list[Text] = []
    for each in pod["spec"].get("volumes") or ():
        name = (each.get("persistentVolumeClaim") or {}).get("claimName")
        claim = claims.get(f"{space}/{name}") if name else None
        volume = volumes.get(str(claim["spec"].get("volumeName"))) if claim else None
        if volume is not None:
            title = f"PersistentVolume/{volume['metadata']['name']}"
            found.append(fact(title, ZONE, ", ".join(_zones(volume)) or "any"))
    return found


def _zones(volume: Json) -> list[str]:
    required = ((volume["spec"].get("nodeAffinity") or {}).get("required") or {}).get(
        "nodeSelectorTerms"
    )
    return sorted(
        {
            str(value)
            for term in required or ()
            for one in term.get("matchExpressions") or ()
            if "zone" in str(one.get("key"))
            for value in one.get("values") or ()
        }
    )
