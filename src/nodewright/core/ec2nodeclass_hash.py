"""Fingerprints of EC2NodeClasses: what machines of a class are stamped with, and the class itself.

Claims bring theirs from their launch. One that has none of our making, because another controller
made it or a launch was not answered, gets that of its class as it is now, unless it has drifted already:
no node looks drifted because we count differently, and none is forgiven.
"""

from collections.abc import Iterator

from nodewright.model.classfacts import ClassFacts
from nodewright.model.decision import Change, rest_on
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.hashing import EC2NODECLASS_HASH, EC2NODECLASS_HASH_VERSION, HASH_VERSION
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODE_CLASSES, refer


def stamp_ec2_class(
    node_class: EC2NodeClass, facts: ClassFacts, claims: list[NodeClaim]
) -> Iterator[Change]:
    """Give the stamps that a class's claims lack, and once they have them, the class's own."""
    if not facts.fingerprint:
        return
    wanted = {EC2NODECLASS_HASH: facts.fingerprint, EC2NODECLASS_HASH_VERSION: HASH_VERSION}
    old = [one for one in claims if _lacks_stamp(one)]
    for claim in old:
        change = dict(wanted)
        if any(one.type == "Drifted" for one in claim.status.conditions):
            del change[EC2NODECLASS_HASH]
        yield Change(
            subject=refer(NODE_CLAIMS, claim),
            reason="HashVersion",
            basis=rest_on((NODE_CLAIMS, claim), (NODE_CLASSES, node_class)),
            change={"metadata": {"annotations": change}},
        )
    known = node_class.metadata.annotations
    if not old and any(known.get(name) != value for name, value in wanted.items()):
        yield Change(
            subject=refer(NODE_CLASSES, node_class),
            reason="Hash",
            basis=rest_on((NODE_CLASSES, node_class)),
            change={"metadata": {"annotations": wanted}},
        )


def _lacks_stamp(claim: NodeClaim) -> bool:
    is_launched = bool(claim.status.provider_id) and claim.metadata.deletion_timestamp is None
    return is_launched and claim.metadata.annotations.get(EC2NODECLASS_HASH_VERSION) != HASH_VERSION
