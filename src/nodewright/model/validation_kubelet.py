"""What the controllers refuse in `spec.kubelet` of an EC2NodeClass; the API server checks none of it.

The rules are the kubelet's own, as far as breaking one would leave a node that never joins. What a
family of images cannot express is refused too, because it would be dropped without a word.
"""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

from nodewright.model.duration import BadDuration, parse_go_duration
from nodewright.model.expression import read_expression
from nodewright.model.expression_term import BadExpression
from nodewright.model.kubelet import FIELDS, INTERPRETED, is_expression
from nodewright.model.path import Path
from nodewright.model.quantity import BadQuantity, parse_amount
from nodewright.model.validation import Problem

INVALID: Final = "InvalidKubeletConfiguration"
UNSUPPORTED: Final = "UnsupportedKubeletConfiguration"
EXPRESSIONS_DISABLED: Final = "KubeletExpressionsDisabled"
EXPRESSION_INVALID: Final = "KubeletExpressionInvalid"
EXPRESSION_FAILED: Final = "KubeletExpressionEvaluationFailed"
CODES: Final = {
    INVALID: "NW-2020",
    UNSUPPORTED: "NW-2021",
    EXPRESSIONS_DISABLED: "NW-2022",
    EXPRESSION_INVALID: "NW-2025",
    EXPRESSION_FAILED: "NW-2026",
}

EVICTION_SIGNALS: Final = (
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "pid.available",
)
RESERVED_RESOURCES: Final = ("cpu", "memory", "ephemeral-storage", "pid")
_COUNTS: Final = ("maxPods", "podsPerCore", "evictionMaxPodGracePeriod")
_PERCENTS: Final = ("imageGCHighThresholdPercent", "imageGCLowThresholdPercent")

_DISABLED: Final = (
    "this is an expression, which works only with the gate NodeClassCEL: write an amount, "
    "or start the controller with --aws-feature-gates NodeClassCEL=true"
)

type _Check = Callable[[Mapping[str, Any]], Iterator[Problem]]


def validate_kubelet(
    kubelet: Mapping[str, Any], family: str, *, expressions: bool = False
) -> list[Problem]:
    """Tell everything that is wrong with kubelet settings for a family of images."""
    typed: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in kubelet.items():
        found = _field_problem(name, value)
        if found is None:
            typed[name] = value
        else:
            problems.append(found)
    for check in _CHECKS:
        problems.extend(check(typed))
    problems.extend(_check_expressions(typed, allowed=expressions))
    problems.extend(_check_family(typed, family))
    return problems


def _problem(path: Path, message: str, reason: str = INVALID) -> Problem:
    return Problem(("spec", "kubelet", *path), message, CODES[reason], reason=reason)


def _field_problem(name: str, value: Any) -> Problem | None:
    if name == "registerWithTaints":
        return _problem(
            (name,), "registerWithTaints is set by the autoscaler: use the NodePool's taints"
        )
    allowed = FIELDS.get(name)
    if allowed is None:
        close = get_close_matches(name, FIELDS, 1, 0.6)
        hint = f", did you mean {close[0]}?" if close else ""
        return _problem((name,), f"the kubelet has no setting {name}{hint}")
    is_right = isinstance(value, allowed) and (bool in allowed or not isinstance(value, bool))
    if not is_right:
        return _problem((name,), f"{name} must be {_KIND_NAMES[allowed[0]]}, not {value!r:.40}")
    return None


_KIND_NAMES: Final = {
    bool: "true or false",
    int: "a whole number",
    str: "text",
    list: "a list",
    dict: "an object",
}


def _check_counts(kubelet: Mapping[str, Any]) -> Iterator[Problem]:
    for name in _COUNTS:
        value = kubelet.get(name)
        if isinstance(value, int) and value < 0:
            yield _problem((name,), f"{name} cannot be negative")
    for name in _PERCENTS:
        if name in kubelet and not 0 <= kubelet[name] <= 100:
            yield _problem((name,), f"{name} must be between 0 and 100")
    high, low = (kubelet.get(name) for name in _PERCENTS)
    if high is not None and low is not None and high <= low:
        yield _problem((_PERCENTS[0],), f"{_PERCENTS[0]} must be greater than {_PERCENTS[1]}")


