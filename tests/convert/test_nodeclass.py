import msgspec
import pytest

from builders.legacy import a_template, an_object
from nodewright.convert.nodeclass import ConvertOptions
from nodewright.convert.stream import convert_legacy
from nodewright.model.ec2nodeclass import EC2NodeClass


def the_class(*objects, **options):
    (one,) = convert_legacy(objects, ConvertOptions(**options)).of_type(EC2NodeClass)
    return one


def terms(selector_field, selector):
    made = the_class(a_template(**{selector_field: selector}))
    found = getattr(
        made.spec,
        {
            "subnetSelector": "subnet_selector_terms",
            "securityGroupSelector": "security_group_selector_terms",
            "amiSelector": "ami_selector_terms",
        }[selector_field],
    )
    return [msgspec.to_builtins(term) for term in found]


@pytest.mark.parametrize("field", ["subnetSelector", "securityGroupSelector"])
@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"a": "b"}, [{"tags": {"a": "b"}}]),
        ({"a": "*"}, [{"tags": {"a": "*"}}]),
        ({"a": "b", "c": "d"}, [{"tags": {"a": "b", "c": "d"}}]),
        ({"aws-ids": "x-1, x-2"}, [{"id": "x-1"}, {"id": "x-2"}]),
        ({"aws::ids": "x-1"}, [{"id": "x-1"}]),
        (
            {"Name": "a,b", "Env": "x,y"},
            [
                {"tags": {"Name": "a", "Env": "x"}},
                {"tags": {"Name": "a", "Env": "y"}},
                {"tags": {"Name": "b", "Env": "x"}},
                {"tags": {"Name": "b", "Env": "y"}},
            ],
        ),
    ],
)
def test_a_selector_becomes_terms(field, selector, expected):
    assert terms(field, selector) == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"aws::ids": "ami-1,ami-2"}, [{"id": "ami-1"}, {"id": "ami-2"}]),
        ({"aws::name": "x*"}, [{"name": "x*"}]),
        (
            {"aws::name": "x*", "aws::owners": "self,123"},
            [{"name": "x*", "owner": "self"}, {"name": "x*", "owner": "123"}],
        ),
        (
            {"env": "prod"},
            [
                {"tags": {"env": "prod"}, "owner": "self"},
                {"tags": {"env": "prod"}, "owner": "amazon"},
            ],
        ),
    ],
)
def test_an_image_selector_keeps_its_owners(selector, expected):
    assert terms("amiSelector", selector) == expected


@pytest.mark.parametrize(
    ("spec", "minor", "family", "term"),
    [
        ({}, None, None, {"alias": "al2@latest"}),
        ({}, 30, None, {"alias": "al2@latest"}),
        ({}, 33, None, {"alias": "al2023@latest"}),
        ({"amiFamily": "Bottlerocket"}, None, None, {"alias": "bottlerocket@latest"}),
        ({"amiFamily": "Windows2022"}, None, None, {"alias": "windows2022@latest"}),
        ({"amiSelector": {"aws::ids": "ami-1"}}, None, "AL2", {"id": "ami-1"}),
        (
            {"amiFamily": "Custom", "amiSelector": {"aws::ids": "ami-1"}},
            None,
            "Custom",
            {"id": "ami-1"},
        ),
    ],
)
def test_images_are_those_of_before(spec, minor, family, term):
    made = the_class(a_template(**spec), kubernetes_minor=minor)
    assert made.spec.ami_family == family
    assert [msgspec.to_builtins(one) for one in made.spec.ami_selector_terms] == [term]


def test_ubuntu_gets_its_images_its_user_data_and_its_disk():
    made = the_class(a_template(amiFamily="Ubuntu"), kubernetes_minor=31)
    assert made.spec.ami_family == "AL2"
    assert all("/ubuntu/eks/22.04/1.31/" in t.ssm_parameter for t in made.spec.ami_selector_terms)
    (disk,) = made.spec.block_device_mappings
    assert (disk.device_name, disk.root_volume, disk.ebs.volume_size) == ("/dev/sda1", True, "20Gi")


def test_the_hop_limit_of_then_is_written_out():
    assert the_class(a_template()).spec.metadata_options.http_put_response_hop_limit == 2
    written = the_class(a_template(metadataOptions={"httpPutResponseHopLimit": 1}))
    assert written.spec.metadata_options.http_put_response_hop_limit == 1


SETTINGS_MAP = an_object(
    "v1",
    "ConfigMap",
    "karpenter-global-settings",
    data={
        "aws.clusterName": "prod",
        "aws.defaultInstanceProfile": "profile",
        "aws.tags": '{"team": "a", "Name": "x"}',
        "aws.enablePodENI": "true",
        "aws.reservedENIs": "1",
        "batchIdleDuration": "1s",
    },
)


def test_settings_fill_in_what_the_template_leaves_to_them():
    made = the_class(a_template(tags={"Name": "mine"}), SETTINGS_MAP)
    assert made.spec.instance_profile == "profile"
    assert made.spec.tags == {"team": "a", "Name": "mine"}


def test_a_profile_of_its_own_wins():
    made = the_class(a_template(instanceProfile="own"), SETTINGS_MAP)
    assert made.spec.instance_profile == "own"


def test_a_profile_that_nobody_named_is_guessed_and_said():
    conversion = convert_legacy([a_template()])
    (made,) = conversion.of_type(EC2NodeClass)
    assert made.spec.instance_profile == "KarpenterNodeInstanceProfile-c"
    assert any(note.kind == "check" and "check it" in note.message for note in conversion.notes)


def test_a_tag_that_is_ours_today_is_removed_and_said():
    conversion = convert_legacy([a_template(tags={"karpenter.sh/nodepool": "x", "a": "b"})])
    (made,) = conversion.of_type(EC2NodeClass)
    assert made.spec.tags == {"a": "b"}
    assert [note.kind for note in conversion.notes].count("lost") == 1
