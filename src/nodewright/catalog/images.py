"""Which image of a class a machine is started from: the first of its list that fits the type."""

from collections.abc import Iterable

from nodewright.model.ec2nodeclass import AMIStatus
from nodewright.model.instance import InstanceType
from nodewright.model.requirements import Requirements


def image_for(kind: InstanceType, images: Iterable[AMIStatus]) -> AMIStatus | None:
    """Give the first image of a class that fits a type."""
    for one in images:
        wanted = Requirements.from_expressions(one.requirements)
        if kind.requirements.clash(wanted, frozenset()) is None:
            return one
    return None
