"""Keys of volumes: a machine whose volume cannot be decrypted ends a moment after it has started."""

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.doctor.account import node_classes, title_of
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.identity import controller_identity
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.steps import Ask, Step

_ACTIONS: Final = (
    "kms:Encrypt",
    "kms:Decrypt",
    "kms:ReEncrypt*",
    "kms:GenerateDataKey*",
    "kms:CreateGrant",
    "kms:DescribeKey",
)
_KEYS_MAX: Final = 3
_SID: Final = "NodewrightVolumes"


class Key(msgspec.Struct, frozen=True):
    """A key that volumes are encrypted with: who names it, its state, and whom it lets in."""

    name: str
    used_by: tuple[str, ...]
    arn: str = ""
    state: str = ""
    policy: str = ""


class Facts(msgspec.Struct, frozen=True):
    """The keys of classes or of the account, the controller's role, and machines that died of a key."""

    region: str
    role: str
    keys: tuple[Key, ...] = ()
    died: tuple[tuple[str, str], ...] = ()


async def probe(look: Look) -> Facts:
    """Read the keys of volumes, and why machines of the cluster ended."""
    known = await controller_identity(look)
    used: dict[str, list[str]] = {}
    for one in await node_classes(look):
        for mapping in one.spec.block_device_mappings:
            if mapping.ebs is not None and mapping.ebs.kms_key_id:
                used.setdefault(mapping.ebs.kms_key_id, []).append(title_of(one))
    keys = [await _key(look, name, tuple(by)) for name, by in sorted(used.items())[:_KEYS_MAX]]
    return Facts(look.subject.region, known.role if known else "", tuple(keys), await _died(look))


async def _key(look: Look, name: str, used_by: tuple[str, ...]) -> Key:
    told: Any = await look.aws("kms.DescribeKey", KeyId=name)
    about = (told or {}).get("KeyMetadata") or {}
    policy = ""
    if about.get("KeyManager") == "CUSTOMER":
        said = await look.aws("kms.GetKeyPolicy", KeyId=about["KeyId"], PolicyName="default")
        policy = str((said or {}).get("Policy", ""))
    return Key(name, used_by, str(about.get("Arn", "")), str(about.get("KeyState", "")), policy)


async def _died(look: Look) -> tuple[tuple[str, str], ...]:
    filters = [
        {"Name": "tag:eks:eks-cluster-name", "Values": [look.subject.cluster]},
        {"Name": "instance-state-name", "Values": ["terminated", "shutting-down"]},
    ]
    found = await look.aws_all("ec2.DescribeInstances", "Reservations", Filters=filters)
    reasons = [
        (str(one["InstanceId"]), one.get("StateReason") or {})
        for each in found
        for one in each.get("Instances") or ()
    ]
    return tuple(
        (name, f"{said.get('Code')}: {said.get('Message')}")
        for name, said in reasons
        if "Client.InternalError" in str(said.get("Code")) or "kms" in str(said).lower()
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield keys that the controller's machines cannot be started with."""
    for key in facts.keys:
        if key.arn and key.state == "Enabled" and (not key.policy or _lets_in(key, facts.role)):
            continue
        yield _finding(facts, key)
    if facts.died and not facts.keys:
        yield _dead(facts)


def _lets_in(key: Key, role: str) -> bool:
    number = key.arn.split(":")[4]
    statements = json.loads(key.policy).get("Statement") or []
    for one in statements if isinstance(statements, list) else [statements]:
        who = one.get("Principal") or {}
        named = who.get("AWS") or [] if isinstance(who, dict) else who
        principals = [named] if isinstance(named, str) else named
        callers = json.dumps(one.get("Condition") or {})
        is_meant = role in principals or ("*" in principals and number in callers)
        is_account = any(str(each).endswith(f"::{number}:root") for each in principals)
        actions = one.get("Action") or []
        asked = [actions] if isinstance(actions, str) else actions
        grants = "kms:*" in asked or "kms:CreateGrant" in asked
        if one.get("Effect") == "Allow" and (is_meant or is_account) and grants:
            return True
    return False


def _finding(facts: Facts, key: Key) -> Finding:
    state = key.state or "not there"
    is_open = bool(key.policy) and key.state == "Enabled"
    return Finding(
        objects=(key.name, *key.used_by),
        message=say(
            "volumes of {titles} cannot be made with key {name}",
            "{titles}의 볼륨을 키 {name}(으)로 만들 수 없습니다",
            titles=", ".join(key.used_by),
            name=key.name,
        ),
        cause=Text(
            "the key's policy does not let the launcher use it"
            if is_open
            else f"the key is {state}",
            "키 정책이 시작하는 쪽의 사용을 허용하지 않음" if is_open else f"키의 상태가 {state}임",
        ),
        facts=(
            fact(key.name, "KeyState", state),
            *(fact(name, "StateReason", why) for name, why in facts.died),
        ),
        mends=(_mend(facts, key),) if is_open and facts.role else (),
        advice=(f"aws kms enable-key --key-id {key.name}",),
    )


def _mend(facts: Facts, key: Key) -> Mend:
    before: Json = json.loads(key.policy)
    number = key.arn.split(":")[4]
    statement = {
        "Sid": _SID,
        "Effect": "Allow",
        "Principal": {"AWS": "*"},
        "Action": list(_ACTIONS),
        "Resource": "*",
        "Condition": {
            "StringEquals": {
                "kms:ViaService": f"ec2.{facts.region}.amazonaws.com",
                "kms:CallerAccount": number,
            }
        },
    }
    there = before.get("Statement") or []
    there = there if isinstance(there, list) else [there]
    after = msgspec.json.encode({**before, "Statement": [*there, statement]}).decode()

    def deed(text: str) -> Ask:
        return Ask("kms.PutKeyPolicy", {"KeyId": key.arn, "PolicyName": "default", "Policy": text})

    return Mend(
        Step("~", "kms key", key.name, "+ volumes of EC2 in this account", (deed(after),)),
        (deed(key.policy),),
    )


def _dead(facts: Facts) -> Finding:
    return Finding(
        objects=tuple(name for name, _ in facts.died),
        message=say(
            "{count} machines ended right after they had started, because of the key of their volumes",
            "인스턴스 {count}개가 볼륨의 키 때문에 시작하자마자 종료되었습니다",
            count=len(facts.died),
        ),
        cause=Text(
            "the account encrypts volumes with a key that the launcher may not use",
            "계정이 볼륨 암호화에 쓰는 키를 시작하는 쪽이 사용할 수 없음",
        ),
        facts=tuple(fact(name, "StateReason", why) for name, why in facts.died),
        advice=(
            "aws ec2 get-ebs-default-kms-key-id",
            "aws kms get-key-policy --key-id KEY --policy-name default",
        ),
    )


CHECK = Check(
    code="NW-3020",
    section="classes",
    severity="error",
    title=Text("volumes can be made with their keys", "볼륨을 지정한 키로 만들 수 있음"),
    why=Text(
        "EC2 takes the launch and ends the machine a moment later (Client.InternalError).",
        "EC2가 시작 요청을 받아들인 뒤 곧바로 인스턴스를 종료합니다(Client.InternalError).",
    ),
    answer=Text(
        "The key's policy gets a statement for EC2 in this account; a key that is disabled is the owner's to enable.",
        "키 정책에 이 계정의 EC2를 위한 구문을 추가합니다. 비활성화된 키는 소유자가 활성화해야 합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
