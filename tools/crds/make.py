"""Write the definitions of the chart and the pages of their fields anew from the structs.

Run it after a field has changed.
"""

from pathlib import Path

from nodewright.crds.definitions import CURRENT, LEGACY
from nodewright.crds.document import as_yaml, write_definition
from nodewright.crds.reference import resource_documents

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "nodewright-crd" / "files"
PAGES = ROOT / "docs" / "reference" / "resources"


def main() -> None:
    """Write one file and one page for each definition."""
    for folder, definitions in (("current", CURRENT), ("legacy", LEGACY)):
        (CHART / folder).mkdir(parents=True, exist_ok=True)
        for definition in definitions:
            path = CHART / folder / f"{definition.group}_{definition.plural}.yaml"
            path.write_text(as_yaml(write_definition(definition)))
            print(path.relative_to(CHART.parents[2]))
    PAGES.mkdir(parents=True, exist_ok=True)
    for name, text in resource_documents().items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
