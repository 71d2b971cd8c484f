"""Launch templates in EC2: made when first needed, and deleted when nobody has needed them for a while."""

from typing import Any, Final

from nodewright.aws.calls import (
    CREATE_LAUNCH_TEMPLATE,
    DELETE_LAUNCH_TEMPLATE,
    DESCRIBE_LAUNCH_TEMPLATES,
)
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.tags import CLUSTER_NAME
from nodewright.aws.telling import tell_template
from nodewright.aws.template import NAME_PREFIX
from nodewright.aws.terms import a_filter
from nodewright.model.labels import EC2NODECLASS
from nodewright.ports.clock import Clock

UNUSED_MS: Final = 60_000
_PAGE: Final = 200
THERE_ALREADY: Final = "InvalidLaunchTemplateName.AlreadyExistsException"


class Templates:
    """The templates of a cluster, by name, with the instant at which each was last needed."""

    def __init__(self, gateway: Gateway, clock: Clock, cluster: str) -> None:
        self._gateway = gateway
        self._clock = clock
        self._cluster = cluster
        self._needed_ms: dict[str, int] = {}
        self._made: set[str] = set()

    async def ensure(self, request: dict[str, Any]) -> str | Fault:
        """Make a template unless it is there, and give its name."""
        name = str(request["LaunchTemplateName"])
        self._needed_ms[name] = self._clock.now_ms()
        if name in self._made:
            return name
        answer = await self._gateway.ask(CREATE_LAUNCH_TEMPLATE, request)
        if not isinstance(answer, Fault):
            tell_template(name, answer)
        elif answer.code != THERE_ALREADY:
            return answer
        self._made.add(name)
        return name

    def forget(self, names: set[str]) -> None:
        """Take note that templates are not there, although we thought so."""
        self._made -= names

    async def collect(self) -> int | Fault:
        """Delete those that nobody has needed for a minute, whoever made them; give how many."""
        names = await _names(self._gateway, self._cluster)
        if isinstance(names, Fault):
            return names
        now_ms = self._clock.now_ms()
        self._needed_ms = {name: self._needed_ms.get(name, now_ms) for name in names | self._made}
        deleted = 0
        for name in sorted(names):
            if now_ms - self._needed_ms[name] < UNUSED_MS:
                continue
            self._made.discard(name)
            trouble = await _delete(self._gateway, name)
            if trouble is not None:
                return trouble
            deleted += 1
        return deleted


async def delete_templates_of(gateway: Gateway, cluster: str, node_class: str) -> Fault | None:
    """Delete every template that was made for a class."""
    names = await _names(gateway, cluster, a_filter(f"tag:{EC2NODECLASS}", node_class))
    if isinstance(names, Fault):
        return names
    for name in sorted(names):
        trouble = await _delete(gateway, name)
        if trouble is not None:
            return trouble
    return None


async def _names(gateway: Gateway, cluster: str, *more: dict[str, Any]) -> set[str] | Fault:
    # Not by a tag of ours alone: those that Karpenter has left behind are nobody else's.
    filters = [a_filter(f"tag:{CLUSTER_NAME}", cluster), *more]
    params = {"Filters": filters, "MaxResults": _PAGE}
    found = await gateway.ask_all(DESCRIBE_LAUNCH_TEMPLATES, params, "LaunchTemplates")
    if isinstance(found, Fault):
        return found
    names = {str(one["LaunchTemplateName"]) for one in found}
    return {name for name in names if name.startswith(NAME_PREFIX)}


async def _delete(gateway: Gateway, name: str) -> Fault | None:
    gone = await gateway.ask(DELETE_LAUNCH_TEMPLATE, {"LaunchTemplateName": name})
    return gone if isinstance(gone, Fault) and not gone.is_gone else None
