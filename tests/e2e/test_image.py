"""The steps of the Containerfile, carried out in an empty environment where nobody builds images."""

import re
import subprocess
import sys

import pytest
import yaml

from tidy import tree

pytestmark = [pytest.mark.e2e, pytest.mark.soak]


def steps():
    """Give the commands that the first stage runs, one each."""
    text = (tree.ROOT / "Containerfile").read_text().replace("\\\n", "")
    runs = re.findall(r"^RUN (.+)$", text, flags=re.MULTILINE)
    return [step.strip() for run in runs for step in run.split("&&")]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The folder that the image has at /opt/nodewright, made by the Containerfile's own commands."""
    folder = tmp_path_factory.mktemp("image")
    order = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(order, cwd=tree.ROOT, check=True, capture_output=True)
    (folder / "requirements-image.lock").symlink_to(tree.ROOT / "requirements-image.lock")
    for step in steps():
        here = step.replace("/opt/nodewright", str(folder / "opt")).replace("/build", str(folder))
        here = re.sub(r"^python ", f"{sys.executable} ", here)
        done = subprocess.run(here, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{here}\n{done.stderr}"
    return folder / "opt"


def run(image, *arguments):
    """Run the program as the image does, with hardly anything around it."""
    return subprocess.run(
        [image / "bin" / "nodewright", *arguments],
        env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "HOME": "/nowhere"},
        capture_output=True, text=True, check=False, cwd="/",
    )  # fmt: skip


def test_the_program_runs_from_the_image(image):
    listed = run(image, "crds")

    assert listed.returncode == 0, listed.stderr
    assert len(list(yaml.safe_load_all(listed.stdout))) == 6
    assert "controller" in run(image, "--help").stdout


def test_the_image_has_what_the_controller_needs_and_not_what_the_house_needs(image):
    (packages,) = image.glob("lib/python3*/site-packages")
    names = {path.name for path in packages.iterdir()}

    assert {"boto3", "tzdata", "nodewright"} <= names
    assert not {"moto", "pytest", "flask", "pip"} & names
    assert (packages / "nodewright" / "install" / "charts" / "nodewright" / "Chart.yaml").is_file()


def test_without_a_cluster_the_controller_says_so_in_a_sentence(image):
    ended = run(image, "controller", "--cloud", "kwok")

    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert "kubeconfig" in ended.stderr
