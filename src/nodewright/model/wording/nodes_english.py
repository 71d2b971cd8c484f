"""English: the page of every reason why a node stays or goes: its title, what it means, what to do."""

from collections.abc import Mapping
from typing import Final

PAGES: Final[Mapping[str, tuple[str, str, str]]] = {
    "NW-4001": (
        "the node belongs to no NodeClaim",
        (
            "Nodes without a NodeClaim belong to somebody else: a managed node group, another "
            "autoscaler, or hands. They take pods of nodes that go, and are never taken away."
        ),
        "Nothing; delete the node by hand if it is not needed.",
    ),
    "NW-4002": (
        "the claim has no node yet",
        "The claim is launched or waits for its machine.",
        "Wait; a claim that does not become a node is given up after 15 minutes.",
    ),
    "NW-4003": (
        "the node has not finished starting",
        "A node that starts is not judged by what runs on it yet.",
        "Wait; `kubectl describe nodeclaim` says which taint or resource is awaited.",
    ),
    "NW-4004": (
        "the node is going away already",
        "Its claim or node is being deleted, or its machine is ending.",
        "Nothing; its pods are planned for.",
    ),
    "NW-4005": (
        "the node is part of a command that is running",
        (
            "A node is in one command at a time. The command waits for its replacements, and is"
            " undone if they do not come."
        ),
        "Nothing; the answer changes when the command is done.",
    ),
    "NW-4006": (
        "pods are expected on the node",
        "Pods that wait, or that move in the same answer, were promised room on this node.",
        "Nothing; it is asked again when they run.",
    ),
    "NW-4007": (
        "the node asks not to be disrupted",
        (
            'The annotation karpenter.sh/do-not-disrupt: "true" on a node keeps it from being '
            "disrupted of our own will."
        ),
        "Take the annotation off the node.",
    ),
    "NW-4008": (
        "a pod asks not to be disrupted",
        (
            "A pod with karpenter.sh/do-not-disrupt (true, or a duration that is not over) "
            "keeps its node, daemon pods included."
        ),
        (
            "Take the annotation off the pod, or give it a duration; a terminationGracePeriod "
            "lets drift pass over it."
        ),
    ),
    "NW-4009": (
        "a PodDisruptionBudget lets a pod not go",
        (
            "The budget has no disruption left, or the pod is matched by more than one budget, "
            "which the eviction API refuses always."
        ),
        "Raise the budget or the number of replicas; let each pod be matched by one budget.",
    ),
    "NW-4010": (
        "the node's NodePool cannot be used",
        (
            "The NodePool was deleted, or its instance types cannot be listed, so nobody knows "
            "what could replace the node."
        ),
        "Bring the NodePool back, or delete the node.",
    ),
    "NW-4011": (
        "the node's price cannot be told",
        (
            "Instance type, zone or capacity type of the node cannot be found in its NodePool's"
            " price list, so no saving can be told."
        ),
        ("Look whether the NodePool still offers the type; drift takes the node when it does not."),
    ),
    "NW-4012": (
        "the node holds room for a CapacityBuffer",
        "A CapacityBuffer counts on the room of this node.",
        "Nothing, if the buffer is meant; otherwise make it smaller.",
    ),
    "NW-4013": (
        "the node holds the last healthy replicas of a workload",
        ("Nodes that go together may not hold all healthy replicas of one workload between them."),
        ("Nothing; it goes when replicas run elsewhere. A second replica on another node helps."),
    ),
    "NW-4014": (
        "pods that a pod must be near are moving",
        (
            "A pod of the node has a required affinity to pods that are moved by another command. It"
            " waits until they have arrived, so that it has a place even if that command fails."
        ),
        "Nothing; the node is looked at again when they have arrived.",
    ),
    "NW-4101": (
        "the NodePool's budgets allow no disruption now",
        "A budget that holds now allows no node to go for this reason.",
        (
            "Wait for the end of its window, or change the budget; `nodewright explain budgets`"
            " shows the week."
        ),
    ),
    "NW-4102": (
        "the NodePool's budget is used up",
        (
            "As many nodes as the budget allows are going, are not ready, or were chosen before"
            " this one."
        ),
        "Wait, or raise the budget; nodes that are not ready count as used.",
    ),
    "NW-4103": (
        "a budget of the NodePool cannot be read",
        (
            "A schedule, a duration or a number of a budget cannot be read. Then the pool "
            "allows nothing, for no reason."
        ),
        "Mend the budget; `nodewright lint` says where it is wrong.",
    ),
    "NW-4104": (
        "pods came or went too lately",
        (
            "consolidateAfter (or a timer of a NodePolicy) asks for a quiet time after the last"
            " pod came or went."
        ),
        "Wait, or shorten the time.",
    ),
    "NW-4105": (
        "consolidation is switched off",
        "consolidateAfter or a timer of a NodePolicy is Never.",
        "Set a duration to switch consolidation on.",
    ),
    "NW-4106": (
        "only empty nodes of the NodePool may go",
        "consolidationPolicy is WhenEmpty, and pods run on the node.",
        "Set WhenEmptyOrUnderutilized to move pods for money.",
    ),
    "NW-4107": (
        "the node is too young",
        "minNodeAge of a NodePolicy protects young nodes.",
        "Wait, or lower minNodeAge.",
    ),
    "NW-4108": (
        "disruption is paused",
        (
            "A NodePolicy has a pause that is not over. Expiration, repair and deletion by hand"
            " go on."
        ),
        "Wait until it ends, or take the pause out.",
    ),
    "NW-4109": (
        "as many nodes as allowed went lately",
        "A rate of a NodePolicy allows so many nodes in a length of time.",
        "Wait, or raise the rate.",
    ),
    "NW-4110": (
        "the last wave must stay healthy first",
        (
            "Drift goes in waves: the nodes of one wave must come up and stay healthy before "
            "the next begins."
        ),
        "Wait for the soak time.",
    ),
    "NW-4111": (
        "the waves are halted",
        (
            "More replacements of a wave failed than failuresMax allows. Nothing more of this "
            "pool drifts until the template changes."
        ),
        "Mend the template or the NodeClass; a new template starts new waves.",
    ),
    "NW-4112": (
        "replacements of the NodePool failed lately",
        (
            "Replacements of the pool did not come up. It is left alone for a while, longer "
            "each time, so that other pools get their turn."
        ),
        "Look at the events of its NodeClaims; capacity may be missing.",
    ),
    "NW-4113": (
        "a NodePolicy does not allow such a move",
        "`moves` of a NodePolicy lists the kinds of moves that are allowed.",
        "Add the kind to the list.",
    ),
    "NW-4114": (
        "the same move was made and undone lately",
        (
            "The same types of the same pool were swapped the other way round within the hour. "
            "Something brings the first ones back."
        ),
        ("Look at what launches the dearer type: a limit, a shortage, or pods that come and go."),
    ),
    "NW-4201": (
        "pods of the node would find no place",
        (
            "With the node gone, this pod would find no place: no node has room, and no "
            "NodePool can make one for it."
        ),
        "`nodewright explain pod/NS/NAME` says what each pool lacks.",
    ),
    "NW-4202": (
        "nothing cheaper was found",
        (
            "Every other place for its pods was tried: room elsewhere, one cheaper node, and "
            "cheaper nodes together with others."
        ),
        "Nothing; it is tried again when the cluster or prices change.",
    ),
    "NW-4203": (
        "a move would not pay for itself in time",
        (
            "Moving pods and running old and new nodes side by side costs more than the saving "
            "earns in the pay-back time."
        ),
        "Set `payback` of a NodePolicy to a longer time, or to 0s for any saving.",
    ),
    "NW-4204": (
        "spot nodes are not replaced by spot nodes",
        (
            "Replacing a spot node by another can raise the risk of interruption, so it needs "
            "the feature gate."
        ),
        "Set the feature gate SpotToSpotConsolidation.",
    ),
    "NW-4205": (
        "too few cheaper spot types",
        (
            "One spot node is replaced only if at least 15 cheaper types are left, or it would "
            "be replaced again and again."
        ),
        "Allow more instance types in the NodePool.",
    ),
    "NW-4206": (
        "a Balanced NodePool saves too little for what would move",
        "A Balanced pool wants half of the average saving for what is moved.",
        "Use WhenEmptyOrUnderutilized to take smaller savings too.",
    ),
    "NW-4207": (
        "the NodePool keeps a fixed number of nodes",
        "A NodePool with replicas is never consolidated; its nodes take pods of others.",
        "Lower replicas.",
    ),
    "NW-4208": (
        "the NodePool's limit leaves no room for a replacement",
        "A drifted node of a static pool is replaced one for one, and the limit is reached.",
        "Raise limits.nodes by the number that may be replaced at once.",
    ),
    "NW-4209": (
        "the search ended before the node was tried",
        "One look tries a limited number of groups, and very many did not pay.",
        "Nothing: nodes that were not tried are as they were, and the next look begins anew.",
    ),
    "NW-4301": (
        "the node is empty",
        "No pod would have to move.",
        "Nothing.",
    ),
    "NW-4302": (
        "the node no longer matches its NodePool or NodeClass",
        (
            "The template of its NodePool, a requirement, its type's offer or its NodeClass has"
            " changed since it was made."
        ),
        "Nothing; it is replaced within budgets.",
    ),
    "NW-4303": (
        "the node's pods have room elsewhere or on cheaper nodes",
        "The same pods cost less without it.",
        "Nothing.",
    ),
    "NW-4304": (
        "the node is older than it may be",
        "expireAfter is over. Budgets do not hold it.",
        "Nothing; a longer expireAfter lets nodes live longer.",
    ),
    "NW-4305": (
        "the node has been unhealthy for too long",
        (
            "A condition of the node has been bad for longer than is tolerated, and few nodes "
            "of its pool are."
        ),
        "Look at the node's conditions if it happens often.",
    ),
}
