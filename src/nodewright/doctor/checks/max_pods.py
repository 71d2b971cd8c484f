"""More pods than the network interfaces of a node have addresses for."""

from nodewright.doctor.finding import Text
from nodewright.doctor.written import Wording, written_check
from nodewright.lint.rules import max_pods

CHECK = written_check(
    "NW-3044",
    "classes",
    max_pods.check,
    Wording(
        title=Text(
            "maxPods stays within the addresses of a node", "maxPods가 노드의 주소 수를 넘지 않음"
        ),
        why=Text(
            "Pods beyond the addresses of a node never get one: failed to assign an IP address to container.",
            "노드의 주소 수를 넘는 파드는 주소를 받지 못합니다(failed to assign an IP).",
        ),
        cause=Text(
            "maxPods is above what the network interfaces of a type give",
            "maxPods가 타입의 네트워크 인터페이스가 주는 주소보다 많음",
        ),
        answer=Text(
            "Lower maxPods, allow larger types only, or let the CNI delegate prefixes: that is a choice.",
            "maxPods를 낮추거나, 더 큰 타입만 허용하거나, CNI의 프리픽스 위임을 켜십시오. 선택이 필요합니다.",
        ),
        korean="{object}의 {path}={value}는 인스턴스의 네트워크 인터페이스가 주는 주소보다 많습니다",
    ),
)
