"""Which nodes must go together: those whose pods share a new node, and nobody else.

Commands that are as small as they can be fail alone and are done sooner.
"""

from collections.abc import Iterable, Mapping

import msgspec

from nodewright.model.pod import Pod


class Part(msgspec.Struct, frozen=True):
    """Nodes by name and new nodes by number that hang together."""

    nodes: tuple[str, ...]
    drafts: tuple[int, ...]


def components(
    nodes: Iterable[str], origin: Mapping[int, str], drafts: Mapping[int, Iterable[Pod]]
) -> list[Part]:
    """Part nodes by the new nodes that their pods share; `origin` has, by id, where a pod was."""
    parent: dict[str | int, str | int] = {}

    def root(one: str | int) -> str | int:
        while parent.setdefault(one, one) != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    known = list(nodes)
    for name in known:
        root(name)
    going = set(known)
    for number, pods in drafts.items():
        root(number)
        for pod in pods:
            home = origin.get(id(pod))
            if home is not None and home in going:
                parent[root(home)] = root(number)
    by_root: dict[str | int, tuple[list[str], list[int]]] = {}
    for name in known:
        by_root.setdefault(root(name), ([], []))[0].append(name)
    for number in drafts:
        by_root.setdefault(root(number), ([], []))[1].append(number)
    return [Part(tuple(names), tuple(numbers)) for names, numbers in by_root.values()]
