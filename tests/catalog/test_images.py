"""The image of a machine: the first of the list that fits its type."""

from nodewright.catalog.images import image_for
from nodewright.catalog.resolve import instance_types_for
from nodewright.model.ec2nodeclass import AMIStatus
from nodewright.model.metadata import NodeSelectorRequirement


def an_image(name, arch):
    wanted = NodeSelectorRequirement(key="kubernetes.io/arch", operator="In", values=(arch,))
    return AMIStatus(id=name, requirements=(wanted,))


def test_the_first_image_that_fits_is_taken():
    types = {one.name: one for one in instance_types_for("us-west-2")}
    images = (an_image("new", "arm64"), an_image("newer", "amd64"), an_image("old", "amd64"))

    assert image_for(types["m5.large"], images).id == "newer"
    assert image_for(types["m6g.large"], images).id == "new"
    assert image_for(types["m6g.large"], images[1:]) is None
