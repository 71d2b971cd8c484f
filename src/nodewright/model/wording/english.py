"""English: the sentence of every kind of cause and change, and the words around them."""

from collections.abc import Mapping
from typing import Final

CAUSES: Final[Mapping[str, str]] = {
    "volume-in-use": (
        "volume claim {claim} may be used by 1 pod at a time, and another pod uses it"
    ),
    "ended": "the pod has ended ({phase}) and waits for no node",
    "gated": "the pod is held back by {count:scheduling gate}: {gates}",
    "nominated": "the scheduler is making room for the pod on node {node} (nominatedNodeName)",
    "follows-nodes": "the pod belongs to {owner}: it follows its node, and no node is made for it",
    "not-tried": (
        "the scheduler has not said yet that the pod fits nowhere (it has no PodScheduled condition "
        "with reason Unschedulable)"
    ),
    "daemon-short": (
        "daemon pod of {daemon} has no room on node {node}: it asks for {resource} {needs}, and "
        "{has} is left, {short} too little"
    ),
    "pod-unreadable": "the pod cannot be read: {problem}",
    "pod-amount": (
        "the pod asks for {resource} {text}, which is not a quantity (like 100m, 1.5Gi or 2){hint}"
    ),
    "pod-operator": (
        "the pod selects nodes by {key} with operator {operator}, which is unknown (use In, NotIn, "
        "Exists, DoesNotExist, Gt or Lt)"
    ),
    "pod-number": (
        "the pod selects nodes by {key} {operator} {values}, and {operator} takes exactly 1 whole "
        "number"
    ),
    "match-fields": (
        "the pod's node affinity uses matchFields, which picks a node by name; use "
        "matchExpressions on labels"
    ),
    "capacity-type": "the pod asks for {key} {wanted}, and there is only {allowed}",
    "label-restricted": (
        "the pod selects nodes by {key}, which belongs to the autoscaler; select by a well-known "
        "label or one that a NodePool defines"
    ),
    "opted-out": "the pod asks for nodes without {key}, so no node is made for it",
    "device-claims": (
        "the pod asks for devices by {count:resource claim}, which is not supported; ask for an "
        "extended resource (such as nvidia.com/gpu) instead"
    ),
    "claim-missing": (
        "volume {volume} cannot be used: PersistentVolumeClaim {claim} does not exist"
    ),
    "claim-deleting": (
        "volume {volume} cannot be used: PersistentVolumeClaim {claim} is being deleted"
    ),
    "claim-lost": (
        "volume {volume} cannot be used: PersistentVolumeClaim {claim} has lost its volume"
    ),
    "claim-volume-missing": (
        "volume {volume} cannot be used: PersistentVolumeClaim {claim} is bound to PersistentVolume "
        "{other}, which does not exist"
    ),
    "claim-volume-deleting": (
        "volume {volume} cannot be used: PersistentVolume {other} of PersistentVolumeClaim {claim} "
        "is being deleted"
    ),
    "claim-binding": (
        "volume {volume} cannot be used yet: binding PersistentVolumeClaim {claim} to "
        "PersistentVolume {other} has not completed"
    ),
    "claim-no-class": (
        "volume {volume} cannot be used: PersistentVolumeClaim {claim} is not bound and names no "
        "StorageClass"
    ),
    "claim-class-missing": (
        "volume {volume} cannot be used: StorageClass {other} of PersistentVolumeClaim {claim} does "
        "not exist"
    ),
    "claim-immediate": (
        "volume {volume} cannot be used yet: PersistentVolumeClaim {claim} is not bound, and "
        "StorageClass {other} binds without waiting for a pod"
    ),
    "claim-apart": (
        "volume {volume} (PersistentVolumeClaim {claim}) lies apart from the pod's other volumes: "
        "0 places reach all of them"
    ),
    "no-pool": (
        "none of {nodes:existing node} takes the pod, and there is no NodePool that could make one"
    ),
    "pool-deleting": "the NodePool is being deleted",
    "pool-static": (
        "the NodePool has a fixed number of nodes ({count:replica}) and makes none for pods"
    ),
    "pool-unready": "the NodePool is not ready: {why}",
    "pool-foreign": "the NodePool's class is a {kind}, which another controller serves",
    "pool-amount": (
        "limit {resource} {text} of the NodePool is not a quantity (like 100m, 1.5Gi or 2){hint}"
    ),
    "pool-operator": (
        "requirement {key} of the NodePool has operator {operator}, which is unknown (use In, "
        "NotIn, Exists, DoesNotExist, Gt, Lt, Gte or Lte)"
    ),
    "pool-number": (
        "requirement {key} {operator} {values} of the NodePool is wrong: {operator} takes exactly "
        "1 whole number"
    ),
    "pool-empty": "requirement {want} leaves 0 of {before:instance type}{hint}",
    "pool-sold-out": (
        "{types:instance type} would meet the NodePool's requirements, but the cloud has none "
        "of them now: 0 of {offerings:offering} can be had, such as {example}"
    ),
    "pool-few": "minValues asks for {least} values of {key}, and only {have} can be had",
    "taint": "taint {taint} is not tolerated (the pod has {count:toleration})",
    "contradiction": "the pod contradicts itself: {first} and {second} have 0 values in common",
    "label-undefined": (
        "the pod needs {want}, and none of the NodePool's {count:label} is {key}{hint}"
    ),
    "label-clash": "the pod needs {want}, and the NodePool makes only {have}",
    "no-type-label": "none of {before:instance type} has {want}{hint}",
    "labels-together": "of the {before:instance type} left, 0 have {want} as well",
    "sold-out": (
        "{types:instance type} would do, but the cloud has none of them now: 0 of "
        "{offerings:offering} can be had, such as {example}"
    ),
    "volume-zone": "volume claim {claim} lies in {where}, and the NodePool makes nodes in {have}",
    "volume-no-type": (
        "volume claim {claim} lies in {where}, and 0 of {before:instance type} can be had there"
    ),
    "resource-short": (
        "{resource} {needs} does not fit: the roomiest of {before:instance type}, {type}, has "
        "{has} left after daemon pods, {short} too little"
    ),
    "resource-beside": (
        "{resource} {needs} does not fit beside {others}: of {before:instance type} with room "
        "for that, the roomiest, {type}, has {has} left after daemon pods, {short} too little"
    ),
    "resource-unknown": (
        "the pod asks for {resource} {needs}, and none of {before:instance type} has any"
    ),
    "daemons": (
        "daemon pods alone ask for {resource} {needs}, and the roomiest of "
        "{before:instance type}, {type}, has {has}"
    ),
    "port-daemon": (
        "daemon pods hold host port {port} on every node that could be made ({before:instance "
        "type})"
    ),
    "spread": (
        "the spread over {key} allows at most {most:pod} a domain (maxSkew {skew}), and every "
        "domain that a node could be made in is full: {counts}"
    ),
    "spread-unlabelled": (
        "the spread over {key} needs nodes with that label, and nodes of this NodePool have 0 "
        "values of it"
    ),
    "affinity": (
        "the pod must be near pods with {selector} (same {key}), and of {total:such pod} 0 are "
        "where it could go"
    ),
    "affinity-none": (
        "the pod must be near pods with {selector} (same {key}), and there are 0 such pods"
    ),
    "anti-affinity": (
        "the pod must keep away from pods with {selector} (same {key}), and each place where "
        "it could go ({domains}) has one"
    ),
    "kept-away": (
        "pods that keep away from pods with {selector} (same {key}) are in each place where "
        "this pod could go ({domains})"
    ),
    "limit": (
        "limit {resource} {limit} leaves too little: {used} in use or planned, and the "
        "smallest node for the pod, {type}, adds {needs}"
    ),
    "limit-nodes": "limit of {limit:node} is reached: {used} in use or planned",
    "min-values": (
        "minValues asks for {least} values of {key}, and the instance types that fit leave {have}"
    ),
    "reservation-held": (
        "the reserved capacity that would do ({count:capacity reservation}) is held for other "
        "pods in this pass; the next pass is its turn"
    ),
    "reservation-full": (
        "only reserved capacity would do, and 0 slots are left in {count:capacity reservation}"
    ),
    "freed-late": (
        "room for the pod came free when the other {count:pod} of this pass had places; the "
        "next pass takes it"
    ),
}

