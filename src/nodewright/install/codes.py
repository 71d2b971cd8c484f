"""What the codes of an installation mean and what to do about them, in both languages.

The messages themselves name the thing; these pages say why it is refused.
"""

from typing import Final

from nodewright.model.wording import Page

type Words = tuple[str, str, str]

_ENGLISH: Final[dict[str, Words]] = {
    "NW-9701": (
        "a name that cannot be",
        (
            "EKS takes cluster names of up to 100 letters, digits, hyphens and underscores; IAM takes role "
            "names of up to 64 characters, without a path."
        ),
        "Give the name as `aws eks list-clusters` or `aws iam list-roles` shows it.",
    ),
    "NW-9702": (
        "the world has moved since the plan was made",
        "A saved plan is carried out only as long as nothing would be done that it does not hold.",
        "Make a new plan with --plan-out, look at it, and apply that.",
    ),
    "NW-9703": (
        "a file that is no plan for this command",
        "The file does not hold a plan of an installation, or holds one for another command.",
        "Write one with `nodewright install --plan-out FILE` or `nodewright uninstall --plan-out FILE`.",
    ),
    "NW-9704": (
        "a role or policy that is not ours",
        (
            "Something with the name that Nodewright would use exists and was made by somebody else, or the "
            "role that was named does not exist. Neither is changed."
        ),
        "Rename it, delete it, or give it the tag nodewright.dev/cluster if it is to be Nodewright's.",
    ),
    "NW-9705": (
        "no way for the controller to get its role",
        "Pods on Fargate cannot use Pod Identity, and IRSA needs a cluster with an OIDC issuer.",
        "Choose the other one with --identity.",
    ),
    "NW-9706": (
        "which security groups new nodes get is not clear",
        (
            "The node groups have different security groups, a named one is not in the cluster's VPC, or "
            "several carry the cluster's tag, with which load balancers do not work."
        ),
        "Name the groups with --security-groups.",
    ),
    "NW-9707": (
        "aws-auth cannot be read",
        (
            "The map that lets nodes in is no list of roles. Nothing is added to it, because whatever was "
            "written there would be lost."
        ),
        "Mend it with `kubectl -n kube-system edit configmap aws-auth`, then try again.",
    ),
    "NW-9708": (
        "nowhere for the controller to run",
        (
            "The controller must not run on nodes that it makes: when such a node goes, nobody is left to "
            "make another. So a managed node group, or Fargate with a private subnet, is needed."
        ),
        "Make a node group of one or two small machines, or add --fargate.",
    ),
    "NW-9709": (
        "a value that the chart does not have",
        "Names of values are Karpenter's; a name that is not known would be without effect.",
        "Take the name that is suggested, or look into charts/nodewright/values.yaml.",
    ),
    "NW-9710": (
        "something that the cluster does not allow you",
        (
            "Before the first step the API server is asked about everything that the plan does there. Some "
            "of it is not allowed, so nothing was begun. Who hands rights to the controller must have them, "
            "or be allowed to escalate and bind its role."
        ),
        "Have the rules of the message added to a ClusterRole that is bound to you, or use another --context.",
    ),
    "NW-9711": (
        "an action that AWS does not allow you",
        (
            "Before the first step AWS is asked about every action of the plan. One is not allowed, so "
            "nothing was begun; in the middle of a plan this can only come from a limit that the question "
            "does not see, such as one of the organisation."
        ),
        "Add the statement that the message holds; `nodewright install --print policy` prints all.",
    ),
    "NW-9712": (
        "a call that AWS refused",
        "AWS gave an error that has nothing to do with permissions; its own words are in the message.",
        "Do what they say, then repeat the command: it goes on where it stopped.",
    ),
    "NW-9713": (
        "credentials that AWS does not accept",
        "The keys or the session are unknown, wrong or have expired.",
        "Sign in again (`aws sso login`, or new keys); look at --profile and at the AWS_ variables.",
    ),
    "NW-9714": (
        "a cluster that is not there",
        "EKS does not know a cluster of this name in this region, for these credentials.",
        "Look at the spelling, at --region and at --profile; `aws eks list-clusters` lists them.",
    ),
    "NW-9715": (
        "a cluster that is not active",
        "EKS is making, updating or deleting the cluster, and changes none of its parts meanwhile.",
        "Try again when `aws eks describe-cluster` says ACTIVE.",
    ),
    "NW-9716": (
        "a cluster that does not answer, or refuses",
        "The API server could not be reached, or did not allow what was asked of it.",
        "Use a context of a cluster administrator, and look at the network between you and the cluster.",
    ),
    "NW-9717": (
        "a kubeconfig of another cluster",
        (
            "The kubeconfig leads to another API server than the one that EKS names for the cluster. Parts "
            "of two clusters would be mixed."
        ),
        "Run `aws eks update-kubeconfig --name CLUSTER`, or choose another --context.",
    ),
    "NW-9718": (
        "something that does not come, or does not go",
        (
            "A step waited as long as it may: for an object to be gone, for a definition to be served, or for "
            "nodes to be ready."
        ),
        "See what keeps it (`nodewright explain node/NAME`), then repeat the command: it goes on.",
    ),
    "NW-9719": (
        "no pool that could make a node",
        "The smoke test has a pod get a node, and without a NodePool nobody makes one.",
        "Apply a NodePool, or install without --no-pools.",
    ),
    "NW-9720": (
        "a pod that cannot leave its node",
        (
            "A node group is moved off by evictions. A budget does not let this pod go, or nobody would "
            "make the pod anew elsewhere."
        ),
        "Widen the budget, or move or delete the pod yourself; then repeat the command.",
    ),
    "NW-9721": (
        "a node group that cannot be moved off",
        (
            "There is no such group, or its pods would have nowhere to go, or the controller would lose the "
            "last machines that it may run on, or another autoscaler would make the group grow again."
        ),
        "Install first, keep one group with machines, and leave --no-take-over out.",
    ),
}
_KOREAN: Final[dict[str, Words]] = {
    "NW-9701": (
        "쓸 수 없는 이름",
        "EKS 클러스터 이름은 영문자, 숫자, 하이픈, 밑줄로 100자까지이고, IAM 역할 이름은 경로 없이 64자까지입니다.",
        "`aws eks list-clusters` 또는 `aws iam list-roles`에 나오는 이름 그대로 주십시오.",
    ),
    "NW-9702": (
        "계획을 만든 뒤에 상황이 바뀜",
        "저장된 계획은 그 안에 없는 일을 할 필요가 없을 때에만 실행됩니다.",
        "--plan-out으로 새 계획을 만들어 살펴본 뒤 그것을 적용하십시오.",
    ),
    "NW-9703": (
        "이 명령의 계획이 아닌 파일",
        "파일에 설치 계획이 없거나 다른 명령의 계획이 들어 있습니다.",
        "`nodewright install --plan-out FILE` 또는 `nodewright uninstall --plan-out FILE`로 만드십시오.",
    ),
    "NW-9704": (
        "우리 것이 아닌 역할이나 정책",
        "Nodewright가 쓸 이름을 가진 것을 다른 사람이 이미 만들었거나, 지정한 역할이 없습니다. 어느 쪽도 바꾸지 않습니다.",
        "이름을 바꾸거나 지우거나, Nodewright에 맡길 것이면 nodewright.dev/cluster 태그를 붙이십시오.",
    ),
    "NW-9705": (
        "컨트롤러가 역할을 얻을 길이 없음",
        "Fargate의 파드는 Pod Identity를 쓸 수 없고, IRSA에는 OIDC 발급자가 있는 클러스터가 필요합니다.",
        "--identity로 다른 방식을 고르십시오.",
    ),
    "NW-9706": (
        "새 노드의 보안 그룹이 분명하지 않음",
        "노드 그룹마다 보안 그룹이 다르거나, 지정한 것이 클러스터의 VPC에 없거나, 여러 개에 클러스터 태그가 있어 로드 밸런서가 동작하지 않습니다.",
        "--security-groups로 보안 그룹을 지정하십시오.",
    ),
    "NW-9707": (
        "aws-auth를 읽을 수 없음",
        "노드를 받아들이는 맵이 역할 목록이 아닙니다. 적혀 있던 것을 잃지 않도록 아무것도 더하지 않습니다.",
        "`kubectl -n kube-system edit configmap aws-auth`로 고친 뒤 다시 하십시오.",
    ),
    "NW-9708": (
        "컨트롤러가 실행될 곳이 없음",
        "컨트롤러는 자기가 만든 노드에서 실행되면 안 됩니다. 그 노드가 사라지면 새 노드를 만들 이가 없기 때문입니다. 그래서 관리형 노드 그룹이나, 프라이빗 서브넷이 있는 Fargate가 필요합니다.",
        "작은 머신 한두 대로 노드 그룹을 만들거나 --fargate를 더하십시오.",
    ),
    "NW-9709": (
        "차트에 없는 값",
        "값의 이름은 Karpenter의 것과 같습니다. 모르는 이름은 아무 효과가 없습니다.",
        "제안된 이름을 쓰거나 charts/nodewright/values.yaml을 보십시오.",
    ),
    "NW-9710": (
        "클러스터가 허용하지 않는 작업",
        "첫 단계 전에 계획이 클러스터에서 할 모든 일을 API 서버에 물어봅니다. 그 가운데 허용되지 않는 것이 있어 아무것도 시작하지 않았습니다. 컨트롤러에 권한을 주는 사람은 그 권한을 가지고 있거나, 그 역할에 escalate와 bind가 허용되어야 합니다.",
        "메시지에 있는 규칙을 자신에게 묶인 ClusterRole에 더하게 하거나, 다른 --context를 쓰십시오.",
    ),
    "NW-9711": (
        "AWS가 허용하지 않는 작업",
        "첫 단계 전에 계획의 모든 작업을 AWS에 물어봅니다. 하나가 허용되지 않아 아무것도 시작하지 않았습니다. 계획 도중에 나왔다면 조직의 제한처럼 그 물음으로 볼 수 없는 것입니다.",
        "메시지에 있는 문을 정책에 더하십시오. `nodewright install --print policy`가 전부를 출력합니다.",
    ),
    "NW-9712": (
        "AWS가 거절한 호출",
        "권한과 상관없는 오류입니다. AWS의 말이 메시지에 있습니다.",
        "그대로 고친 뒤 명령을 되풀이하십시오. 멈춘 곳에서 이어집니다.",
    ),
    "NW-9713": (
        "AWS가 받아들이지 않는 자격 증명",
        "키나 세션을 모르거나, 틀렸거나, 만료되었습니다.",
        "다시 로그인하고(`aws sso login` 또는 새 키) --profile과 AWS_ 변수를 확인하십시오.",
    ),
    "NW-9714": (
        "없는 클러스터",
        "이 자격 증명으로 이 리전에서 EKS는 그런 이름의 클러스터를 모릅니다.",
        "철자와 --region, --profile을 확인하십시오. `aws eks list-clusters`가 목록을 보여 줍니다.",
    ),
    "NW-9715": (
        "활성 상태가 아닌 클러스터",
        "EKS가 클러스터를 만들거나 고치거나 지우는 동안에는 아무 부분도 바꾸지 않습니다.",
        "`aws eks describe-cluster`가 ACTIVE라고 할 때 다시 하십시오.",
    ),
    "NW-9716": (
        "대답하지 않거나 거절하는 클러스터",
        "API 서버에 닿을 수 없거나, 요청한 것이 허용되지 않았습니다.",
        "클러스터 관리자의 컨텍스트를 쓰고, 클러스터까지의 네트워크를 확인하십시오.",
    ),
    "NW-9717": (
        "다른 클러스터의 kubeconfig",
        "kubeconfig가 EKS가 말하는 것과 다른 API 서버로 이어집니다. 두 클러스터의 부분이 섞이게 됩니다.",
        "`aws eks update-kubeconfig --name CLUSTER`를 실행하거나 다른 --context를 고르십시오.",
    ),
    "NW-9718": (
        "오지 않거나 사라지지 않는 것",
        "객체가 사라지기를, 정의가 제공되기를, 또는 노드가 준비되기를 한도까지 기다렸습니다.",
        "무엇이 붙잡는지 보고(`nodewright explain node/NAME`) 명령을 되풀이하십시오. 이어집니다.",
    ),
    "NW-9719": (
        "노드를 만들 풀이 없음",
        "점검은 파드 하나가 노드를 얻게 해 봅니다. NodePool이 없으면 아무도 노드를 만들지 않습니다.",
        "NodePool을 적용하거나 --no-pools 없이 설치하십시오.",
    ),
    "NW-9720": (
        "노드를 떠날 수 없는 파드",
        "노드 그룹은 축출로 비웁니다. 중단 예산이 이 파드를 놓아주지 않거나, 다른 곳에 다시 만들 이가 없는 파드입니다.",
        "예산을 넓히거나 파드를 직접 옮기거나 지운 뒤 명령을 되풀이하십시오.",
    ),
    "NW-9721": (
        "비울 수 없는 노드 그룹",
        "그런 그룹이 없거나, 파드가 갈 곳이 없거나, 컨트롤러가 실행될 마지막 머신이 없어지거나, 다른 오토스케일러가 그룹을 다시 키웁니다.",
        "먼저 설치하고, 머신이 있는 그룹을 하나 남기고, --no-take-over를 빼십시오.",
    ),
}
PAGES: Final[dict[str, tuple[Page, Page]]] = {
    code: (Page(code, *_ENGLISH[code]), Page(code, *_KOREAN[code])) for code in sorted(_ENGLISH)
}
"""The pages by code, in English and in Korean."""
