"""Findings as SARIF 2.1.0, which code hosts show beside the changed lines."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from nodewright.lint.codes import CODES, Severity
from nodewright.lint.finding import Finding
from nodewright.model.path import show_path

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "info": "note"}


def sarif_document(findings: Sequence[Finding]) -> dict[str, object]:
    """Write findings as one SARIF run."""
    used = sorted({finding.code for finding in findings})
    index = {code: number for number, code in enumerate(used)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "nodewright",
                        "version": version("nodewright"),
                        "rules": [_rule(code) for code in used],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, index) for finding in findings],
            }
        ],
    }


def _rule(code: str) -> dict[str, object]:
    known = CODES[code]
    return {
        "id": code,
        "shortDescription": {"text": known.title},
        "fullDescription": {"text": known.why},
        "defaultConfiguration": {"level": _LEVELS[known.severity]},
    }


def _result(finding: Finding, index: dict[str, int]) -> dict[str, object]:
    mark = finding.mark
    advice = f" ({finding.help})" if finding.help else ""
    return {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}{advice}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": finding.manifest.file},
                    "region": {
                        "startLine": mark.line,
                        "startColumn": mark.column,
                        "endLine": mark.end_line,
                        "endColumn": max(mark.end_column, mark.column),
                    },
                },
                "logicalLocations": [
                    {"fullyQualifiedName": f"{finding.subject}:{show_path(finding.path)}"}
                ],
            }
        ],
    }
