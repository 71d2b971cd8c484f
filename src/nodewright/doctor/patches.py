"""Merge patches: the change from one document to another, and the way back."""

import copy

from nodewright.doctor.finding import Mend
from nodewright.install.found import Json
from nodewright.install.steps import Merge, Step


def merge_patch(before: Json, after: Json) -> Json:
    """Give the merge patch that turns one document into another; lists are replaced whole."""
    patch: Json = {key: None for key in before if key not in after}
    for key, value in after.items():
        was = before.get(key)
        if isinstance(value, dict) and isinstance(was, dict):
            inner = merge_patch(was, value)
            if inner:
                patch[key] = inner
        elif key not in before or was != value:
            patch[key] = value
    return patch


def with_variables(document: Json, values: dict[str, str]) -> Json:
    """Give a workload whose first container has these environment variables."""
    after: Json = copy.deepcopy(document)
    container = after["spec"]["template"]["spec"]["containers"][0]
    kept = [one for one in container.get("env") or () if one["name"] not in values]
    container["env"] = [*kept, *({"name": name, "value": text} for name, text in values.items())]
    return after


def change(path: str, title: tuple[str, str], detail: str, before: Json, after: Json) -> Mend:
    """Give the change of one object of the cluster, with the way back."""
    kind, name = title
    deed = Merge(path, merge_patch(before, after))
    return Mend(Step("~", kind, name, detail, (deed,)), (Merge(path, merge_patch(after, before)),))
