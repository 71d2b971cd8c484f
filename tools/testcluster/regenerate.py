"""Write the module files of the default Kubernetes release anew.

Run it after changing `DEFAULT_VERSION` in src/nodewright/sandbox/versions.py:

    .venv/bin/python tools/testcluster/regenerate.py
"""

import shutil
import tempfile
from pathlib import Path

from nodewright.sandbox.build import generate_module
from nodewright.sandbox.versions import DEFAULT_VERSION


def main() -> None:
    """Generate the module beside, then copy its two files over the kept ones."""
    kept = Path(__file__).resolve().parent / "controlplane"
    with tempfile.TemporaryDirectory() as scratch:
        made = generate_module(DEFAULT_VERSION, kept, Path(scratch) / "controlplane")
        for name in ("go.mod", "go.sum"):
            shutil.copyfile(made / name, kept / name)
    print(f"{kept} now builds Kubernetes {DEFAULT_VERSION}")


if __name__ == "__main__":
    main()
