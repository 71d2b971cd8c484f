"""Images of a class."""

import datetime as dt

import pytest

from builders.awslaunches import a_spec
from nodewright.aws.aliases import for_arch
from nodewright.aws.gateway import Fault
from nodewright.aws.images import ALIAS_MS, DEPRECATED_MS, Image, ImageFinder, keep_newest
from nodewright.catalog.images import image_for
from nodewright.catalog.resolve import instance_types_for
from nodewright.catalog.settings import NodeSettings
from nodewright.sandbox.aws.faults import Switch

AMD, ARM = for_arch("x86_64"), for_arch("arm64")


def an_image(name, created_ms=0, conditions=AMD, *, is_deprecated=False):
    return Image(f"ami-{name}", name, created_ms, is_deprecated, conditions)


def kept(*images):
    return [one.id for one in keep_newest(images)]


@pytest.fixture
def finder(gateway):
    return ImageFinder(gateway, gateway._clock)


def test_the_newest_of_each_sort_is_kept():
    images = [an_image("a", 1), an_image("b", 3), an_image("c", 2), an_image("d", 9, ARM)]

    assert kept(*images) == ["ami-d", "ami-b"]


def test_an_image_in_use_beats_a_newer_deprecated_one():
    assert kept(an_image("old", 1), an_image("new", 2, is_deprecated=True)) == ["ami-old"]
    [only] = keep_newest([an_image("new", 2, is_deprecated=True)])
    assert only.deprecated


def test_of_two_of_one_date_the_greater_name_is_kept():
    assert kept(an_image("b", 1), an_image("a", 1)) == ["ami-b"]


async def test_an_alias_gives_an_image_for_each_sort_of_machine(standin, finder):
    found = await finder.find(a_spec(), "1.34")
    types = {one.name: one for one in instance_types_for("us-west-2")}
    chosen = {name: image_for(types[name], found).name for name in ("m5.large", "m6g.large")}

    assert standin.image() == image_for(types["m5.large"], found).id
    assert "x86_64-standard" in chosen["m5.large"]
    assert "arm64-standard" in chosen["m6g.large"]
    assert "nvidia" in image_for(types["g5.xlarge"], found).name
    assert "neuron" in image_for(types["inf2.xlarge"], found).name


async def test_bottlerocket_serves_neuron_with_its_plain_image(finder):
    spec = a_spec(amiSelectorTerms=[{"alias": "bottlerocket@latest"}])
    found = await finder.find(spec, "1.34")
    types = {one.name: one for one in instance_types_for("us-west-2")}

    plain = image_for(types["m5.large"], found)
    assert image_for(types["inf2.xlarge"], found).id == plain.id
    assert image_for(types["g5.xlarge"], found).id != plain.id


async def test_windows_images_fit_windows_machines_only(finder):
    spec = a_spec(amiSelectorTerms=[{"alias": "windows2022@latest"}])
    found = await finder.find(spec, "1.34")
    windows = instance_types_for("us-west-2", NodeSettings(ami_family="Windows2022"))
    linux = instance_types_for("us-west-2")

    def has_image(types):
        return image_for(next(one for one in types if one.name == "m5.large"), found) is not None

    assert has_image(windows)
    assert not has_image(linux)


async def test_parameters_are_asked_for_once(standin, finder):
    await finder.find(a_spec(), "1.34")
    standin.account.faults.set("ssm.*", Switch("deny"))

    assert not isinstance(await finder.find(a_spec(), "1.34"), Fault)


async def test_a_latest_image_is_asked_for_anew_after_a_day_or_when_it_is_deprecated(
    standin, finder, gateway
):
    async def asked(after_ms):
        gateway._clock.now += after_ms
        standin.account.calls.clear()
        await finder.find(a_spec(), "1.34")
        return len(standin.account.calls.named("ssm.GetParameter"))

    assert [await asked(0), await asked(DEPRECATED_MS), await asked(0)] == [5, 0, 0]
    end = dt.datetime.fromtimestamp(gateway._clock.now / 1000, dt.UTC)
    ec2 = standin.client("ec2")
    ec2.enable_image_deprecation(ImageId=standin.image(), DeprecateAt=end)
    assert [await asked(1000), await asked(0)] == [0, 1]
    ec2.disable_image_deprecation(ImageId=standin.image())
    assert await asked(ALIAS_MS) == 5


async def test_a_parameter_that_is_not_there_is_told_once(finder, caplog):
    for _ in range(2):
        assert await _find(finder, {"ssmParameter": "/lost"}) == []

    assert [one.getMessage() for one in caplog.records].count(
        "no image is found by the parameter /lost, so its term is passed over"
    ) == 1


async def test_an_alias_that_nobody_knows_gives_nothing(finder):
    assert await finder.find(a_spec(), "1.99") == ()


async def test_terms_find_images_by_id_name_and_parameter(standin, finder):
    image = standin.image()
    standin.client("ssm").put_parameter(Name="/own/image", Value=image, Type="String")
    standin.client("ssm").put_parameter(Name="/own/odd", Value="nothing", Type="String")
    [whole] = await _find(finder, {"id": image})

    assert (await _find(finder, {"name": whole.name})) == [whole]
    assert (await _find(finder, {"ssmParameter": "/own/image"})) == [whole]
    assert (await _find(finder, {"ssmParameter": "/own/odd"}, {"ssmParameter": "/gone"})) == []
    assert (await _find(finder, {"name": whole.name, "owner": "self"})) == []
    assert whole.requirements == AMD


async def test_images_are_found_by_tags(standin, finder):
    image = standin.image("arm64")
    tags = [{"Key": "os", "Value": "ours"}]
    standin.client("ec2").create_tags(Resources=[image], Tags=tags)

    assert [one.id for one in await _find(finder, {"tags": {"os": "ours"}})] == [image]


async def _find(finder, *terms):
    found = await finder.find(a_spec(amiSelectorTerms=list(terms), amiFamily="AL2023"), "1.34")
    return list(found)
