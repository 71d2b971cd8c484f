import msgspec
import pytest

from nodewright.install.steps import Ask, Plan, Remember, Step, check_still_holds, read_plan
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

ROLE = Step("+", "iam role", "a", "", (Ask("iam.CreateRole", {"RoleName": "a"}),))
TAGS = Step("~", "subnet", "s", "", (Remember("tag.s", None), Ask("ec2.CreateTags", {})))


def a_plan(*steps, region="us-west-2"):
    return Plan("install", Wish("shop"), "123456789012", region, steps)


def test_a_saved_plan_is_read_back_as_it_was():
    plan = a_plan(ROLE, TAGS)

    assert read_plan(msgspec.json.encode(plan), "plan.json") == plan
    assert plan.digest == a_plan(ROLE, TAGS).digest != a_plan(ROLE).digest


@pytest.mark.parametrize("text", [b"", b"[]", b'{"verb":"install"}', b'{"verb":"explode"}'])
def test_what_is_no_plan_is_refused_with_its_place(text):
    with pytest.raises(UserError, match="this is no plan") as caught:
        read_plan(text, "plan.json")

    assert caught.value.where == "plan.json"


def test_a_plan_of_another_time_is_refused():
    newer = msgspec.structs.replace(a_plan(ROLE), version=2)

    with pytest.raises(UserError, match="version 2"):
        read_plan(msgspec.json.encode(newer), "plan.json")


def test_what_was_done_meanwhile_need_not_be_done_again():
    done = Step("=", "iam role", "a")

    check_still_holds(a_plan(ROLE, TAGS), a_plan(done, TAGS))


def test_a_step_that_was_not_shown_is_not_done():
    other = Step("+", "iam role", "b", "", (Ask("iam.CreateRole", {"RoleName": "b"}),))

    with pytest.raises(UserError, match=r"\+ iam role b is needed now and is not in it"):
        check_still_holds(a_plan(ROLE), a_plan(ROLE, other))


def test_a_step_that_would_be_done_otherwise_is_not_done():
    wider = Step(
        "+", "iam role", "a", "", (Ask("iam.CreateRole", {"RoleName": "a", "Path": "/x/"}),)
    )

    with pytest.raises(UserError, match="has changed since the plan was made"):
        check_still_holds(a_plan(ROLE), a_plan(wider))


def test_a_plan_for_another_region_is_refused():
    with pytest.raises(UserError, match="is for account 123456789012 in us-west-2"):
        check_still_holds(a_plan(ROLE), a_plan(ROLE, region="eu-west-1"))
