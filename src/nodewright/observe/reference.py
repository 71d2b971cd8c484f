"""The table of metrics as a page of the documentation."""

from typing import Final

from nodewright.observe.families import COUNTERS, GAUGES, HISTOGRAMS, SUMMARIES
from nodewright.observe.predictions import EXPLANATIONS

_KINDS: Final = {
    "Counters": COUNTERS,
    "Histograms": HISTOGRAMS,
    "Summaries": SUMMARIES,
    "Gauges": GAUGES,
}


def metrics_document() -> str:
    """Write every family with its labels as Markdown."""
    lines = [
        "# Metrics",
        "",
        "Families that do not begin with `nodewright_` have the names, labels and units of",
        "Karpenter's own, so that dashboards and alerts made for it go on working. Amounts are in base units: cores, bytes,",
        "seconds, and money in the currency of the price list, per hour. A series goes when its node, pod or NodePool does.",
        "[Dashboards and alerts](../how-to/observe.md) made of them come with the chart.",
    ]
    for kind, families in _KINDS.items():
        lines += ["", f"## {kind}", "", "| name | labels | what |", "| --- | --- | --- |"]
        for one in sorted(families, key=lambda family: family.name):
            labels = ", ".join(f"`{name}`" for name in one.labels)
            lines.append(f"| `{one.name}` | {labels} | {one.about} |")
    lines += ["", "## Predicted placements", ""]
    lines += ["What the results of `nodewright_placements_total` mean:", ""]
    lines += ["| result | what happened |", "| --- | --- |"]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in EXPLANATIONS.items()]
    return "\n".join(lines) + "\n"
