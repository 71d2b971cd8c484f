"""Write the definitions of the chart anew from the structs: run it after a field has changed."""

from pathlib import Path

from nodewright.crds.definitions import CURRENT, LEGACY
from nodewright.crds.document import as_yaml, write_definition

CHART = Path(__file__).parents[2] / "charts" / "nodewright-crd" / "files"


def main() -> None:
    """Write one file for each definition."""
    for folder, definitions in (("current", CURRENT), ("legacy", LEGACY)):
        (CHART / folder).mkdir(parents=True, exist_ok=True)
        for definition in definitions:
            path = CHART / folder / f"{definition.group}_{definition.plural}.yaml"
            path.write_text(as_yaml(write_definition(definition)))
            print(path.relative_to(CHART.parents[2]))


if __name__ == "__main__":
    main()
