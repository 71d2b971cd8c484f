"""The price list: GetProducts over the catalog, one document for each type, as AWS writes them.

The price list answers for every region at its few endpoints. Prices are those for Linux; reserved
terms and other systems are not in the catalog, so a question for them finds nothing.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from nodewright.catalog.offerings import on_demand_tag
from nodewright.catalog.table import Shape, Sheet, bundled_table
from nodewright.model.instance import NANO
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

SERVICE: Final = "AmazonEC2"
_PAGE: Final = 100
_TERM: Final = "JRTCKXETXF"
_RATE: Final = "6YS6EN2CT7"
_ATTRIBUTES: Final = ("instanceType", "regionCode", "operatingSystem", "tenancy", "capacitystatus")


@handles("pricing", "DescribeServices")
def describe_services(account: Account, call: Call) -> dict[str, Any]:
    """List services that have prices."""
    del account
    if call.params.get("ServiceCode") not in (None, SERVICE):
        raise AwsError("NotFoundException", "There is no such service.")
    service = {"ServiceCode": SERVICE, "AttributeNames": list(_ATTRIBUTES)}
    return {"FormatVersion": "aws_v1", "Services": [service]}


@handles("pricing", "GetProducts")
def get_products(account: Account, call: Call) -> dict[str, Any]:
    """List products that match all filters, each with its on-demand price."""
    del account
    params = call.params
    if params.get("ServiceCode", SERVICE) != SERVICE:
        return {"FormatVersion": "aws_v1", "PriceList": []}
    wanted = {str(one["Field"]): str(one["Value"]) for one in params.get("Filters") or ()}
    regions = [wanted["regionCode"]] if "regionCode" in wanted else list(bundled_table().regions)
    found = [
        (sheet, shape, row)
        for sheet in (
            bundled_table().sheet(one) for one in regions if one in bundled_table().regions
        )
        for shape, row in _rows(sheet)
        if _matches(_attributes(shape, sheet), _family(shape), wanted)
    ]
    size = min(int(params.get("MaxResults") or _PAGE), _PAGE)
    some, more = page(found, params.get("NextToken"), size, "InvalidNextTokenException")
    documents = [json.dumps(_document(*one)) for one in some]
    return with_token({"FormatVersion": "aws_v1", "PriceList": documents}, "NextToken", more)


def _rows(sheet: Sheet) -> Iterator[tuple[Shape, int]]:
    shapes = bundled_table().shapes
    for row, number in enumerate(sheet.types):
        if on_demand_tag(sheet, row).price is not None:
            yield shapes[number], row


def _family(shape: Shape) -> str:
    return "Compute Instance (bare metal)" if shape.is_bare_metal else "Compute Instance"


def _attributes(shape: Shape, sheet: Sheet) -> dict[str, str]:
    return {
        "capacitystatus": "Used",
        "currentGeneration": "Yes" if shape.is_current else "No",
        "instanceType": shape.name,
        "licenseModel": "No License required",
        "location": sheet.region,
        "locationType": "AWS Region",
        "marketoption": "OnDemand",
        "memory": f"{shape.memory_mib / 1024:g} GiB",
        "operatingSystem": "Linux",
        "operation": "RunInstances",
        "preInstalledSw": "NA",
        "regionCode": sheet.region,
        "servicecode": SERVICE,
        "servicename": "Amazon Elastic Compute Cloud",
        "tenancy": "Dedicated" if shape.is_bare_metal else "Shared",
        "usagetype": f"BoxUsage:{shape.name}",
        "vcpu": str(shape.vcpu),
    }


def _matches(attributes: Mapping[str, str], family: str, wanted: Mapping[str, str]) -> bool:
    told = {**attributes, "productFamily": family, "serviceCode": SERVICE}
    return all(told.get(field) == value for field, value in wanted.items())


def _document(sheet: Sheet, shape: Shape, row: int) -> dict[str, Any]:
    price = on_demand_tag(sheet, row).price or 0
    sku = f"{sheet.region}-{shape.name}".replace("-", "").replace(".", "").upper()
    amount = f"{price / NANO:.10f}"
    rate = {
        "unit": "Hrs",
        "endRange": "Inf",
        "description": f"${price / NANO:g} per On Demand Linux {shape.name} Instance Hour",
        "appliesTo": [],
        "rateCode": f"{sku}.{_TERM}.{_RATE}",
        "beginRange": "0",
        "pricePerUnit": {sheet.currency: amount},
    }
    term = {
        "priceDimensions": {f"{sku}.{_TERM}.{_RATE}": rate},
        "sku": sku,
        "effectiveDate": "2026-10-01T00:00:00Z",
        "offerTermCode": _TERM,
        "termAttributes": {},
    }
    return {
        "product": {
            "productFamily": _family(shape),
            "attributes": _attributes(shape, sheet),
            "sku": sku,
        },
        "serviceCode": SERVICE,
        "terms": {"OnDemand": {f"{sku}.{_TERM}": term}},
        "version": "20261001000000",
        "publicationDate": "2026-10-01T00:00:00Z",
    }
