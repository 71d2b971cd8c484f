"""Kubelet settings moved from pools to classes: one class for each differing block.

A class that several pools share with different settings must become several. The pools without
settings keep the class's name, so that nothing changes for them; the others get the class's name
with their own behind it.
"""

import json

import msgspec

from nodewright.model.path import Path


class KubeletUse(msgspec.Struct, frozen=True):
    """One pool's settings for the class it names."""

    pool: str
    node_class: str
    kubelet: dict[str, object]
    source: str = ""
    path: Path = ()


class Split(msgspec.Struct, frozen=True):
    """The classes that one class becomes, with their settings, and which pool uses which."""

    kubelets: dict[str, dict[str, object]]
    classes: dict[str, str]


def split_class(node_class: str, uses: list[KubeletUse], taken: set[str]) -> Split:
    """Give a class a name for each differing block of settings; `taken` names are avoided."""
    groups: dict[str, list[KubeletUse]] = {}
    for use in sorted(uses, key=lambda use: use.pool):
        groups.setdefault(json.dumps(use.kubelet, sort_keys=True), []).append(use)
    ordered = sorted(groups.values(), key=lambda group: (bool(group[0].kubelet), group[0].pool))
    kubelets: dict[str, dict[str, object]] = {}
    classes: dict[str, str] = {}
    for position, group in enumerate(ordered):
        name = node_class if position == 0 else free_name(f"{node_class}-{group[0].pool}", taken)
        taken.add(name)
        kubelets[name] = group[0].kubelet
        classes.update((use.pool, name) for use in group)
    return Split(kubelets or {node_class: {}}, classes)


def free_name(wanted: str, taken: set[str]) -> str:
    """Give the wanted name, or the first like it with a number behind that nobody has."""
    name, count = wanted, 2
    while name in taken:
        name, count = f"{wanted}-{count}", count + 1
    return name
