"""What doctor's own refusals mean and what to do about them, in both languages."""

from typing import Final

from nodewright.model.wording import Page

type Words = tuple[str, str, str]

_ENGLISH: Final[dict[str, Words]] = {
    "NW-9731": (
        "a check that does not exist",
        "Checks are named by their codes, or by the section that they belong to.",
        "Look at the table of checks in the documentation, or leave the word out: then all are made.",
    ),
    "NW-9732": (
        "a finding that nobody can mend for you",
        "`--fix` was given codes that were not found, or that have no single right answer.",
        "Run `nodewright doctor` with the same code: where a person must choose, it prints the commands.",
    ),
    "NW-9733": (
        "a cluster without a name",
        "AWS is asked by the name that EKS has for the cluster, and nobody says which one is at this address.",
        "Add --cluster NAME, or choose another --region or --profile.",
    ),
    "NW-9734": (
        "a node that does not exist",
        "`doctor node` takes the name of a node, of a NodeClaim, or the id of a machine.",
        "`kubectl get nodeclaims,nodes` lists them.",
    ),
    "NW-9735": (
        "an API server that does not answer",
        "Nothing can be looked at where the cluster itself is silent.",
        "Look at --context and --kubeconfig, and at the network between here and there.",
    ),
    "NW-9736": (
        "a pod that does not exist",
        "`doctor pod` takes a pod of the live cluster as NAMESPACE/NAME; without a namespace it is `default`.",
        "`kubectl get pods -A` lists them.",
    ),
}
_KOREAN: Final[dict[str, Words]] = {
    "NW-9731": (
        "없는 점검",
        "점검은 코드나 그것이 속한 영역의 이름으로 부릅니다.",
        "문서의 점검 표를 보거나, 이름을 빼고 모든 점검을 실행하십시오.",
    ),
    "NW-9732": (
        "대신 고칠 수 없는 문제",
        "`--fix`에 준 코드가 발견되지 않았거나 정답이 하나가 아닙니다.",
        "같은 코드로 `nodewright doctor`를 실행하십시오. 사람이 골라야 하는 곳에는 명령을 보여 줍니다.",
    ),
    "NW-9733": (
        "이름을 모르는 클러스터",
        "AWS에는 EKS의 클러스터 이름으로 물어보는데, 이 주소에 어느 클러스터가 있는지 알 수 없습니다.",
        "--cluster NAME을 주거나 다른 --region 또는 --profile을 고르십시오.",
    ),
    "NW-9734": (
        "없는 노드",
        "`doctor node`에는 노드나 NodeClaim의 이름, 또는 인스턴스의 ID를 줍니다.",
        "`kubectl get nodeclaims,nodes`로 목록을 보십시오.",
    ),
    "NW-9735": (
        "응답하지 않는 API 서버",
        "클러스터가 응답하지 않으면 아무것도 확인할 수 없습니다.",
        "--context와 --kubeconfig, 그리고 그곳까지의 네트워크를 확인하십시오.",
    ),
    "NW-9736": (
        "없는 파드",
        "`doctor pod`에는 실제 클러스터의 파드를 NAMESPACE/NAME으로 줍니다. 네임스페이스가 없으면 `default`입니다.",
        "`kubectl get pods -A`로 목록을 보십시오.",
    ),
}
PAGES: Final[dict[str, tuple[Page, Page]]] = {
    code: (Page(code, *_ENGLISH[code]), Page(code, *_KOREAN[code])) for code in sorted(_ENGLISH)
}
"""The pages by code, in English and in Korean."""
