"""Instance profiles of classes: one that is gone or empty starts machines without any role."""

from collections.abc import Iterator

import msgspec

from nodewright.doctor.account import NodeRole, node_classes, node_roles, title_of
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.steps import Ask, Step


class Facts(msgspec.Struct, frozen=True):
    """The roles of classes by name or profile, and the profiles that were made for them."""

    roles: tuple[NodeRole, ...]
    made: tuple[tuple[str, str, str, bool, bool], ...] = ()


async def probe(look: Look) -> Facts:
    """Read the profiles of classes."""
    made = []
    for one in await node_classes(look):
        profile, role = one.status.instance_profile, (one.spec.role or "").rpartition("/")[2]
        if not profile or not role:
            continue
        told = await look.aws("iam.GetInstanceProfile", InstanceProfileName=profile)
        roles = (told or {}).get("InstanceProfile", {}).get("Roles") or []
        title = title_of(one)
        made.append((title, profile, role, told is not None, bool(roles)))
    return Facts(await node_roles(look), tuple(made))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield profiles without a role, and roles that are not there."""
    for one in facts.roles:
        if not one.arn:
            yield _lost(one)
    for title, profile, role, is_there, has_role in facts.made:
        if is_there and not has_role:
            yield _empty(title, profile, role)


def _lost(one: NodeRole) -> Finding:
    what = f"instance profile {one.profile}" if one.profile else f"IAM role {one.name}"
    role = one.name or "ROLE"
    return Finding(
        objects=(one.of, what),
        message=say(
            "{what} of {of} is not there, or holds no role",
            "{of}의 {what}이(가) 없거나 역할이 들어 있지 않습니다",
            what=what,
            of=one.of,
        ),
        cause=Text("it was deleted, or is named wrongly", "삭제되었거나 이름이 틀림"),
        facts=(fact(one.of, "spec", what),),
        advice=(
            f"aws iam add-role-to-instance-profile --instance-profile-name {one.profile} --role-name {role}"
            if one.profile
            else f"aws iam create-role --role-name {role} …",
        ),
    )


def _empty(title: str, profile: str, role: str) -> Finding:
    params = {"InstanceProfileName": profile, "RoleName": role}
    made = Ask("iam.AddRoleToInstanceProfile", params, ("LimitExceeded",))
    undo = Ask("iam.RemoveRoleFromInstanceProfile", params, ("NoSuchEntity",))
    return Finding(
        objects=(title, f"instance profile {profile}"),
        message=say(
            "instance profile {profile} of {title} holds no role",
            "{title}의 인스턴스 프로파일 {profile}에 역할이 없습니다",
            profile=profile,
            title=title,
        ),
        cause=Text("the role was taken out of it", "역할이 프로파일에서 제거됨"),
        facts=(
            fact(title, "status.instanceProfile", profile),
            fact(f"instance profile {profile}", "Roles", "none"),
        ),
        mends=(Mend(Step("~", "instance profile", profile, f"+ {role}", (made,)), (undo,)),),
    )


CHECK = Check(
    code="NW-3059",
    section="identity",
    severity="error",
    title=Text("instance profiles hold their roles", "인스턴스 프로파일에 역할이 있음"),
    why=Text(
        "A machine without a role does not join; one with an unknown profile is not launched.",
        "역할이 없는 인스턴스는 클러스터에 들어오지 못하고, 없는 프로파일로는 시작되지 않습니다.",
    ),
    answer=Text(
        "A profile that was made for a class gets its role back; one that the class names is its owner's.",
        "클래스를 위해 만든 프로파일에는 역할을 다시 넣습니다. 클래스가 지정한 프로파일은 소유자가 고칩니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
    yields_to=("NW-3036",),
)
