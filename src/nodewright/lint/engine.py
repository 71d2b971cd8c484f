"""Every rule over a stream, and the findings in the order of the files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from nodewright.lint.finding import Finding
from nodewright.lint.rules import (
    budgets,
    cluster_names,
    controller,
    daemons,
    definitions,
    efa,
    emptiness,
    fit,
    generations,
    images,
    instance_names,
    legacy,
    lifetimes,
    limits,
    max_pods,
    overlap,
    placeholders,
    policies,
    references,
    security_groups,
    spot_queue,
    structure,
    unknown_fields,
)
from nodewright.lint.stream import Stream, Told
from nodewright.state.manifests import Manifest

type Rule = Callable[[Stream], Iterator[Finding]]

RULES: Final[tuple[Rule, ...]] = (
    structure.check,
    unknown_fields.check,
    references.check,
    placeholders.check,
    legacy.check,
    instance_names.check,
    efa.check,
    emptiness.check,
    generations.check,
    overlap.check,
    limits.check,
    budgets.check,
    policies.check,
    lifetimes.check,
    images.check,
    security_groups.check,
    max_pods.check,
    cluster_names.check,
    spot_queue.check,
    controller.check,
    daemons.check,
    definitions.check,
    fit.check,
)


def lint(
    manifests: Sequence[Manifest], told: Told | None = None, ignore: Iterable[str] = ()
) -> list[Finding]:
    """Give every finding, file by file in the order they were given, line by line."""
    stream = Stream(manifests, told or Told())
    ignored = frozenset(ignore)
    order = {file: index for index, file in enumerate(dict.fromkeys(m.file for m in manifests))}
    found = [
        (order[finding.manifest.file], finding.mark, finding.code, number, finding)
        for number, finding in enumerate(
            finding for rule in RULES for finding in rule(stream) if finding.code not in ignored
        )
    ]
    found.sort(key=lambda entry: entry[:4])
    return [entry[-1] for entry in found]
