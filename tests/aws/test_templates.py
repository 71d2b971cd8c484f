"""Launch templates in EC2."""

import pytest

from builders.awslaunches import a_wish
from nodewright.aws.gateway import Fault
from nodewright.aws.template import template_request
from nodewright.aws.templates import UNUSED_MS, Templates
from nodewright.sandbox.aws.faults import Switch


@pytest.fixture
def templates(gateway):
    return Templates(gateway, gateway._clock, "demo")


def there(standin):
    found = standin.client("ec2").describe_launch_templates()["LaunchTemplates"]
    return {one["LaunchTemplateName"] for one in found}


async def test_a_template_is_made_once(standin, templates):
    request = template_request(a_wish())
    name = await templates.ensure(request)
    await templates.ensure(request)

    assert name in there(standin)
    assert len(standin.account.calls.named("ec2.CreateLaunchTemplate")) == 1


async def test_one_that_another_process_has_made_is_taken(standin, gateway, templates):
    request = template_request(a_wish(image_id="ami-2"))
    first = await Templates(gateway, gateway._clock, "demo").ensure(request)

    assert await templates.ensure(request) == first


async def test_one_that_was_forgotten_is_made_again(standin, templates):
    request = template_request(a_wish(image_id="ami-3"))
    name = await templates.ensure(request)
    standin.client("ec2").delete_launch_template(LaunchTemplateName=name)
    templates.forget({name})
    await templates.ensure(request)

    assert name in there(standin)


async def test_those_of_others_and_those_in_use_are_left(standin, gateway, templates):
    clock = gateway._clock
    standin.client("ec2").create_launch_template(
        LaunchTemplateName="somebody's", LaunchTemplateData={"ImageId": "ami-1"}
    )
    old = await templates.ensure(template_request(a_wish(image_id="ami-4")))
    await templates.collect()
    clock.now += UNUSED_MS // 2
    used = await templates.ensure(template_request(a_wish(image_id="ami-5")))
    clock.now += UNUSED_MS // 2
    await templates.collect()

    assert old not in there(standin)
    assert {"somebody's", used} <= there(standin)


async def test_after_a_restart_one_has_a_minute_to_be_needed(standin, gateway, templates):
    name = await Templates(gateway, gateway._clock, "demo").ensure(
        template_request(a_wish(image_id="ami-6"))
    )
    await templates.collect()
    assert name in there(standin)
    gateway._clock.now += UNUSED_MS
    await templates.collect()

    assert name not in there(standin)


async def test_what_ec2_does_not_answer_is_told(standin, templates):
    standin.account.faults.set("ec2.*", Switch("deny"))

    assert isinstance(await templates.collect(), Fault)
    assert isinstance(await templates.ensure(template_request(a_wish(image_id="ami-7"))), Fault)
