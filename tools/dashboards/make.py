"""Write the Grafana dashboards of the chart from one table: `.venv/bin/python tools/dashboards/make.py`.

The table says what each panel shows. Everything else that Grafana wants to know is the same for all of
them, and stands here once.
"""

import json
from pathlib import Path
from typing import Final

from boards import BOARDS, Board, Panel

FOLDER: Final = Path(__file__).parents[2] / "charts" / "nodewright" / "files" / "dashboards"
_WIDTH: Final = 24
_SOURCE: Final = {"type": "prometheus", "uid": "${source}"}


def dashboard(board: Board) -> str:
    """Write one dashboard as Grafana imports it."""
    panels = []
    across, down, height = 0, 0, 0
    for number, panel in enumerate(board.panels, 1):
        width, tall = (3, 4) if panel.kind == "stat" else (12, 8)
        if across + width > _WIDTH or (height and tall != height):
            across, down = 0, down + height
        panels.append(_panel(panel, number, {"x": across, "y": down, "w": width, "h": tall}))
        across, height = across + width, tall
    variable = {
        "name": "source",
        "label": "Prometheus",
        "type": "datasource",
        "query": "prometheus",
    }
    whole = {
        "title": board.title,
        "uid": f"nodewright-{board.name}",
        "tags": ["nodewright"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [variable]},
        "panels": panels,
    }
    return json.dumps(whole, indent=1) + "\n"


def _panel(panel: Panel, number: int, place: dict[str, int]) -> dict[str, object]:
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": panel.about,
        "datasource": _SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "targets": [
            {"refId": chr(ord("A") + index), "expr": query, "legendFormat": legend}
            for index, (query, legend) in enumerate(panel.queries)
        ],
    }


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    for board in BOARDS:
        (FOLDER / f"{board.name}.json").write_text(dashboard(board), encoding="utf-8")
    print(f"wrote {len(BOARDS)} dashboards")


if __name__ == "__main__":
    main()