CHANGES: Final[Mapping[str, str]] = {
    "tolerate": "let the pod tolerate taint {taint}",
    "drop-label": "let the pod stop asking for {want}",
    "drop-affinity": "let the pod do without its required node affinity",
    "rename-label": "let the pod ask for {new} instead of {key}",
    "pool-rename": "let NodePool {pool} ask for {new} instead of {key}",
    "pool-allow": "allow {want} in NodePool {pool}",
    "pool-drop": "take requirement {want} out of NodePool {pool}",
    "pool-label": "give nodes of NodePool {pool} the label {label}",
    "request": "ask for {resource} {amount} instead of {needs}",
    "write-request": "write {resource} {amount} instead of {needs}",
    "drop-request": "let the pod stop asking for {resource}",
    "limit": "raise limit {resource} of NodePool {pool} from {old} to {new}",
    "min-values": "lower minValues of {key} in NodePool {pool} from {old} to {new}",
    "soften-spread": "make the pod's spread over {key} a wish (ScheduleAnyway)",
    "soften-affinity": "make the pod's affinity to pods with {selector} a wish",
    "soften-anti-affinity": "make the pod's distance from pods with {selector} a wish",
    "relabel": "take label {label} off the pod, because others keep away from it",
    "drop-port": "let the pod do without host port {port}",
    "drop-volume": "let the pod do without volume {volume}",
    "drop-devices": "let the pod do without its resource claims",
}

