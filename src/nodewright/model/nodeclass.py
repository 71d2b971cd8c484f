"""NodeClasses of the kinds that we serve, under one name; those of others are left alone."""

from typing import Any, Final

from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kwoknodeclass import KWOKNodeClass
from nodewright.model.nodepool import NodeClassRef
from nodewright.model.resource import KWOK_NODE_CLASSES, NODE_CLASSES, Resource

type NodeClass = EC2NodeClass | KWOKNodeClass
type ClassKey = tuple[str, str, str]
"""Group, kind and name of a class."""

CLASS_KINDS: Final[tuple[Resource[Any], ...]] = (NODE_CLASSES, KWOK_NODE_CLASSES)
CLASS_LABELS: Final = tuple(f"{one.group}/{one.kind.lower()}" for one in CLASS_KINDS)


def kind_of(node_class: NodeClass) -> Resource[Any]:
    """Give the kind of a class."""
    return NODE_CLASSES if isinstance(node_class, EC2NodeClass) else KWOK_NODE_CLASSES


def class_key(node_class: NodeClass) -> ClassKey:
    """Give the name under which pools and claims speak of a class."""
    kind = kind_of(node_class)
    return (kind.group, kind.kind, node_class.metadata.name)


def key_of_reference(reference: NodeClassRef) -> ClassKey:
    """Give the name of the class that a pool or claim speaks of."""
    return (reference.group, reference.kind, reference.name)


def find_kind(reference: NodeClassRef) -> Resource[Any] | None:
    """Give the kind that a pool or claim speaks of, or nothing where others serve it."""
    for one in CLASS_KINDS:
        if (one.group, one.kind) == (reference.group, reference.kind):
            return one
    return None
