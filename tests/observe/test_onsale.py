"""What is on sale is told as metrics, and written anew only when it changes."""

import msgspec

from builders.types import a_type
from nodewright.observe.onsale import OnSale

BOTH = a_type("m", cpu=4, memory="8Gi", capacity_types=("on-demand", "spot"))


def rows(sale):
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in sale.write().decode().splitlines()
        if not line.startswith("#")
    }


def sold_out(kind):
    offerings = tuple(msgspec.structs.replace(one, available=False) for one in kind.offerings)
    return msgspec.structs.replace(kind, offerings=offerings)


def test_types_and_their_offerings_are_told():
    sale = OnSale()
    sale.learn("default", (BOTH,))
    found = rows(sale)

    assert found['karpenter_cloudprovider_instance_type_cpu_cores{instance_type="m"}'] == 4
    memory = found['karpenter_cloudprovider_instance_type_memory_bytes{instance_type="m"}']
    assert memory == 8 * 1024**3
    labels = '{instance_type="m",capacity_type="spot",zone="zone-a"}'
    price = found[f"karpenter_cloudprovider_instance_type_offering_price_estimate{labels}"]
    [spot] = {one.price for one in BOTH.offerings if one.capacity_type == "spot"}
    assert price == spot / 1_000_000_000
    assert found[f"karpenter_cloudprovider_instance_type_offering_available{labels}"] == 1


def test_what_one_class_can_have_is_there():
    sale = OnSale()
    sale.learn("default", (BOTH,))
    sale.learn("other", (sold_out(BOTH),))
    available = "karpenter_cloudprovider_instance_type_offering_available"
    assert {value for name, value in rows(sale).items() if name.startswith(available)} == {1}
    sale.learn("default", (sold_out(BOTH),))

    assert {value for name, value in rows(sale).items() if name.startswith(available)} == {0}


def test_the_same_answer_is_not_written_again():
    sale, types = OnSale(), (BOTH,)
    sale.learn("default", types)
    first = sale.write()
    sale.learn("default", types)

    assert sale.write() is first
