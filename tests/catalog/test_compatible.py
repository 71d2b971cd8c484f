"""Which types EC2 would start as a NodeClass wants them."""

import pytest

from builders.shapes import a_shape
from nodewright.catalog.compatible import is_compatible
from nodewright.catalog.settings import DEFAULT, Interface, NodeSettings

EFA = Interface(0, 1, "efa-only")


@pytest.mark.parametrize(
    ("shape", "settings", "fits"),
    [
        (a_shape(), DEFAULT, True),
        (a_shape("a1.large"), DEFAULT, False),
        (a_shape("a1.large"), NodeSettings(ami_family="Bottlerocket"), True),
        (a_shape(), NodeSettings(nests_virtualization=True), False),
        (a_shape(nests_virtualization=True), NodeSettings(nests_virtualization=True), True),
        (a_shape(), NodeSettings(placement_strategy="cluster"), True),
        (a_shape(placements=("spread",)), NodeSettings(placement_strategy="cluster"), False),
        (a_shape(hypervisor="xen"), NodeSettings(has_connection_tracking=True), False),
        (a_shape(), NodeSettings(has_connection_tracking=True), True),
        (a_shape(), NodeSettings(network_interfaces=(Interface(0, 0),)), True),
        (a_shape(has_ena=False), NodeSettings(network_interfaces=(Interface(0, 0),)), False),
        (a_shape(), NodeSettings(network_interfaces=(Interface(1, 0),)), False),
        (a_shape(), NodeSettings(network_interfaces=(Interface(0, 3),)), False),
        (a_shape(), NodeSettings(network_interfaces=(Interface(0, 0), EFA)), False),
        (
            a_shape(efa_interfaces=1),
            NodeSettings(network_interfaces=(Interface(0, 0), EFA)),
            True,
        ),
    ],
)
def test_a_type_fits_the_settings_or_not(shape, settings, fits):
    assert is_compatible(shape, settings) is fits