WORDS: Final[Mapping[str, str]] = {
    "diff.new": "new",
    "diff.same": "nothing differs from what is there",
    "diff.drifts": "{count:node} would drift",
    "diff.of": "{count} of {total:node}",
    "diff.blocked": "{count} of them blocked",
    "diff.selectors": "EC2NodeClass {name} selects otherwise: only the cloud knows what drifts by it",
    "diff.takes": "takes about {time} at present budgets",
    "diff.never": "would not be done within two weeks at present budgets",
    "diff.price": "{before} now, up to {rolling} while rolling, {after} after",
    "consolidate.took": "decided in {count} ms",
    "consolidate.go": "{count:node} can go",
    "consolidate.made": "{count:replacement}",
    "consolidate.moves": "{count:pod} to move",
    "consolidate.saves": "saves {month} a month",
    "consolidate.stay": "staying: {count:node}",
    "consolidate.reason": "reason",
    "consolidate.nodes": "nodes",
    "consolidate.becomes": "becomes",
    "consolidate.pods": "pods",
    "consolidate.saves-hour": "saves/h",
    "consolidate.more": "and {count:action} more",
    "consolidate.held": "{day} a day",
    "consolidate.holds": "{blocker} holds {count:node}",
    "consolidate.until": "may change at {when}",
    "stays": "stays",
    "goes": "goes",
    "stays.costs": "costs {day} a day",
    "stays.asked": "asked for",
    "stays.blocked-by": "blocked by",
    "stays.until": "may change at {when}",
    "stays.becomes": "its pods go to {places}",
    "stays.saves": "saves {price} an hour",
    "stays.rules": "rules",
    "stays.reasons": "reasons",
    "stays.not-Empty": "it is not empty",
    "stays.not-Drifted": "it matches its NodePool and NodeClass",
    "stays.not-Underutilized": "it is empty, or its NodePool keeps a fixed number of nodes",
    "stays.yes": "may go",
    "check.ours": "a NodeClaim stands for it",
    "check.has-node": "its claim has a node",
    "check.started": "it has finished starting",
    "check.idle": "it is part of no running command",
    "check.staying": "it is not going away already",
    "check.unexpected": "no pod is expected there",
    "check.unmarked": "it is not annotated karpenter.sh/do-not-disrupt",
    "check.pool": "its NodePool can be used",
    "check.pods": "no pod asks not to be disrupted",
    "check.guards": "PodDisruptionBudgets let its pods go",
    "budgets.nodes": "{count:node}",
    "budgets.going": "{count} of {total:node} going or not ready",
    "budgets.more": "and {count:change} more (-o json has them all)",
    "budgets.title": "nodes that may go at once",
    "budgets.none": "there is no NodePool",
    "budgets.pool": "NodePool",
    "budgets.from": "from",
    "budgets.all": "no limit",
    "budgets.now": "now",
    "and": " and ",
    "asks": "it asks",
    "behind": "no NodePool can make a node for it, and no node takes it",
    "change": "help",
    "change.costs": "then {type} {capacity} in {zone} at {price}/h (NodePool {pool})",
    "change.existing": "then existing node {node} takes it, at no cost",
    "change.extra": "{price}/h more than now",
    "change.none": "no single change was found; see each NodePool's reason",
    "change.template": "to last, it belongs in the pod template behind {owner}",
    "change.where": "JSON Patch of {target}:",
    "considered": "also fits",
    "daemons": "daemons",
    "did-you-mean": "; did you mean {name}?",
    "existing": "existing",
    "existing.none": "0 nodes",
    "existing.nodes": "{count:node}",
    "existing.most": "most free {most} on {node}",
    "fits": "with room",
    "free": "free",
    "limits": "limits",
    "limits.none": "none",
    "made": "it makes",
    "more": "and {count} more",
    "nearest": "nearest miss",
    "nearest.text": "{type}: {resource} {has} free after daemon pods, {short} short",
    "node.takes": "takes now",
    "node.refuses": "refuses",
    "node.pods": "pods",
    "on.existing": "goes onto existing node {node}",
    "on.new": "gets a new node: {type} {capacity} in {zone} at {price}/h (NodePool {pool})",
    "only": "only here",
    "plan.as-of": "as of {when}",
    "plan.behind": "{count} left behind",
    "plan.bound": "no plan can cost less than {price}/h",
    "plan.capacity": "CAPACITY",
    "plan.fill": "existing nodes that take pods ({count})",
    "plan.left": "pods left behind ({count})",
    "plan.make": "nodes to make ({count})",
    "plan.memory": "MEMORY",
    "plan.more-causes": "and {pods:more pod}, {causes:cause} (-o json lists all)",
    "plan.more-nodes": "and {count:more node} (-o json lists all)",
    "plan.more-pools": "and {count:more NodePool}",
    "plan.more-types": "{count:more type}",
    "plan.new": "{count} on new nodes",
    "plan.node": "NODE",
    "plan.nodes": "NODES +{count}",
    "plan.old": "{count} on existing nodes",
    "plan.one-type": "only this type",
    "plan.or": "OR",
    "plan.pods": "PODS",
    "plan.pool": "POOL",
    "plan.price": "$/H",
    "plan.some": "{count:pod}, ",
    "plan.took": "decided in {count} ms",
    "plan.type": "TYPE",
    "plan.waits": "waits",
    "plan.zone": "ZONE",
    "pool.behind": "{count:pod} left behind, such as {pod}: {why}",
    "pool.usable": "makes {types} of {all} instance types now",
    "pool.unusable": "makes nothing now",
    "pool.makes": "could make {type} {capacity} in {zone} at {price}/h",
    "pool.nodes": "nodes",
    "pool.planned": "+{count} planned",
    "pool.range": "cheapest {cheap} {cheap_price}/h, largest {large} (cpu {cpu}, memory {memory})",
    "runs": "runs on {node}",
    "rule.labels": "labels",
    "rule.limits": "limits",
    "rule.min-values": "minValues",
    "rule.neighbours": "neighbours",
    "rule.offerings": "on offer",
    "rule.pool": "pool",
    "rule.ports": "host ports",
    "rule.reservations": "reservations",
    "rule.taints": "taints",
    "rule.types": "types",
    "rule.volumes": "volumes",
    "shared": "shared with {count:more pod}",
    "stopped.NW-1201": "taint not tolerated",
    "stopped.NW-1202": "wrong {subject}",
    "stopped.NW-1203": "no label {subject}",
    "stopped.NW-1206": "volume elsewhere",
    "stopped.NW-1207": "host port taken",
    "stopped.NW-1210": "too little {subject}",
    "stopped.NW-1211": "no more volumes",
    "stopped.NW-1301": "spread",
    "stopped.NW-1302": "affinity",
    "stopped.NW-1303": "anti-affinity",
    "stopped.NW-1304": "kept away by other pods",
    "types-have": "; they have {values}",
    "why": "why",
    "what": "what to do",
}
