"""Kubelet settings that are written as expressions, worked out for one type after the other.

First `maxPods`, which sees the number of pods that would hold without it as `max_pods`; then what is
reserved, which sees the number that came out. Results are millicores for cpu, MiB for memory, GiB for
disk and a count for processes; cpu and memory are rounded up, so that types that differ by a hair
still share a launch template.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from nodewright.catalog.capacity import pods_of
from nodewright.catalog.settings import GIB, NodeSettings
from nodewright.catalog.table import Shape
from nodewright.model.errors import UserError
from nodewright.model.expression import work_out
from nodewright.model.expression_term import BadExpression, Values
from nodewright.model.quantity import MILLI, Milli

PODS_MAX: Final = 2**31 - 1
BAD_FORMULA: Final = "NW-2026"
_UNITS: Final[Mapping[str, tuple[Milli, int]]] = {
    "cpu": (1, 10),
    "memory": (1024**2 * MILLI, 16),
    "ephemeral-storage": (GIB, 1),
    "pid": (MILLI, 1),
}
"""What one of the result is, and to a multiple of how many it is rounded up."""


def settle(shape: Shape, settings: NodeSettings) -> NodeSettings:
    """Give the settings that hold for one type, without expressions.

    An expression without a usable result is a `UserError` that names the field and the type.
    """
    if not settings.has_formulas:
        return settings
    plain = msgspec.structs.replace(
        settings, max_pods_formula="", kube_formulas=(), system_formulas=()
    )
    if settings.max_pods_formula:
        pods = _result("maxPods", settings.max_pods_formula, _values(shape, plain))
        if pods > PODS_MAX:
            raise _unusable("maxPods", shape.name, f"the result {pods} is more than {PODS_MAX}")
        plain = msgspec.structs.replace(plain, max_pods=pods)
    values = _values(shape, plain)
    return msgspec.structs.replace(
        plain,
        kube_reserved=_reserved(
            plain.kube_reserved, "kubeReserved", settings.kube_formulas, values
        ),
        system_reserved=_reserved(
            plain.system_reserved, "systemReserved", settings.system_formulas, values
        ),
    )


def check_formulas(settings: NodeSettings, shapes: Iterable[Shape]) -> UserError | None:
    """Give what is wrong with the first type for which an expression has no usable result."""
    if not settings.has_formulas:
        return None
    for shape in shapes:
        try:
            settle(shape, settings)
        except UserError as error:
            return error
    return None


def _values(shape: Shape, settings: NodeSettings) -> Values:
    has_card = shape.default_card < len(shape.card_interfaces)
    return {
        "vcpus": shape.vcpu,
        "memory_mib": shape.memory_mib,
        "default_enis": shape.card_interfaces[shape.default_card] if has_card else 0,
        "ips_per_eni": shape.ipv4_per_interface,
        "max_pods": pods_of(shape, settings),
        "instance_type": shape.name,
    }


def _reserved(
    written: tuple[tuple[str, Milli], ...],
    field: str,
    formulas: tuple[tuple[str, str], ...],
    values: Values,
) -> tuple[tuple[str, Milli], ...]:
    found = dict(written)
    for resource, text in formulas:
        result = _result(f"{field} {resource}", text, values)
        if resource not in _UNITS:
            why = f"only {', '.join(_UNITS)} may be expressions"
            raise _unusable(f"{field} {resource}", str(values["instance_type"]), why)
        unit, step = _UNITS[resource]
        found[resource] = -(-result // step) * step * unit
    return tuple(sorted(found.items()))


def _result(field: str, text: str, values: Values) -> int:
    name = str(values["instance_type"])
    try:
        result = work_out(text, values)
    except BadExpression as error:
        raise _unusable(field, name, str(error)) from error
    if result < 0:
        raise _unusable(field, name, f"the result {result} is negative")
    return result


def _unusable(field: str, name: str, why: str) -> UserError:
    return UserError(f"kubelet {field} cannot be worked out for {name}: {why}", code=BAD_FORMULA)
