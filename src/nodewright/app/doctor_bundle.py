"""A bundle for a support ticket: a snapshot of the cluster and doctor's report, in one zip file.

A snapshot holds no Secrets, ConfigMaps, environment values, command lines or boot scripts. The report is
looked through once more: what looks like a key of AWS, or a token, is struck out.
"""

import io
import re
import zipfile
from typing import Final

import msgspec

from nodewright.doctor.pages import as_markdown
from nodewright.doctor.report import Report, publish
from nodewright.model.wording import Language

_SECRETS: Final = (
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+"),
    re.compile(r"(?i)(?<=[\"' ]bearer )[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(
        r"(?i)((?:password|passwd|secret|token|api[_-]?key)[\"']?\s*[=:]\s*[\"']?)[^\s\"',{}\[\]]+"
    ),
)
_LEFT_OUT: Final = "(left out)"
# Zip files hold a time for each of their files; this one says nothing.
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def make_bundle(snapshot: bytes, report: Report, language: Language) -> bytes:
    """Pack a snapshot and a report."""
    document = msgspec.json.format(msgspec.json.encode(publish(report, language)), indent=2)
    parts = {
        "snapshot.json": strike_out(snapshot.decode()),
        "report.json": strike_out(document.decode()),
        "report.md": strike_out(as_markdown(report, language)),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def strike_out(text: str) -> str:
    """Give a text without what looks like a secret."""
    for pattern in _SECRETS:
        text = pattern.sub(
            lambda found: (found.group(1) if found.groups() else "") + _LEFT_OUT, text
        )
    return text