def _check_eviction(kubelet: Mapping[str, Any]) -> Iterator[Problem]:
    for field in ("evictionHard", "evictionSoft"):
        for signal, value in kubelet.get(field, {}).items():
            if signal not in EVICTION_SIGNALS:
                yield _problem((field, signal), _unknown(signal, EVICTION_SIGNALS))
            elif problem := _threshold_problem(value):
                yield _problem((field, signal), f"{signal} {problem}")
    grace = kubelet.get("evictionSoftGracePeriod", {})
    for signal, value in grace.items():
        if signal not in EVICTION_SIGNALS:
            path = ("evictionSoftGracePeriod", signal)
            yield _problem(path, _unknown(signal, EVICTION_SIGNALS))
        elif problem := _grace_problem(value):
            yield _problem(("evictionSoftGracePeriod", signal), problem)
    soft = kubelet.get("evictionSoft", {})
    for signal in sorted(set(soft) - set(grace)):
        sentence = f"{signal} needs an entry in evictionSoftGracePeriod too"
        yield _problem(("evictionSoft", signal), sentence)
    for signal in sorted(set(grace) - set(soft)):
        sentence = f"{signal} has no threshold in evictionSoft"
        yield _problem(("evictionSoftGracePeriod", signal), sentence)


def _check_reserved(kubelet: Mapping[str, Any]) -> Iterator[Problem]:
    for field in ("systemReserved", "kubeReserved"):
        for resource, value in kubelet.get(field, {}).items():
            if resource not in RESERVED_RESOURCES:
                yield _problem((field, resource), _unknown(resource, RESERVED_RESOURCES))
            elif is_expression(value):
                continue
            elif problem := _amount_problem(value):
                yield _problem((field, resource), problem)


_CHECKS: Final[tuple[_Check, ...]] = (_check_counts, _check_eviction, _check_reserved)


def _check_expressions(kubelet: Mapping[str, Any], *, allowed: bool) -> Iterator[Problem]:
    written: dict[Path, str] = {}
    if isinstance(kubelet.get("maxPods"), str):
        written[("maxPods",)] = kubelet["maxPods"]
    for field in ("systemReserved", "kubeReserved"):
        entries = kubelet.get(field, {}).items()
        written |= {(field, name): value for name, value in entries if is_expression(value)}
    for path, text in written.items():
        if not allowed:
            yield _problem(path, _DISABLED, EXPRESSIONS_DISABLED)
            continue
        try:
            read_expression(text)
        except BadExpression as error:
            sentence = f"the expression {text!r:.80} cannot be read: {error}"
            yield _problem(path, sentence, EXPRESSION_INVALID)


def _check_family(kubelet: Mapping[str, Any], family: str) -> Iterator[Problem]:
    if family == "Custom":
        return
    for name in kubelet:
        if name not in INTERPRETED and family != "AL2023":
            sentence = f"{name} cannot be set on {family or 'this family'}: only AL2023 takes it"
            yield _problem((name,), sentence, UNSUPPORTED)
    if family == "Bottlerocket" and "podsPerCore" in kubelet:
        yield _problem(("podsPerCore",), "podsPerCore cannot be set on Bottlerocket", UNSUPPORTED)
    if family != "AL2023" and len(kubelet.get("clusterDNS", ())) > 1:
        sentence = f"{family or 'this family'} takes one clusterDNS address; only AL2023 takes more"
        yield _problem(("clusterDNS",), sentence, UNSUPPORTED)


def _unknown(name: str, known: tuple[str, ...]) -> str:
    return f"{name} is none of {', '.join(known)}"


def _threshold_problem(value: Any) -> str:
    text = str(value)
    if text.endswith("%"):
        number = text[:-1]
        digits = number.replace(".", "", 1)
        if not (digits.isascii() and digits.isdecimal()) or float(number) > 100:
            return f"must be between 0% and 100%, not {text}"
        return ""
    return _amount_problem(value)


def _amount_problem(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return f"must be a quantity, not {value!r:.40}"
    try:
        amount = parse_amount(value)
    except BadQuantity as error:
        return str(error)
    return f"cannot be negative ({value})" if amount < 0 else ""


def _grace_problem(value: Any) -> str:
    try:
        length = parse_go_duration(value) if isinstance(value, str) else -1
    except BadDuration as error:
        return str(error)
    return "" if length >= 0 else f"must be a duration that is not negative, not {value!r:.40}"
