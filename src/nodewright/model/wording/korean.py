"""Korean: the same sentences as in English, key by key.

A value is always followed by a noun of ours, so that no particle depends on how the value ends.
"""

from collections.abc import Mapping
from typing import Final

CAUSES: Final[Mapping[str, str]] = {
    "volume-in-use": "볼륨 클레임 {claim} 사용은 한 번에 파드 1개만 가능한데 다른 파드가 사용 중입니다",
    "ended": "파드가 이미 끝났습니다({phase}). 노드를 기다리지 않습니다",
    "gated": "스케줄링 게이트 {count}개가 파드를 붙잡고 있습니다: {gates}",
    "nominated": ("스케줄러가 노드 {node} 위에 파드 자리를 만들고 있습니다 (nominatedNodeName)"),
    "follows-nodes": "{owner} 소속 파드는 노드를 따라가므로 이 파드를 위해 노드를 만들지 않습니다",
    "not-tried": (
        "스케줄러가 아직 이 파드를 놓을 곳이 없다고 하지 않았습니다 (PodScheduled 조건에 Unschedulable "
        "이유가 없음)"
    ),
    "daemon-short": (
        "데몬셋 {daemon} 파드가 노드 {node} 위에 들어가지 않습니다: {resource} {needs} 요청에 {has} 남아 "
        "{short} 부족합니다"
    ),
    "pod-unreadable": "파드를 읽을 수 없습니다: {problem}",
    "pod-amount": "파드가 요청한 {resource} 값 {text} 표기는 수량이 아닙니다 (예: 100m, 1.5Gi, 2){hint}",
    "pod-operator": (
        "파드의 노드 선택 {key} 항목에 알 수 없는 연산자 {operator} 표기가 있습니다 (In, NotIn, Exists, "
        "DoesNotExist, Gt, Lt 사용)"
    ),
    "pod-number": (
        "파드의 노드 선택 {key} {operator} {values} 항목이 잘못되었습니다: {operator} 연산자는 정수 1개만 "
        "받습니다"
    ),
    "match-fields": (
        "파드의 노드 어피니티가 matchFields로 노드를 이름으로 고릅니다. matchExpressions로 레이블을 "
        "쓰십시오"
    ),
    "capacity-type": "파드가 {key} {wanted} 값을 요청하지만 있는 값은 {allowed} 뿐입니다",
    "label-restricted": (
        "파드가 오토스케일러 소유의 {key} 레이블로 노드를 고릅니다. 잘 알려진 레이블이나 NodePool이 "
        "정의한 레이블을 쓰십시오"
    ),
    "opted-out": "파드가 {key} 레이블이 없는 노드를 요청하므로 이 파드를 위해 노드를 만들지 않습니다",
    "device-claims": (
        "파드가 리소스 클레임 {count}개로 장치를 요청하지만 지원하지 않습니다. 확장 리소스(예: "
        "nvidia.com/gpu)를 요청하십시오"
    ),
    "claim-missing": ("볼륨 {volume} 사용 불가: PersistentVolumeClaim {claim} 객체가 없습니다"),
    "claim-deleting": (
        "볼륨 {volume} 사용 불가: PersistentVolumeClaim {claim} 객체가 삭제되는 중입니다"
    ),
    "claim-lost": (
        "볼륨 {volume} 사용 불가: PersistentVolumeClaim {claim} 객체가 볼륨을 잃었습니다(Lost)"
    ),
    "claim-volume-missing": (
        "볼륨 {volume} 사용 불가: PersistentVolumeClaim {claim} 객체가 바인딩된 PersistentVolume "
        "{other} 객체가 없습니다"
    ),
    "claim-volume-deleting": (
        "볼륨 {volume} 사용 불가: PersistentVolumeClaim {claim} 객체의 PersistentVolume {other} 객체가 "
        "삭제되는 중입니다"
    ),
    "claim-binding": (
        "볼륨 {volume} 아직 사용 불가: PersistentVolumeClaim {claim} 객체와 PersistentVolume {other} "
        "객체의 바인딩이 끝나지 않았습니다"
    ),
    "claim-no-class": (
        "볼륨 {volume} 사용 불가: PersistentVolumeClaim {claim} 객체가 바인딩되지 않았고 StorageClass도 "
        "없습니다"
    ),
    "claim-class-missing": (
        "볼륨 {volume} 사용 불가: PersistentVolumeClaim {claim} 객체의 StorageClass {other} 객체가 없습니다"
    ),
    "claim-immediate": (
        "볼륨 {volume} 아직 사용 불가: PersistentVolumeClaim {claim} 객체가 바인딩되지 않았고 StorageClass "
        "{other} 설정은 파드를 기다리지 않고 바인딩합니다"
    ),
    "claim-apart": (
        "볼륨 {volume} (PersistentVolumeClaim {claim}) 위치가 파드의 다른 볼륨과 떨어져 있습니다: 모두 "
        "닿는 곳이 0곳입니다"
    ),
    "no-pool": "기존 노드 {nodes}개 모두 이 파드를 받을 수 없고, 노드를 만들 NodePool이 없습니다",
    "pool-deleting": "NodePool이 삭제되는 중입니다",
    "pool-static": "노드 수가 고정된 NodePool이라(복제본 {count}개) 파드를 위해 노드를 만들지 않습니다",
    "pool-unready": "NodePool이 준비되지 않았습니다: {why}",
    "pool-foreign": "NodePool의 클래스 {kind} 종류는 다른 컨트롤러가 맡습니다",
    "pool-amount": "NodePool의 {resource} 한도 {text} 표기는 수량이 아닙니다 (예: 100m, 1.5Gi, 2){hint}",
    "pool-operator": (
        "NodePool의 요구 조건 {key} 항목에 알 수 없는 연산자 {operator} 표기가 있습니다 (In, NotIn, "
        "Exists, DoesNotExist, Gt, Lt, Gte, Lte 사용)"
    ),
    "pool-number": (
        "NodePool의 요구 조건 {key} {operator} {values} 항목이 잘못되었습니다: {operator} 연산자는 정수 "
        "1개만 받습니다"
    ),
    "pool-empty": "요구 조건 {want} 때문에 인스턴스 타입 {before}개 중 0개가 남습니다{hint}",
    "pool-sold-out": (
        "NodePool 조건에 맞는 인스턴스 타입 {types}개가 지금은 클라우드에 없습니다: 오퍼링 {offerings}개 중 0개 구매 가능 (예: "
        "{example})"
    ),
    "pool-few": "minValues는 {key} 값 {least}개를 요구하지만 {have}개만 얻을 수 있습니다",
    "taint": "파드가 테인트 {taint} 항목을 허용하지 않습니다 (톨러레이션 {count}개)",
    "contradiction": "파드의 조건이 서로 모순됩니다: {first} 조건과 {second} 조건의 공통 값이 0개입니다",
    "label-undefined": (
        "파드는 {want} 조건이 필요하지만 NodePool의 레이블 {count}개 중에 {key} 레이블이 없습니다{hint}"
    ),
    "label-clash": "파드는 {want} 조건이 필요하지만 NodePool은 {have} 노드만 만듭니다",
    "no-type-label": "인스턴스 타입 {before}개 중 {want} 조건에 맞는 것이 0개입니다{hint}",
    "labels-together": "남은 인스턴스 타입 {before}개 중 {want} 조건까지 맞는 것이 0개입니다",
    "sold-out": "인스턴스 타입 {types}개가 맞지만 지금은 클라우드에 없습니다: 오퍼링 {offerings}개 중 0개 구매 가능 (예: {example})",
    "volume-zone": (
        "볼륨 클레임 {claim} 위치는 {where} 영역인데 NodePool은 {have} 영역에 노드를 만듭니다"
    ),
    "volume-no-type": (
        "볼륨 클레임 {claim} 위치는 {where} 영역인데 인스턴스 타입 {before}개 중 그곳에서 얻을 수 있는 "
        "것이 0개입니다"
    ),
    "resource-short": (
        "{resource} {needs} 요청이 들어가지 않습니다: 인스턴스 타입 {before}개 중 가장 여유 있는 {type} "
        "타입도 데몬 파드를 빼면 {has} 남아 {short} 부족합니다"
    ),
    "resource-beside": (
        "{resource} {needs} 요청이 {others} 요청과 함께 들어가지 않습니다: 그만큼 여유 있는 인스턴스 타입 {before}개 중 가장 여유 "
        "있는 {type} 타입도 데몬 파드를 빼면 {has} 남아 {short} 부족합니다"
    ),
    "resource-unknown": (
        "파드는 {resource} {needs} 자원을 요청하지만 인스턴스 타입 {before}개 중 가진 것이 0개입니다"
    ),
    "daemons": (
        "데몬 파드만으로 {resource} {needs} 자원을 요청하는데 인스턴스 타입 {before}개 중 가장 여유 있는 "
        "{type} 타입도 {has} 뿐입니다"
    ),
    "port-daemon": "만들 수 있는 모든 노드(인스턴스 타입 {before}개)에서 데몬 파드가 호스트 포트 {port} 번을 사용합니다",
    "spread": (
        "{key} 분산 조건은 도메인마다 파드 {most}개까지 허용하는데(maxSkew {skew}) 노드를 만들 수 있는 "
        "도메인이 모두 찼습니다: {counts}"
    ),
    "spread-unlabelled": "{key} 분산 조건에는 그 레이블이 있는 노드가 필요한데 이 NodePool의 노드에는 값이 0개입니다",
    "affinity": "{selector} 파드 가까이(같은 {key}) 있어야 하는데 그런 파드 {total}개 중 갈 수 있는 곳에 있는 것이 0개입니다",
    "affinity-none": "{selector} 파드 가까이(같은 {key}) 있어야 하는데 그런 파드가 0개입니다",
    "anti-affinity": "{selector} 파드와 떨어져야(같은 {key}) 하는데 갈 수 있는 {domains}곳 모두에 그런 파드가 있습니다",
    "kept-away": (
        "{selector} 파드를 멀리하는(같은 {key}) 파드가 갈 수 있는 {domains}곳 모두에 있습니다"
    ),
    "limit": (
        "{resource} 한도 {limit} 안에 들어가지 않습니다: {used} 사용 중이거나 계획되었고, 파드에 맞는 가장 작은 노드 {type} 타입이 "
        "{needs} 더합니다"
    ),
    "limit-nodes": "노드 한도 {limit}개에 도달했습니다: {used}개가 사용 중이거나 계획되었습니다",
    "min-values": "minValues는 {key} 값 {least}개를 요구하지만 맞는 타입에는 {have}개가 남습니다",
    "reservation-held": "맞는 용량 예약 {count}개를 이번 차례에는 다른 파드가 쓰기로 했습니다. 다음 차례에 배치됩니다",
    "reservation-full": "예약된 용량만 맞는데 용량 예약 {count}개에 남은 자리가 0개입니다",
    "freed-late": (
        "이번 차례의 다른 파드 {count}개를 배치한 뒤에 자리가 났습니다. 다음 차례에 배치됩니다"
    ),
}

