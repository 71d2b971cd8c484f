"""Ordinary packages, brought by their ordinary clients: pip for wheels, go for modules."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

import msgspec

MOTO: Final = "moto==5.2.5"
PROVIDER: Final = "github.com/aws/karpenter-provider-aws@v1.14.1"
CONTROLLER: Final = "github.com/aws/amazon-vpc-resource-controller-k8s@v1.8.2"
REGIONAL: Final = "github.com/cristim/ec2-instances-info@v0.0.0-20250528091325-32acf84f42eb"


class Module(msgspec.Struct, frozen=True):
    """A Go module on this machine."""

    folder: Path
    version: str
    date: str


def download_wheel(requirement: str, folder: Path) -> Path:
    """Bring one wheel, without what it depends on, and give its path."""
    folder.mkdir(parents=True, exist_ok=True)
    client = ["uvx", "pip"] if not _has_pip() else [sys.executable, "-m", "pip"]
    subprocess.run(
        [*client, "download", "--quiet", "--no-deps", "--dest", str(folder), requirement],
        check=True,
    )
    name, _, version = requirement.partition("==")
    return next(folder.glob(f"{name}-{version}-*.whl"))


def wheel_date(wheel: zipfile.ZipFile, member: str) -> str:
    """Give the day on which a file of a wheel was packed."""
    year, month, day, *_ = wheel.getinfo(member).date_time
    return f"{year:04}-{month:02}-{day:02}"


def download_module(query: str) -> Module:
    """Bring one Go module and say where it lies and of which day it is."""
    answer = subprocess.run(
        ["go", "mod", "download", "-json", query], check=True, capture_output=True
    )
    found = json.loads(answer.stdout)
    stamp = json.loads(Path(found["Info"]).read_bytes())["Time"]
    return Module(Path(found["Dir"]), found["Version"], stamp[:10])


def _has_pip() -> bool:
    probe = [sys.executable, "-m", "pip", "--version"]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0
