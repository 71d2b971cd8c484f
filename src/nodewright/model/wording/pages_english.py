"""English: the page of every scheduling verdict: its title, what it means, what to do."""

from collections.abc import Mapping
from typing import Final

PAGES: Final[Mapping[str, tuple[str, str, str]]] = {
    "NW-1001": (
        "the pod cannot be read",
        (
            "A field of the pod has a value that nothing can be done with, such as an amount that is "
            "no quantity. Only this pod is left out; all others are planned."
        ),
        "Mend the field that the message names in the workload's pod template.",
    ),
    "NW-1002": (
        "a volume of the pod cannot be used",
        (
            "A PersistentVolumeClaim is missing, lost, being deleted or not bound, or its volumes lie "
            "apart from each other. No node could run the pod."
        ),
        (
            "Create or bind the claim that the message names. A StorageClass with "
            "volumeBindingMode WaitForFirstConsumer lets the volume follow the pod."
        ),
    ),
    "NW-1003": (
        "the pod asks for a label that belongs to the autoscaler",
        (
            "Keys under karpenter.sh and karpenter.k8s.aws that are not well known, and "
            "kubernetes.io/hostname, are set by the autoscaler. A new node cannot be asked for by them."
        ),
        "Select by a well-known label, or by one that a NodePool defines in its template.",
    ),
    "NW-1004": (
        "the pod asks not to run on nodes that are made for it",
        (
            "A node affinity on karpenter.sh/nodepool with DoesNotExist keeps the pod on nodes that "
            "others manage."
        ),
        "Nothing, if that is meant; otherwise take the expression out of the node affinity.",
    ),
    "NW-1005": (
        "the pod asks for devices by resource claim",
        "Dynamic resource allocation is not planned for yet.",
        "Ask for an extended resource (such as nvidia.com/gpu) instead.",
    ),
    "NW-1006": (
        "a volume that only one pod may use is in use",
        "The claim's access mode is ReadWriteOncePod, and another pod has it.",
        "Wait until the other pod has gone, or use a claim of its own.",
    ),
    "NW-1007": (
        "a node selector or affinity of the pod cannot be read",
        "An operator is unknown, values are missing, or matchFields picks a node by name.",
        "Mend the expression that the message names.",
    ),
    "NW-1008": (
        "the pod is not waiting for a node",
        (
            "It runs, has ended, is held by a scheduling gate, has a node in prospect, or belongs to a "
            "DaemonSet, whose pods follow nodes and never cause one."
        ),
        "Nothing. For a gate, look at the controller that put it there.",
    ),
    "NW-1101": (
        "there is no NodePool that could make a node",
        "No existing node takes the pod, and the cluster has no NodePool.",
        "Create a NodePool and its node class.",
    ),
    "NW-1102": (
        "the NodePool is not ready",
        (
            "It is being deleted, is static, is not valid, or its node class is not ready or served by "
            "somebody else. No nodes are made from it."
        ),
        (
            "Read the NodePool's conditions (kubectl describe nodepool NAME), and run nodewright lint "
            "on its manifest."
        ),
    ),
    "NW-1103": (
        "the NodePool's own requirements leave no instance type",
        (
            "Taken together, the requirements describe no machine that exists. A frequent mistake is a "
            "category (c, m, t) under node.kubernetes.io/instance-type; categories belong under "
            "karpenter.k8s.aws/instance-category."
        ),
        (
            "Loosen the requirement that the message names; nodewright explain nodepool/NAME shows how "
            "many types are left after each."
        ),
    ),
    "NW-1201": (
        "a taint is not tolerated",
        "Nodes of the NodePool carry a taint that keeps pods off unless they tolerate it.",
        (
            "Add the toleration to the pod if it is meant to run there; otherwise let another NodePool "
            "serve it."
        ),
    ),
    "NW-1202": (
        "labels that the pod needs clash with what is there",
        (
            "The pod's node selector or affinity and the NodePool's requirements allow different values "
            "of one label, or the pod contradicts itself. Karpenter calls this incompatible requirements."
        ),
        "Make both agree: change the pod's selector, or allow the value in the NodePool.",
    ),
    "NW-1203": (
        "the pod needs a label that nothing defines",
        (
            "The label is neither well known nor in the NodePool's template, so no new node will have "
            "it. Often it is a spelling mistake."
        ),
        "Mend the key, or add the label to spec.template.metadata.labels of the NodePool.",
    ),
    "NW-1204": (
        "no instance type is large enough",
        (
            "After daemon pods and what the system keeps, no type that the NodePool and the pod both "
            "allow has as much left as the pod asks for."
        ),
        "Ask for as much as the nearest miss has, or allow larger types in the NodePool.",
    ),
    "NW-1205": (
        "no offering is available",
        (
            "Types that fit exist, but the cloud has none of them now in the zones and capacity types "
            "that are allowed (insufficient capacity errors), or no subnet reaches the zone."
        ),
        (
            "Allow more zones, more types or another capacity type. Unavailable offerings are tried "
            "again after a few minutes."
        ),
    ),
    "NW-1206": (
        "the pod's volume lies elsewhere",
        "A volume can be reached from its own zone only, and the pod or the NodePool excludes it.",
        "Allow the volume's zone in the NodePool, or take the zone out of the pod's selector.",
    ),
    "NW-1207": (
        "a host port is taken",
        (
            "Two pods of one node cannot open the same host port; here a daemon pod has it on every "
            "node."
        ),
        "Use a Service instead of a host port, or another port.",
    ),
    "NW-1208": (
        "minValues asks for more choice than is left",
        (
            "The NodePool wants that many different values of a label among the types of a node, and "
            "what the pod needs leaves fewer."
        ),
        "Lower minValues, widen the requirement, or set the policy to BestEffort.",
    ),
    "NW-1209": (
        "the NodePool's limits are reached",
        (
            "One more node would exceed spec.limits, counting nodes that exist and nodes planned in this "
            "pass."
        ),
        "Raise the limit, or let another NodePool serve the pod.",
    ),
    "NW-1210": (
        "the node has too little left",
        "What the node's pods and daemon pods ask for leaves less than this pod asks for.",
        "Nothing: a new node is made where a NodePool can.",
    ),
    "NW-1211": (
        "the node can attach no more volumes",
        "The CSI driver's limit for this node is reached.",
        "Nothing: a new node is made where a NodePool can.",
    ),
    "NW-1212": (
        "no instance type has the labels that the pod needs",
        (
            "Each label is fine by itself or misspelt, but no type that can be had carries them, or "
            "carries them all at once."
        ),
        "Look at the values that types do have: nodewright catalog lists them.",
    ),
    "NW-1213": (
        "no instance type has a resource that the pod asks for",
        (
            "The resource is not reported by any type that the NodePool allows: "
            "vpc.amazonaws.com/pod-eni needs a type with branch interfaces, vpc.amazonaws.com/efa one "
            "with EFA, GPUs a GPU family."
        ),
        (
            "Allow such types in the NodePool, give the resource to types with a NodeOverlay, or stop "
            "asking for it."
        ),
    ),
    "NW-1214": (
        "daemon pods alone fill every instance type",
        "DaemonSets that would run on the NodePool's nodes ask for more than any of its types has.",
        "Lower what the DaemonSets ask for, keep them off these nodes, or allow larger types.",
    ),
    "NW-1215": (
        "a daemon pod has no room on its node",
        (
            "A daemon pod runs on its own node or nowhere, and that node has too little left. Nodes "
            "are made with room for all daemon sets that are known; pods of other kinds came first, or "
            "the daemon set asks for more than when the node was made."
        ),
        (
            "Let the daemon set ask for less, or give it a priority class above the other pods "
            "(system-node-critical), so that the scheduler makes room. New nodes have room for it."
        ),
    ),
    "NW-1301": (
        "a topology spread constraint cannot be met",
        (
            "Every domain in which a node could be made already has maxSkew more matching pods than the "
            "emptiest domain, in which none can be made."
        ),
        "Allow the emptiest domain in the NodePool, raise maxSkew, or use ScheduleAnyway.",
    ),
    "NW-1302": (
        "pods that it must be near to are not there",
        "A required pod affinity names pods that run nowhere where this pod could go.",
        "Start those pods first, mend the selector, or make the affinity a preference.",
    ),
    "NW-1303": (
        "pods that it must keep away from are there",
        "A required anti-affinity rules out every domain in which the pod could run.",
        "Use a finer topology key (hostname instead of zone), or make it a preference.",
    ),
    "NW-1304": (
        "pods that are there keep it away",
        (
            "Running pods have a required anti-affinity that selects this pod, in every domain in which "
            "it could run."
        ),
        "Change the other pods' anti-affinity, or the labels of this pod.",
    ),
    "NW-1401": (
        "reserved capacity is held for other pods in this pass",
        (
            "A reservation that fits is held by nodes of this pass; buying at another price now would "
            "waste it."
        ),
        "Nothing: the pod is planned again in the next pass.",
    ),
    "NW-1402": (
        "the only way to buy is a reservation that is full",
        "The pod or the NodePool allows reserved capacity only, and none is left.",
        "Allow on-demand or spot in the NodePool, or enlarge the reservation.",
    ),
    "NW-1403": (
        "room for the pod came free at the end of this pass",
        "While the plan was made cheaper, room appeared that was not there when the pod was tried.",
        "Nothing: the next pass places it.",
    ),
}
