"""Why a node stays or goes, in words: one sentence a reason, in English and in Korean."""

from collections.abc import Mapping
from typing import Final

from nodewright.model.disruption import Kept
from nodewright.model.keeping import Keeping as Why
from nodewright.model.wording import Count, Language

ENGLISH: Final[Mapping[Why, str]] = {
    Why.NOT_OURS: "no NodeClaim stands for the node, so it is not ours to take away",
    Why.NO_NODE: "the claim has no node yet",
    Why.NOT_INITIALIZED: "the node has not finished starting (karpenter.sh/initialized is not true)",
    Why.GOING: "the node is going away already",
    Why.IN_COMMAND: "the node is part of command {command}, which is running",
    Why.NOMINATED: "pods are expected on the node",
    Why.NODE_PROTECTED: "the node is annotated karpenter.sh/do-not-disrupt",
    Why.POD_PROTECTED: "pod {pod}{more} is annotated karpenter.sh/do-not-disrupt",
    Why.PDB_BLOCKS: "PodDisruptionBudget {budget} does not let pod {pod}{more} go",
    Why.POOL_UNKNOWN: "NodePool {pool} is not there, or has no instance types",
    Why.LABELS_MISSING: "label {label} is missing or names nothing that the NodePool sells",
    Why.BUFFER_HELD: "the node holds room that a CapacityBuffer keeps",
    Why.LAST_REPLICAS: "the last healthy replicas of {workload} would go with it",
    Why.COMPANY_MOVES: "{pod} must be near pods that are moving",
    Why.BUDGET_CLOSED: "budget {budget} of NodePool {pool} lets no node go for {reason} now",
    Why.BUDGET_SPENT: (
        "the budget of NodePool {pool} is used up: {allowed} of {total} nodes may go at once, {used} "
        "are going, and others come first"
    ),
    Why.BUDGET_BROKEN: "a budget of NodePool {pool} cannot be read, so it allows nothing: {problem}",
    Why.TOO_BUSY: "pods came or went less than {wait} ago",
    Why.SWITCHED_OFF: "consolidation of NodePool {pool} is switched off (Never)",
    Why.ONLY_EMPTY: "NodePool {pool} gives up empty nodes only (WhenEmpty)",
    Why.TOO_YOUNG: "the node is younger than {least}",
    Why.PAUSED: "a NodePolicy has paused disruption: {why}",
    Why.RATE_REACHED: "as many nodes of NodePool {pool} as allowed went lately",
    Why.WAVE_SOAKS: "the present wave of {size:node} of NodePool {pool} must stay healthy first",
    Why.WAVE_HALTED: "the waves of NodePool {pool} are halted: {failed:replacement} failed",
    Why.BACKING_OFF: "replacements of NodePool {pool} failed {failures:time} in a row",
    Why.MOVE_NOT_ALLOWED: "a NodePolicy does not allow the move {move}",
    Why.CHURNING: "{before} would become {after}, and the reverse was done less than an hour ago",
    Why.NO_ROOM: "pod {pod}{more} would find no place",
    Why.NOTHING_CHEAPER: "nothing cheaper than its {price} an hour was found for its pods",
    Why.NOT_WORTH_IT: "moving {pods:pod} costs {cost} and saves {savings} an hour, which takes too long",
    Why.SPOT_TO_SPOT_OFF: "spot is not replaced by spot (feature gate SpotToSpotConsolidation)",
    Why.TOO_FEW_SPOT_TYPES: "a cheaper spot node needs {need} types to choose from, and there are {have}",
    Why.SCORE_TOO_LOW: "the best move scores {score}, and Balanced NodePool {pool} asks for 0.50",
    Why.STATIC: "NodePool {pool} keeps a fixed number of nodes",
    Why.NO_SPARE_NODE: "limits.nodes of NodePool {pool} leaves no room for a replacement",
    Why.NOT_REACHED: "the search ended after {tries:try} before the node was tried; it goes on with the next",
    Why.EMPTY: "the node is empty",
    Why.DRIFTED: "the node has drifted: {why}",
    Why.UNDERUTILIZED: "its pods have room elsewhere or on cheaper nodes",
    Why.EXPIRED: "the node is older than it may be: {why}",
    Why.UNHEALTHY: "the node has been unhealthy for too long: {why}",
}

