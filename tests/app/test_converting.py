"""Whole files converted: what is today's stays, what is old is rewritten, nothing falls over."""

import pytest
import yaml

from builders.manifests import (
    a_class_text,
    a_pool_text,
    a_provisioner_text,
    a_template_text,
    a_workload_text,
)
from builders.wild import a_stream
from nodewright.app.converting import convert_sources
from nodewright.app.manifests import Source
from nodewright.convert.nodeclass import ConvertOptions
from nodewright.lint.engine import lint
from nodewright.lint.stream import Told
from nodewright.model.admission import admit
from nodewright.model.kinds import BY_NAME
from nodewright.state.manifests import read_manifests

COUNT = 300


def a_source(text, name="test.yaml"):
    return Source(name, text, tuple(read_manifests(text.encode(), name)))


def convert(*texts, **options):
    return convert_sources([a_source(text) for text in texts], ConvertOptions(**options))


def errors(text):
    found = lint(read_manifests(text.encode(), "test.yaml"), Told("eu-west-1"))
    return {finding.code for finding in found if finding.severity == "error"}


@pytest.mark.parametrize("chunk", range(10))
def test_manifests_of_the_wild_convert_and_lint_and_get_no_new_errors(chunk):
    for seed in range(chunk * COUNT // 10, (chunk + 1) * COUNT // 10):
        text = a_stream(seed)
        converted = convert(text, instance_profile="node")
        after = converted.text
        if converted.of_kind("refused"):
            continue
        assert errors(after) <= errors(text), seed
        assert [one.raw for one in read_manifests(after.encode(), "x")] == [
            one for one in yaml.load_all(after, Loader=yaml.CSafeLoader) if one is not None
        ]


@pytest.mark.parametrize("chunk", range(5))
def test_what_comes_out_of_healthy_manifests_is_what_an_api_server_takes(chunk):
    for seed in range(chunk * 40, (chunk + 1) * 40):
        text = a_stream(seed)
        converted = convert(text, instance_profile="node")
        if errors(text) or converted.of_kind("refused", "lost"):
            continue
        for raw in converted.objects:
            kind = BY_NAME[raw["apiVersion"], raw["kind"]]
            assert raw["apiVersion"].endswith("/v1")
            assert admit(plain(raw), kind.struct) == [], seed


def plain(value):
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def test_most_of_the_wild_is_not_refused():
    refused = [seed for seed in range(100) if convert(a_stream(seed), role="r").of_kind("refused")]

    assert len(refused) < 20


def test_converting_twice_is_converting_once():
    for seed in range(60):
        once = convert(a_stream(seed)).text
        assert convert(once).text == once


def test_v1_comes_out_byte_for_byte():
    text = f"# mine\n\n{a_pool_text()}---\n\n# yours\n{a_class_text()}...\n"

    assert convert(text).text == text


def test_comments_stand_over_what_changed():
    text = convert(a_provisioner_text(), a_template_text()).text

    assert "        # Karpenter added kubernetes.io/os In [linux]" in text
    assert "      # nodes never expired unless it was said" in text
    assert (
        "    # the hop limit was 2 by default, and is 1 today\n    httpPutResponseHopLimit: 2"
        in text
    )


def test_the_comment_of_a_document_goes_with_it():
    text = convert(f"# of the shop\n{a_provisioner_text()}").text

    assert text.startswith("# of the shop\n# was karpenter.sh/v1alpha5 Provisioner/general\n")


def test_a_pool_and_its_class_may_stand_in_two_files():
    converted = convert(a_provisioner_text(kubeletConfiguration={"maxPods": 20}), a_template_text())
    (pool, node_class) = converted.objects

    assert node_class["spec"]["kubelet"] == {"maxPods": 20}
    assert pool["spec"]["template"]["spec"]["nodeClassRef"]["name"] == "general"


def test_pools_with_different_kubelets_get_classes_of_their_own():
    converted = convert(
        a_provisioner_text("a", kubeletConfiguration={"maxPods": 20}),
        a_provisioner_text("b", kubeletConfiguration={"maxPods": 30}),
        a_template_text(),
    )
    names = [one["metadata"]["name"] for one in converted.objects if one["kind"] == "EC2NodeClass"]

    assert names == ["general", "general-b"]


def test_a_field_that_nobody_knows_is_lost_and_said():
    converted = convert(a_provisioner_text(wight=3))

    assert [(one.path, one.line > 0) for one in converted.of_kind("lost")] == [("spec.wight", True)]
    assert "# lost: spec.wight is no field" in converted.text


def test_a_value_of_the_wrong_type_is_refused_with_its_place():
    (refused,) = convert(a_provisioner_text(weight="heavy")).of_kind("refused")

    assert (refused.path, refused.message[:32]) == (
        "spec.weight",
        "spec.weight must be a whole numb",
    )


def test_a_launch_template_is_refused_with_advice():
    text = a_template_text(launchTemplate="mine").replace("  instanceProfile: node\n", "")
    (refused,) = convert(text).of_kind("refused")

    assert "amiSelectorTerms" in refused.message


def test_old_names_in_workloads_are_replaced_in_place():
    pod = "# web\n" + a_workload_text(nodeSelector={"karpenter.sh/provisioner-name": "general"})
    text = convert(pod).text

    assert text == pod.replace("karpenter.sh/provisioner-name", "karpenter.sh/nodepool")


VALUES = """\
# values of the shop
replicas: 2
settings:
  # where we are
  aws:
    # the name
    clusterName: prod   # short
    defaultInstanceProfile: node-profile
    interruptionQueueName: prod
    enablePodENI: true
    tags:
      team: shop
  batchMaxDuration: 10s
"""


def test_old_values_become_todays_with_their_comments():
    assert convert(VALUES).text == (
        "# values of the shop\n"
        "replicas: 2\n"
        "settings:\n"
        "  # where we are\n"
        "  # the name\n"
        "  clusterName: prod   # short\n"
        "  interruptionQueue: prod\n"
        "  batchMaxDuration: 10s\n"
    )


def test_old_values_fill_in_for_classes():
    converted = convert(VALUES, a_template_text().replace("  instanceProfile: node\n", ""))
    (node_class,) = [one for one in converted.objects if one.get("kind") == "EC2NodeClass"]

    assert node_class["spec"]["instanceProfile"] == "node-profile"
    assert node_class["spec"]["tags"] == {"team": "shop"}


def test_the_settings_of_a_config_map_fill_in_too_and_it_goes_away():
    config = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: karpenter-global-settings}\n"
        "data: {aws.defaultInstanceProfile: node-profile, aws.clusterName: prod}\n"
    )
    converted = convert(config, a_template_text().replace("  instanceProfile: node\n", ""))

    assert [one["kind"] for one in converted.objects] == ["EC2NodeClass"]
    assert converted.objects[0]["spec"]["instanceProfile"] == "node-profile"


def test_a_list_is_taken_apart():
    pool, template = yaml.safe_load(a_provisioner_text()), yaml.safe_load(a_template_text())
    pod = yaml.safe_load(a_workload_text())
    text = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [pool, pod, template]})

    assert [one["kind"] for one in convert(text).objects] == [
        "NodePool",
        "Deployment",
        "EC2NodeClass",
    ]


def test_a_role_can_be_given():
    (node_class,) = convert(
        a_template_text().replace("  instanceProfile: node\n", ""), role="mine"
    ).objects

    assert node_class["spec"]["role"] == "mine"
