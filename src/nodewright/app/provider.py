"""Who makes the machines: the one place where a cloud is chosen by its name."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

from nodewright.app.settings import Order
from nodewright.kube.session import Session
from nodewright.kwok.cloud import REGION, KwokCloud
from nodewright.model.errors import UserError
from nodewright.model.resource import KWOK_NODE_CLASSES, WATCHED, Resource
from nodewright.observe.metrics import Metrics
from nodewright.ports.classes import Classes
from nodewright.ports.cloud import Cloud

NO_NAME: Final = "NW-9503"


class Provider(NamedTuple):
    """A cloud, where it is, what it does by itself while we lead, and who answers for its classes."""

    cloud: Cloud
    region: str
    run: Callable[[], Coroutine[Any, Any, None]]
    classes: Classes | None = None


def check_named(order: Order) -> None:
    """Refuse to go on where AWS is asked for machines and nobody says for which cluster."""
    if order.written.cloud == "aws" and not order.written.cluster_name:
        raise UserError(
            "nobody says which cluster machines are to be made for",
            code=NO_NAME,
            advice="set CLUSTER_NAME, or --cluster-name",
        )


def watched_kinds(cloud: str) -> tuple[Resource[Any], ...]:
    """Give the kinds that are watched: classes of another cloud are not ours to serve."""
    if cloud == "kwok":
        return WATCHED
    return tuple(one for one in WATCHED if one is not KWOK_NODE_CLASSES)


@asynccontextmanager
async def open_provider(
    order: Order, session: Session, metrics: Metrics
) -> AsyncIterator[Provider]:
    """Have the cloud that the settings name, for the length of a block."""
    clock = session.client.machine.clock
    if order.written.cloud == "kwok":
        region = order.written.region or REGION
        played = KwokCloud(session.kube, session.mirror, clock, region)
        yield Provider(played, region, played.run)
        return
    # boto3 takes longer to import than everything else together.
    from nodewright.app.aws import open_aws

    async with open_aws(order, session, metrics.asked) as provider:
        yield provider