KOREAN: Final[Mapping[Why, str]] = {
    Why.NOT_OURS: "이 노드에 해당하는 NodeClaim이 없어 우리가 제거할 수 없습니다",
    Why.NO_NODE: "클레임에 아직 노드가 없습니다",
    Why.NOT_INITIALIZED: "노드가 아직 시작을 마치지 않았습니다 (karpenter.sh/initialized가 true가 아님)",
    Why.GOING: "노드가 이미 제거되는 중입니다",
    Why.IN_COMMAND: "노드가 실행 중인 명령 {command}에 속해 있습니다",
    Why.NOMINATED: "이 노드로 올 파드가 있습니다",
    Why.NODE_PROTECTED: "노드에 karpenter.sh/do-not-disrupt 애너테이션이 있습니다",
    Why.POD_PROTECTED: "파드 {pod}{more}에 karpenter.sh/do-not-disrupt 애너테이션이 있습니다",
    Why.PDB_BLOCKS: "PodDisruptionBudget {budget}이(가) 파드 {pod}{more}를 내보내지 않습니다",
    Why.POOL_UNKNOWN: "NodePool {pool}이(가) 없거나 인스턴스 유형이 없습니다",
    Why.LABELS_MISSING: "레이블 {label}이 없거나 NodePool이 팔지 않는 것을 가리킵니다",
    Why.BUFFER_HELD: "노드가 CapacityBuffer의 여유 공간을 갖고 있습니다",
    Why.LAST_REPLICAS: "{workload}의 마지막 정상 복제본이 함께 사라집니다",
    Why.COMPANY_MOVES: "{pod} 파드가 가까이 있어야 하는 파드들이 옮겨지고 있습니다",
    Why.BUDGET_CLOSED: "NodePool {pool}의 예산 {budget}이 지금은 {reason} 사유로 노드를 내보내지 않습니다",
    Why.BUDGET_SPENT: (
        "NodePool {pool}의 예산을 다 썼습니다: 노드 {total}개 중 {allowed}개까지 동시에 나갈 수 있고 {used}개가 나가고 "
        "있으며 다른 노드가 먼저입니다"
    ),
    Why.BUDGET_BROKEN: "NodePool {pool}의 예산을 읽을 수 없어 아무것도 허용하지 않습니다: {problem}",
    Why.TOO_BUSY: "파드가 오가거나 한 지 {wait}이(가) 지나지 않았습니다",
    Why.SWITCHED_OFF: "NodePool {pool}의 통합이 꺼져 있습니다 (Never)",
    Why.ONLY_EMPTY: "NodePool {pool}은(는) 빈 노드만 내보냅니다 (WhenEmpty)",
    Why.TOO_YOUNG: "노드가 {least}보다 젊습니다",
    Why.PAUSED: "NodePolicy가 중단을 멈추었습니다: {why}",
    Why.RATE_REACHED: "NodePool {pool}에서 최근 허용된 만큼의 노드가 나갔습니다",
    Why.WAVE_SOAKS: "NodePool {pool}의 현재 물결(노드 {size}개)이 먼저 정상이어야 합니다",
    Why.WAVE_HALTED: "NodePool {pool}의 물결이 멈추었습니다: 교체 {failed}건이 실패했습니다",
    Why.BACKING_OFF: "NodePool {pool}의 교체가 연달아 {failures}번 실패했습니다",
    Why.MOVE_NOT_ALLOWED: "NodePolicy가 {move} 이동을 허용하지 않습니다",
    Why.CHURNING: "{before}이(가) {after}이(가) 되는데, 한 시간 안에 반대 교체가 있었습니다",
    Why.NO_ROOM: "파드 {pod}{more}가 갈 곳이 없습니다",
    Why.NOTHING_CHEAPER: "파드들에게 시간당 {price}보다 싼 곳을 찾지 못했습니다",
    Why.NOT_WORTH_IT: "파드 {pods}개를 옮기면 {cost}이 들고 시간당 {savings}을 아끼므로 너무 오래 걸립니다",
    Why.SPOT_TO_SPOT_OFF: "스팟을 스팟으로 바꾸지 않습니다 (기능 게이트 SpotToSpotConsolidation)",
    Why.TOO_FEW_SPOT_TYPES: "더 싼 스팟 노드에는 유형 {need}개가 필요한데 {have}개뿐입니다",
    Why.SCORE_TOO_LOW: "가장 좋은 이동의 점수가 {score}이고 Balanced NodePool {pool}은(는) 0.50을 요구합니다",
    Why.STATIC: "NodePool {pool}은(는) 노드 수를 고정합니다",
    Why.NO_SPARE_NODE: "NodePool {pool}의 limits.nodes에 교체할 여유가 없습니다",
    Why.NOT_REACHED: "{tries}번 시도한 뒤 탐색이 끝나 이 노드는 시도하지 못했습니다. 다음 탐색에서 이어집니다",
    Why.EMPTY: "노드가 비어 있습니다",
    Why.DRIFTED: "노드가 어긋났습니다: {why}",
    Why.UNDERUTILIZED: "파드들이 다른 곳이나 더 싼 노드로 갈 수 있습니다",
    Why.EXPIRED: "노드가 허용된 수명을 넘겼습니다: {why}",
    Why.UNHEALTHY: "노드가 너무 오래 비정상입니다: {why}",
}

_SENTENCES: Final[Mapping[Language, Mapping[Why, str]]] = {"en": ENGLISH, "ko": KOREAN}
_MORE: Final[Mapping[Language, str]] = {"en": " and {others} more", "ko": " 외 {others}개"}


def kept_sentence(kept: Kept, language: Language = "en") -> str:
    """Say why a node stays or goes, in a clause that names the thing and the number."""
    values: dict[str, str | int] = {
        name: Count(one) if isinstance(one, int) else one for name, one in kept.values.items()
    }
    others = values.get("others", 0)
    values["more"] = _MORE[language].format(others=others) if others else ""
    for name in ("pod", "budget", "pool", "why"):
        values.setdefault(name, "")
    return _SENTENCES[language][kept.reason].format_map(values)
