"""Annotations that steer the play."""

import pytest

from builders import a_pool
from builders.lives import with_meta
from nodewright.kwok.wishes import BOOT_MS, BadWish, read_wishes
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kwoknodeclass import KWOKNodeClass, KWOKNodeClassSpec
from nodewright.model.metadata import ObjectMeta

HOME = "kwok.nodewright.dev/"


def a_said_pool(**said):
    notes = {f"{HOME}{name.replace('_', '-')}": value for name, value in said.items()}
    return with_meta(a_pool("web"), annotations=notes)


def test_without_annotations_everything_works_after_a_short_boot():
    wishes = read_wishes(a_pool("web"), None)

    assert (wishes.boot_ms, wishes.launch_error, wishes.never_registers) == (BOOT_MS, "", False)
    assert not wishes.is_sold_out(("m5.large", "us-east-1a", "spot"))


def test_the_pool_speaks_before_its_class():
    said = {f"{HOME}boot-delay": "9s", f"{HOME}never-ready": "true"}
    node_class = EC2NodeClass(metadata=ObjectMeta(name="x", annotations=said))

    wishes = read_wishes(a_said_pool(boot_delay="1.5s"), node_class)

    assert (wishes.boot_ms, wishes.never_ready) == (1500, True)


def test_a_kwok_class_says_its_delay_itself():
    spec = KWOKNodeClassSpec(node_registration_delay="250ms")
    node_class = KWOKNodeClass(metadata=ObjectMeta(name="x"), spec=spec)

    assert read_wishes(None, node_class).boot_ms == 250


@pytest.mark.parametrize(
    ("pattern", "key", "gone"),
    [
        ("m5.large", ("m5.large", "a", "spot"), True),
        ("m5.*/a", ("m5.large", "b", "spot"), False),
        ("*/*/spot, c5.*", ("c5.large", "a", "on-demand"), True),
        ("//on-demand", ("c5.large", "a", "spot"), False),
    ],
)
def test_what_cannot_be_had_is_a_pattern_of_type_zone_and_capacity_type(pattern, key, gone):
    assert read_wishes(a_said_pool(no_capacity=pattern), None).is_sold_out(key) is gone


@pytest.mark.parametrize("said", [{"boot_delay": "soon"}, {"no_capacity": "a/b/c/d"}])
def test_what_cannot_be_read_is_one_sentence(said):
    with pytest.raises(BadWish, match=r"annotation kwok\.nodewright\.dev/"):
        read_wishes(a_said_pool(**said), None)
