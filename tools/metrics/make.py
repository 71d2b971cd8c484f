"""Write the page of metrics from the table: `.venv/bin/python tools/metrics/make.py`."""

from pathlib import Path

from nodewright.observe.reference import metrics_document

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"


def main() -> None:
    """Write the page."""
    PAGE.write_text(metrics_document(), encoding="utf-8")
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()