CHANGES: Final[Mapping[str, str]] = {
    "tolerate": "파드에 테인트 {taint} 톨러레이션을 추가",
    "drop-label": "파드에서 {want} 조건을 제거",
    "drop-affinity": "파드에서 필수 노드 어피니티를 제거",
    "rename-label": "파드에서 {key} 대신 {new} 키를 사용",
    "pool-rename": "NodePool {pool}에서 {key} 대신 {new} 키를 사용",
    "pool-allow": "NodePool {pool}에 {want} 노드를 허용",
    "pool-drop": "NodePool {pool}에서 요구 조건 {want} 항목을 제거",
    "pool-label": "NodePool {pool} 노드에 {label} 레이블을 추가",
    "request": "{resource} 요청을 {needs} 대신 {amount} 값으로 변경",
    "write-request": "{resource} 요청 {needs} 표기를 {amount} 값으로 고침",
    "drop-request": "파드에서 {resource} 요청을 제거",
    "limit": "NodePool {pool}의 {resource} 한도를 {old} 값에서 {new} 값으로 올림",
    "min-values": "NodePool {pool}에서 {key} minValues를 {old} 값에서 {new} 값으로 낮춤",
    "soften-spread": "{key} 분산 조건을 희망 사항(ScheduleAnyway)으로 변경",
    "soften-affinity": "{selector} 파드에 대한 어피니티를 희망 사항으로 변경",
    "soften-anti-affinity": "{selector} 파드에 대한 안티어피니티를 희망 사항으로 변경",
    "relabel": "다른 파드가 멀리하므로 파드에서 {label} 레이블을 제거",
    "drop-port": "파드에서 호스트 포트 {port} 항목을 제거",
    "drop-volume": "파드에서 볼륨 {volume} 항목을 제거",
    "drop-devices": "파드에서 리소스 클레임을 제거",
}

