"""The closed list of reasons: one code, one name, one sentence each, the same everywhere.

`NW-10xx` the pod itself, `NW-11xx` the pools, `NW-12xx` machines, `NW-13xx` neighbours,
`NW-14xx` reserved capacity. Codes are stable for ever.
"""

from enum import Enum


class Reason(Enum):
    """Why a pod cannot run somewhere."""

    UNREADABLE_POD = ("NW-1001", "the pod cannot be read")
    VOLUME_CLAIM_BROKEN = ("NW-1002", "a volume of the pod cannot be used")
    LABEL_RESTRICTED = ("NW-1003", "the pod asks for a label that belongs to the autoscaler")
    OPTED_OUT = ("NW-1004", "the pod asks not to run on nodes that are made for it")
    DEVICE_CLAIM = ("NW-1005", "the pod asks for devices by resource claim")
    VOLUME_IN_USE = ("NW-1006", "a volume that only one pod may use is in use")
    BAD_SELECTOR = ("NW-1007", "a node selector or affinity of the pod cannot be read")
    NOT_WAITING = ("NW-1008", "the pod is not waiting for a node")
    NO_POOL = ("NW-1101", "there is no NodePool that could make a node")
    POOL_NOT_READY = ("NW-1102", "the NodePool is not ready")
    POOL_EMPTY = ("NW-1103", "the NodePool's own requirements leave no instance type")
    TAINT_NOT_TOLERATED = ("NW-1201", "a taint is not tolerated")
    LABELS_CLASH = ("NW-1202", "labels that the pod needs clash with what is there")
    LABEL_UNDEFINED = ("NW-1203", "the pod needs a label that nothing defines")
    NO_TYPE_FITS = ("NW-1204", "no instance type is large enough")
    NO_OFFERING = ("NW-1205", "no offering is available")
    VOLUME_ELSEWHERE = ("NW-1206", "the pod's volume lies elsewhere")
    PORT_TAKEN = ("NW-1207", "a host port is taken")
    TOO_FEW_CHOICES = ("NW-1208", "minValues asks for more choice than is left")
    LIMIT_REACHED = ("NW-1209", "the NodePool's limits are reached")
    NODE_FULL = ("NW-1210", "the node has too little left")
    VOLUMES_FULL = ("NW-1211", "the node can attach no more volumes")
    NO_TYPE_LABELLED = ("NW-1212", "no instance type has the labels that the pod needs")
    RESOURCE_UNKNOWN = ("NW-1213", "no instance type has a resource that the pod asks for")
    DAEMONS_TOO_LARGE = ("NW-1214", "daemon pods alone fill every instance type")
    DAEMON_NO_ROOM = ("NW-1215", "a daemon pod has no room on its node")
    SPREAD = ("NW-1301", "a topology spread constraint cannot be met")
    AFFINITY = ("NW-1302", "pods that it must be near to are not there")
    ANTI_AFFINITY = ("NW-1303", "pods that it must keep away from are there")
    KEPT_AWAY = ("NW-1304", "pods that are there keep it away")
    RESERVATION_TAKEN = ("NW-1401", "reserved capacity is held for other pods in this pass")
    RESERVATION_FULL = ("NW-1402", "the only way to buy is a reservation that is full")
    FREED_LATE = ("NW-1403", "room for the pod came free at the end of this pass")

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        self.sentence = sentence
