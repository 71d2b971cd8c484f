"""Tags: whose a thing is."""

from nodewright.aws.tags import owned_key, print_tags, read_tags, shared_tags, tag_specification


def test_everything_says_whose_it_is():
    assert shared_tags("demo", "default", "standard", {"team": "search"}) == {
        "eks:eks-cluster-name": "demo",
        "karpenter.k8s.aws/ec2nodeclass": "standard",
        "karpenter.sh/nodepool": "default",
        "kubernetes.io/cluster/demo": "owned",
        "nodewright.dev/cluster": "demo",
        "team": "search",
    }


def test_a_class_cannot_say_that_it_is_another_s():
    assert (
        shared_tags("demo", "p", "c", {owned_key("demo"): "shared"})[owned_key("demo")] == "owned"
    )


def test_tags_are_written_in_order_and_read_back():
    tags = {"b": "2", "a": ""}

    assert print_tags(tags) == [{"Key": "a", "Value": ""}, {"Key": "b", "Value": "2"}]
    assert read_tags(print_tags(tags)) == tags
    assert read_tags(None) == {}
    assert tag_specification("volume", {})["ResourceType"] == "volume"
