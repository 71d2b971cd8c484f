"""Claims and nodes at the moments of their lives that controllers look at."""

import msgspec

from builders.nodes import a_node, a_node_claim
from builders.world import NOW_MS
from nodewright.model.instant import print_instant
from nodewright.model.labels import EC2NODECLASS, TERMINATION_FINALIZER, UNREGISTERED_TAINT
from nodewright.model.metadata import Condition, Taint

SECOND_MS = 1_000
MINUTE_MS = 60_000


def ago(duration_ms):
    """Give an instant of the past as objects write it."""
    return print_instant(NOW_MS - duration_ms)


def with_meta(thing, **fields):
    """Change the metadata of an object."""
    return msgspec.structs.replace(
        thing, metadata=msgspec.structs.replace(thing.metadata, **fields)
    )


def with_spec(thing, **fields):
    """Change the spec of an object."""
    return msgspec.structs.replace(thing, spec=msgspec.structs.replace(thing.spec, **fields))


def with_status(thing, **fields):
    """Change the status of an object."""
    return msgspec.structs.replace(thing, status=msgspec.structs.replace(thing.status, **fields))


def with_conditions(thing, since=None, **statuses):
    """Set conditions of an object by type; the others stay."""
    since = since or ago(MINUTE_MS)
    kept = [one for one in thing.status.conditions if one.type not in statuses]
    new = [
        Condition(type=kind, status=status, reason=kind, last_transition_time=since)
        for kind, status in statuses.items()
    ]
    return with_status(thing, conditions=(*kept, *new))


def a_claim(name="claim", *, age_ms=MINUTE_MS, true=(), **traits):
    """A claim with our finalizer, of some age, with these conditions true."""
    claim = a_node_claim(name, **traits)
    claim = with_status(claim, conditions=())
    if "Launched" not in true:
        claim = with_status(claim, provider_id="", capacity={}, allocatable={}, node_name="")
    claim = with_meta(
        claim,
        creation_timestamp=ago(age_ms),
        finalizers=(TERMINATION_FINALIZER,),
        resource_version="7",
        generation=1,
    )
    return with_conditions(claim, **dict.fromkeys(true, "True"))


def a_new_node(claim, *taints, name="node"):
    """The node of a claim's machine as its kubelet registers it: not ours yet."""
    node = a_node(name, taints=(Taint(key=UNREGISTERED_TAINT, effect="NoExecute"), *taints))
    return with_meta(with_spec(node, provider_id=claim.status.provider_id), resource_version="3")


def a_registered_pair(name="node", *, true=("Launched", "Registered"), **traits):
    """A registered node with our finalizer, and its claim."""
    node = a_node(name, pool="default", initialized="Initialized" in true, **traits)
    labels = {EC2NODECLASS: "default", **node.metadata.labels}
    node = with_meta(node, finalizers=(TERMINATION_FINALIZER,), resource_version="3", labels=labels)
    return node, a_claim(f"claim-of-{name}", true=true, node=node)


def kinds_of(decisions):
    """Give what is to be done, in order, each as (kind, name of the subject)."""
    return [(one.kind, one.subject.name) for one in decisions]
