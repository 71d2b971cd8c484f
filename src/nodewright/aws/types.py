"""Instance types, where they are sold and for how much: as AWS tells it, else as we know it.

Each of the four answers (types, zones, on-demand prices, spot prices) is refreshed twice a day and kept
when AWS does not give a new one; until it has given one, the bundled table speaks. So no API that is
down stops a launch. What AWS does not tell of a type (its branch interfaces and its bandwidth) is the
bundled table's. In government clouds and without the Internet on-demand prices are never asked for.
"""

import asyncio
import datetime as dt
import logging
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.calls import (
    DESCRIBE_INSTANCE_TYPES,
    DESCRIBE_SPOT_PRICES,
    DESCRIBE_TYPE_OFFERINGS,
    GET_PRODUCTS,
)
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.market import bundled_market, sheet_of
from nodewright.aws.terms import a_filter
from nodewright.catalog.describe import NetworkFacts, read_shape
from nodewright.catalog.pricelist import currency_of, read_on_demand, read_spot
from nodewright.catalog.resolve import resolve_type
from nodewright.catalog.settings import NodeSettings
from nodewright.catalog.table import Shape, bundled_table
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.ports.clock import Clock

REFRESH_MS: Final = 12 * 3_600_000
RETRY_MS: Final = 60_000
VIEWS_MAX: Final = 64
_PAGE_TYPES: Final = 100
_PAGE_OFFERINGS: Final = 1_000
_PAGE_PRODUCTS: Final = 100
_SPOT_PRODUCTS: Final = ["Linux/UNIX", "Linux/UNIX (Amazon VPC)"]
_log: Final = logging.getLogger("nodewright.aws")


class TypeBook:
    """Everything that a region sells, as fresh as AWS lets us have it."""

    def __init__(
        self, gateway: Gateway, clock: Clock, region: str, *, is_isolated: bool = False
    ) -> None:
        self._gateway = gateway
        self._clock = clock
        self._region = region
        self._asks_prices = not is_isolated and not region.startswith(("us-gov-", "us-iso"))
        self._market = bundled_market(region)
        self._due_ms = 0
        self._lock = asyncio.Lock()
        self._views: dict[NodeSettings, tuple[InstanceType, ...]] = {}

    async def types(self, settings: NodeSettings) -> tuple[InstanceType, ...]:
        """Give every type as the settings of a class see it, in order of name."""
        async with self._lock:
            if self._clock.now_ms() >= self._due_ms:
                await self._refresh()
        known = self._views.get(settings)
        if known is None:
            if len(self._views) >= VIEWS_MAX:
                del self._views[next(iter(self._views))]
            known = self._views[settings] = self._view(settings)
        return known

    def shapes(self) -> Mapping[str, Shape]:
        """Give what every type is, as far as is known now."""
        return self._market.shapes

    def _view(self, settings: NodeSettings) -> tuple[InstanceType, ...]:
        shapes = [self._market.shapes[name] for name in sorted(self._market.shapes)]
        sheet = sheet_of(self._region, self._market, shapes)
        return tuple(
            resolve_type(shapes[number], sheet, row, settings)
            for row, number in enumerate(sheet.types)
        )

    async def _refresh(self) -> None:
        changes: dict[str, Any] = {}
        answers = await asyncio.gather(
            self._ask_shapes(), self._ask_zones(), self._ask_prices(), self._ask_spot()
        )
        names = ("shapes", "zones", "prices", "spot")
        is_whole = True
        for name, answer in zip(names, answers, strict=True):
            if isinstance(answer, Fault):
                is_whole = False
                _log.warning("what is known of %s stays: %s", name, answer)
            elif answer:
                changes[name] = answer
        self._market = msgspec.structs.replace(self._market, **changes)
        self._views.clear()
        self._due_ms = self._clock.now_ms() + (REFRESH_MS if is_whole else RETRY_MS)

    async def _ask_shapes(self) -> Mapping[str, Shape] | Fault:
        params = {
            "Filters": [
                a_filter("supported-virtualization-type", "hvm"),
                a_filter("processor-info.supported-architecture", "x86_64", "arm64"),
            ],
            "MaxResults": _PAGE_TYPES,
        }
        found = await self._gateway.ask_all(DESCRIBE_INSTANCE_TYPES, params, "InstanceTypes")
        if isinstance(found, Fault):
            return found
        return dict(shape for one in found for shape in _shapes(one))

    async def _ask_zones(self) -> Mapping[str, tuple[str, ...]] | Fault:
        params = {"LocationType": "availability-zone", "MaxResults": _PAGE_OFFERINGS}
        found = await self._gateway.ask_all(
            DESCRIBE_TYPE_OFFERINGS, params, "InstanceTypeOfferings"
        )
        if isinstance(found, Fault):
            return found
        zones: dict[str, set[str]] = {}
        for one in found:
            zones.setdefault(str(one["InstanceType"]), set()).add(str(one["Location"]))
        return {name: tuple(sorted(of)) for name, of in zones.items()}

    async def _ask_prices(self) -> Mapping[str, int] | Fault:
        if not self._asks_prices:
            return {}
        documents: list[Any] = []
        for tenancy, family in (
            ("Shared", "Compute Instance"),
            ("Dedicated", "Compute Instance (bare metal)"),
        ):
            found = await self._gateway.ask_all(
                GET_PRODUCTS, _products(self._region, tenancy, family), "PriceList"
            )
            if isinstance(found, Fault):
                return found
            documents.extend(found)
        try:
            return read_on_demand(documents, currency_of(self._region))
        except UserError as error:
            return Fault("BadPriceList", error.message)

    async def _ask_spot(self) -> Mapping[tuple[str, str], int] | Fault:
        now = dt.datetime.fromtimestamp(self._clock.now_ms() / 1000, dt.UTC)
        params = {"ProductDescriptions": _SPOT_PRODUCTS, "StartTime": now}
        found = await self._gateway.ask_all(DESCRIBE_SPOT_PRICES, params, "SpotPriceHistory")
        return found if isinstance(found, Fault) else read_spot(found)


def _shapes(description: Mapping[str, Any]) -> list[tuple[str, Shape]]:
    name = str(description.get("InstanceType", ""))
    known = bundled_table().shapes_by_name.get(name)
    facts = (
        NetworkFacts(known.branch_interfaces, known.network_mbps)
        if known is not None
        else NetworkFacts()
    )
    try:
        shape = read_shape(description, facts)
    except UserError as error:
        # One type that is described oddly must not cost us all the others.
        _log.warning("%s", error.message)
        return []
    return [] if shape is None else [(name, shape)]


def _products(region: str, tenancy: str, family: str) -> dict[str, Any]:
    fields = {
        "regionCode": region,
        "serviceCode": "AmazonEC2",
        "preInstalledSw": "NA",
        "operatingSystem": "Linux",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
        "tenancy": tenancy,
        "productFamily": family,
    }
    return {
        "ServiceCode": "AmazonEC2",
        "FormatVersion": "aws_v1",
        "MaxResults": _PAGE_PRODUCTS,
        "Filters": [
            {"Type": "TERM_MATCH", "Field": field, "Value": value}
            for field, value in fields.items()
        ],
    }
