"""The status object: the leader writes down what it does, where one `kubectl get` finds it.

It is written when it has changed, at most every ten seconds. What keeps it from being written is said once:
nodes do not wait for it.
"""

import logging
from collections.abc import Callable
from typing import Final, Protocol

import msgspec
import yaml

from nodewright.model.metadata import ObjectMeta
from nodewright.model.resource import Ref, Resource
from nodewright.ports.clock import Clock
from nodewright.ports.kube import Kube

_log: Final = logging.getLogger("nodewright.status")
NAME: Final = "nodewright-status"
EVERY_MS: Final = 10_000


class ConfigMap(msgspec.Struct, frozen=True):
    """A ConfigMap, of which nothing is read."""

    metadata: ObjectMeta


CONFIG_MAPS: Final = Resource("", "v1", "ConfigMap", "configmaps", ConfigMap, namespaced=True)


class StatusPorts(Protocol):
    """What is needed to write the status."""

    @property
    def kube(self) -> Kube:
        """The cluster, to write to."""
        ...

    @property
    def clock(self) -> Clock:
        """The time."""
        ...


async def keep_status(
    ports: StatusPorts, namespace: str, compose: Callable[[], dict[str, object] | None]
) -> None:
    """Write the status for as long as we lead."""
    written, said = "", ""
    while True:
        document = compose()
        text = "" if document is None else write_status(document)
        if text and text != written:
            answer = await ports.kube.apply(
                Ref(CONFIG_MAPS, NAME, namespace),
                {
                    "metadata": {"name": NAME, "labels": {"app.kubernetes.io/name": "nodewright"}},
                    "data": {"status": text},
                },
            )
            if answer.is_done:
                written, said = text, ""
            elif answer.message != said:
                said = answer.message
                _log.warning("the status cannot be written: %s", said or answer.outcome.value)
        await ports.clock.sleep_ms(EVERY_MS)


def write_status(document: dict[str, object]) -> str:
    """Write the status as people read it."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=140)
