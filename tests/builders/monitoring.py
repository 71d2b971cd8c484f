"""What the chart's dashboards and alerts ask Prometheus for."""

import json
import re
from pathlib import Path

import yaml

FILES = Path(__file__).parents[2] / "charts" / "nodewright" / "files"
_NAME = re.compile(r"\b(?:karpenter|nodewright|operator|controller_runtime)_[a-z0-9_]+")
_SELECTOR = re.compile(r"(?P<name>[a-z_0-9]+)\{(?P<matchers>[^}]*)\}")
_GROUPING = re.compile(r"\bby \((?P<labels>[^)]*)\)")


def dashboard_queries() -> dict[str, str]:
    """Give every query of every dashboard, by where it stands."""
    found = {}
    for path in sorted((FILES / "dashboards").glob("*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel["targets"]:
                found[f"{path.stem}: {panel['title']} {target['refId']}"] = target["expr"]
    return found


def alert_rules() -> dict[str, dict]:
    """Give every alert by its name."""
    groups = yaml.safe_load((FILES / "alerts.yaml").read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def names_in(query: str) -> set[str]:
    """Give the series that a query reads."""
    return set(_NAME.findall(query))


def labels_in(query: str) -> set[str]:
    """Give the labels that a query selects or groups by."""
    matched = {
        re.split(r"[=!~]", part)[0].strip()
        for found in _SELECTOR.finditer(query)
        for part in found["matchers"].split(",")
    }
    grouped = {
        label.strip() for found in _GROUPING.finditer(query) for label in found["labels"].split(",")
    }
    return {label for label in matched | grouped if label}
