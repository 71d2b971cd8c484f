"""Why a node is kept or goes: the closed list of reasons, with codes that never change.

`NW-40xx` the node or what is on it stands in the way, `NW-41xx` not now (a budget, a timer, a rule of a
NodePolicy), `NW-42xx` nothing better was found, `NW-43xx` it goes.
"""

from enum import Enum


class Keeping(Enum):
    """Why a node stays where it is, or why it goes."""

    NOT_OURS = ("NW-4001", "the node belongs to no NodeClaim")
    NO_NODE = ("NW-4002", "the claim has no node yet")
    NOT_INITIALIZED = ("NW-4003", "the node has not finished starting")
    GOING = ("NW-4004", "the node is going away already")
    IN_COMMAND = ("NW-4005", "the node is part of a command that is running")
    NOMINATED = ("NW-4006", "pods are expected on the node")
    NODE_PROTECTED = ("NW-4007", "the node asks not to be disrupted")
    POD_PROTECTED = ("NW-4008", "a pod asks not to be disrupted")
    PDB_BLOCKS = ("NW-4009", "a PodDisruptionBudget lets a pod not go")
    POOL_UNKNOWN = ("NW-4010", "the node's NodePool cannot be used")
    LABELS_MISSING = ("NW-4011", "the node's price cannot be told")
    BUFFER_HELD = ("NW-4012", "the node holds room for a CapacityBuffer")
    LAST_REPLICAS = ("NW-4013", "the node holds the last healthy replicas of a workload")
    COMPANY_MOVES = ("NW-4014", "pods that a pod must be near are moving")
    BUDGET_CLOSED = ("NW-4101", "the NodePool's budgets allow no disruption now")
    BUDGET_SPENT = ("NW-4102", "the NodePool's budget is used up")
    BUDGET_BROKEN = ("NW-4103", "a budget of the NodePool cannot be read")
    TOO_BUSY = ("NW-4104", "pods came or went too lately")
    SWITCHED_OFF = ("NW-4105", "consolidation is switched off")
    ONLY_EMPTY = ("NW-4106", "only empty nodes of the NodePool may go")
    TOO_YOUNG = ("NW-4107", "the node is too young")
    PAUSED = ("NW-4108", "disruption is paused")
    RATE_REACHED = ("NW-4109", "as many nodes as allowed went lately")
    WAVE_SOAKS = ("NW-4110", "the last wave must stay healthy first")
    WAVE_HALTED = ("NW-4111", "the waves are halted")
    BACKING_OFF = ("NW-4112", "replacements of the NodePool failed lately")
    MOVE_NOT_ALLOWED = ("NW-4113", "a NodePolicy does not allow such a move")
    CHURNING = ("NW-4114", "the same move was made and undone lately")
    NO_ROOM = ("NW-4201", "pods of the node would find no place")
    NOTHING_CHEAPER = ("NW-4202", "nothing cheaper was found")
    NOT_WORTH_IT = ("NW-4203", "a move would not pay for itself in time")
    SPOT_TO_SPOT_OFF = ("NW-4204", "spot nodes are not replaced by spot nodes")
    TOO_FEW_SPOT_TYPES = ("NW-4205", "too few cheaper spot types")
    SCORE_TOO_LOW = ("NW-4206", "a Balanced NodePool saves too little for what would move")
    STATIC = ("NW-4207", "the NodePool keeps a fixed number of nodes")
    NO_SPARE_NODE = ("NW-4208", "the NodePool's limit leaves no room for a replacement")
    NOT_REACHED = ("NW-4209", "the search ended before the node was tried")
    EMPTY = ("NW-4301", "the node is empty")
    DRIFTED = ("NW-4302", "the node no longer matches its NodePool or NodeClass")
    UNDERUTILIZED = ("NW-4303", "the node's pods have room elsewhere or on cheaper nodes")
    EXPIRED = ("NW-4304", "the node is older than it may be")
    UNHEALTHY = ("NW-4305", "the node has been unhealthy for too long")

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        self.sentence = sentence