WORDS: Final[Mapping[str, str]] = {
    "diff.new": "새로움",
    "diff.same": "지금 있는 것과 다르지 않습니다",
    "diff.drifts": "노드 {count}개가 어긋나게 됩니다",
    "diff.of": "노드 {total}개 중 {count}개",
    "diff.blocked": "그중 {count}개는 막혀 있음",
    "diff.selectors": "EC2NodeClass {name}의 선택자가 바뀝니다: 무엇이 어긋날지는 클라우드만 압니다",
    "diff.takes": "지금 예산으로 약 {time} 걸립니다",
    "diff.never": "지금 예산으로는 두 주 안에 끝나지 않습니다",
    "diff.price": "지금 {before}, 진행 중 최대 {rolling}, 이후 {after}",
    "consolidate.took": "{count} ms 만에 결정",
    "consolidate.go": "노드 {count}개가 나갈 수 있음",
    "consolidate.made": "교체 노드 {count}개",
    "consolidate.moves": "파드 {count}개 이동",
    "consolidate.saves": "한 달에 {month} 절약",
    "consolidate.stay": "노드 {count}개는 남음",
    "consolidate.reason": "사유",
    "consolidate.nodes": "노드",
    "consolidate.becomes": "교체",
    "consolidate.pods": "파드",
    "consolidate.saves-hour": "절약/시",
    "consolidate.more": "그리고 동작 {count}개 더",
    "consolidate.held": "하루에 {day}",
    "consolidate.holds": "{blocker}이(가) 노드 {count}개를 붙잡음",
    "consolidate.until": "{when}에 바뀔 수 있음",
    "stays": "남음",
    "goes": "나감",
    "stays.costs": "하루에 {day}",
    "stays.asked": "사유별",
    "stays.blocked-by": "막는 것",
    "stays.until": "{when}에 바뀔 수 있음",
    "stays.becomes": "파드는 {places}(으)로 감",
    "stays.saves": "시간당 {price} 절약",
    "stays.rules": "규칙",
    "stays.reasons": "사유",
    "stays.not-Empty": "비어 있지 않음",
    "stays.not-Drifted": "NodePool, NodeClass와 일치함",
    "stays.not-Underutilized": "비어 있거나 NodePool이 노드 수를 고정함",
    "stays.yes": "나갈 수 있음",
    "check.ours": "NodeClaim이 있음",
    "check.has-node": "클레임에 노드가 있음",
    "check.started": "시작을 마침",
    "check.idle": "실행 중인 명령에 속하지 않음",
    "check.staying": "이미 제거되는 중이 아님",
    "check.unexpected": "올 파드가 없음",
    "check.unmarked": "karpenter.sh/do-not-disrupt 애너테이션이 없음",
    "check.pool": "NodePool을 쓸 수 있음",
    "check.pods": "중단을 거부하는 파드가 없음",
    "check.guards": "PodDisruptionBudget이 파드를 내보냄",
    "budgets.nodes": "노드 {count}개",
    "budgets.going": "노드 {total}개 중 {count}개가 나가고 있거나 준비되지 않음",
    "budgets.more": "외 {count}번 더 바뀜 (-o json에 모두 있음)",
    "budgets.title": "동시에 나갈 수 있는 노드",
    "budgets.none": "NodePool이 없습니다",
    "budgets.pool": "NodePool",
    "budgets.from": "시작",
    "budgets.all": "제한 없음",
    "budgets.now": "지금",
    "and": " 그리고 ",
    "asks": "요청",
    "behind": "노드를 만들 수 있는 NodePool도, 받아 줄 노드도 없습니다",
    "change": "해결",
    "change.costs": "그러면 {zone}의 {type} {capacity}, 시간당 {price} (NodePool {pool})",
    "change.existing": "그러면 기존 노드 {node} 위에 추가 비용 없이 배치됩니다",
    "change.extra": "지금보다 시간당 {price} 더 듭니다",
    "change.none": "한 가지 변경으로 되는 방법을 찾지 못했습니다. NodePool별 이유를 보십시오",
    "change.template": "계속 적용하려면 {owner} 쪽 파드 템플릿에 넣으십시오",
    "change.where": "{target} JSON Patch:",
    "considered": "다른 후보",
    "daemons": "데몬",
    "did-you-mean": "; 혹시 {name} 아닙니까?",
    "existing": "기존 노드",
    "existing.none": "노드 0개",
    "existing.nodes": "노드 {count}개",
    "existing.most": "최대 여유 {most}: {node}",
    "fits": "여유 있음",
    "free": "남음",
    "limits": "한도",
    "limits.none": "없음",
    "made": "만드는 것",
    "more": "외 {count}개",
    "nearest": "가장 가까움",
    "nearest.text": "{type}: 데몬 파드를 빼면 {resource} {has} 남음, {short} 부족",
    "node.takes": "지금 받음",
    "node.refuses": "거절",
    "node.pods": "파드",
    "on.existing": "기존 노드 {node} 위에 배치됩니다",
    "on.new": "새 노드에 배치됩니다: {zone}의 {type} {capacity}, 시간당 {price} (NodePool {pool})",
    "only": "여기서만",
    "plan.as-of": "{when} 기준",
    "plan.behind": "{count}개 배치 못 함",
    "plan.bound": "어떤 계획도 시간당 {price} 아래로 내려갈 수 없습니다",
    "plan.capacity": "용량 종류",
    "plan.fill": "파드를 받는 기존 노드 ({count})",
    "plan.left": "배치되지 못한 파드 ({count})",
    "plan.make": "만들 노드 ({count})",
    "plan.memory": "메모리",
    "plan.more-causes": "외 파드 {pods}개, 원인 {causes}개 (-o json 전체 목록)",
    "plan.more-nodes": "외 노드 {count}개 (-o json 전체 목록)",
    "plan.more-pools": "외 NodePool {count}개",
    "plan.more-types": "외 타입 {count}개",
    "plan.new": "새 노드에 {count}개",
    "plan.node": "노드",
    "plan.nodes": "노드 +{count}",
    "plan.old": "기존 노드에 {count}개",
    "plan.one-type": "이 타입만",
    "plan.or": "대안",
    "plan.pods": "파드",
    "plan.pool": "풀",
    "plan.price": "$/시간",
    "plan.some": "파드 {count}개, ",
    "plan.took": "{count} ms 만에 결정",
    "plan.type": "타입",
    "plan.waits": "대기",
    "plan.zone": "영역",
    "pool.behind": "배치되지 못한 파드가 있습니다({count}개, 예: {pod}): {why}",
    "pool.usable": "인스턴스 타입 {all}개 중 {types}개를 지금 만들 수 있습니다",
    "pool.unusable": "지금은 아무것도 만들지 못합니다",
    "pool.makes": "{zone}에 {type} {capacity} 노드를 시간당 {price} 비용으로 만들 수 있습니다",
    "pool.nodes": "노드",
    "pool.planned": "+{count}개 계획",
    "pool.range": "가장 싼 {cheap} 시간당 {cheap_price}, 가장 큰 {large} (cpu {cpu}, memory {memory})",
    "runs": "{node} 노드에서 실행 중입니다",
    "rule.labels": "레이블",
    "rule.limits": "한도",
    "rule.min-values": "minValues",
    "rule.neighbours": "이웃 파드",
    "rule.offerings": "구매 가능",
    "rule.pool": "풀",
    "rule.ports": "호스트 포트",
    "rule.reservations": "용량 예약",
    "rule.taints": "테인트",
    "rule.types": "타입",
    "rule.volumes": "볼륨",
    "shared": "파드 {count}개와 함께 사용",
    "stopped.NW-1201": "테인트",
    "stopped.NW-1202": "{subject} 값 다름",
    "stopped.NW-1203": "{subject} 레이블 없음",
    "stopped.NW-1206": "볼륨 위치 다름",
    "stopped.NW-1207": "호스트 포트 사용 중",
    "stopped.NW-1210": "{subject} 부족",
    "stopped.NW-1211": "볼륨 연결 한도",
    "stopped.NW-1301": "분산 조건",
    "stopped.NW-1302": "어피니티",
    "stopped.NW-1303": "안티어피니티",
    "stopped.NW-1304": "다른 파드가 멀리함",
    "types-have": "; 타입에 있는 값: {values}",
    "why": "이유",
    "what": "할 일",
}
