"""Names of roles: IAM takes 64 characters, and a long cluster's name does not leave enough."""

from collections.abc import Iterator

import msgspec

from nodewright.doctor.account import NAME_LENGTH_MAX, node_classes, title_of
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look


class Facts(msgspec.Struct, frozen=True):
    """The names of roles that classes ask for."""

    roles: tuple[tuple[str, str], ...]


async def probe(look: Look) -> Facts:
    """Read the classes."""
    return Facts(
        tuple(
            (title_of(one), one.spec.role.rpartition("/")[2])
            for one in await node_classes(look)
            if one.spec.role
        )
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield names that no role can have."""
    for title, role in facts.roles:
        if len(role) <= NAME_LENGTH_MAX:
            continue
        yield Finding(
            objects=(title,),
            message=say(
                "the role of {title} has {length} characters, and IAM takes {most}",
                "{title}의 역할 이름이 {length}자로, IAM의 한도 {most}자를 넘습니다",
                title=title,
                length=len(role),
                most=NAME_LENGTH_MAX,
            ),
            cause=Text(
                "the name is made of a prefix and a long cluster's name",
                "접두사에 긴 클러스터 이름을 붙여 만든 이름임",
            ),
            facts=(fact(title, "spec.role", role),),
            advice=(f"aws iam create-role --role-name {role[:NAME_LENGTH_MAX]} …",),
        )


CHECK = Check(
    code="NW-3036",
    section="identity",
    severity="error",
    title=Text("names of roles fit", "역할 이름이 한도 안에 있음"),
    why=Text(
        "No role can have such a name, so no profile is made.",
        "그런 이름의 역할은 있을 수 없어 프로파일이 만들어지지 않습니다.",
    ),
    answer=Text("A shorter name is the owner's to choose.", "더 짧은 이름은 소유자가 정합니다."),
    probe=probe,
    judge=judge,
)
