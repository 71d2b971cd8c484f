"""House rules about what lies where, and what no file may say."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from nodewright.cli.main import COMMANDS
from tidy import tree

SETTINGS = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())
# Folders of tests that mirror no room: aids, whole scenarios and these rules.
FREE_TESTS = {"benchmarks", "builders", "e2e", "parity", "problems", "referee", "scenarios", "tidy"}
# Written so that the rule does not find itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|HA" r"CK|XX" r"X)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(wo" r"rk|ro" r"ot|tmp/n" r"w)/")
REGISTRY = re.compile(r"files\.python" r"hosted|pypi\.org/sim" r"ple|index-u" r"rl =")
ACCOUNT = re.compile(r"arn:aws[\w-]*:[\w-]*:[\w-]*:(\d{12}):")
EXAMPLE_ACCOUNTS = {"000000000000", "111122223333", "123456789012"}
COMMAND = re.compile(r"(?:`|\$ |\| ?)nodewright ([a-z][a-z-]+)")
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def lines_with(pattern):
    """Give every place in the tree where a pattern occurs."""
    return [
        f"{tree.name(path)}:{number}"
        for path in tree.files()
        if (text := tree.prose(path)) is not None
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_nothing_is_left_for_later():
    assert lines_with(UNFINISHED) == []


def test_no_file_names_a_machine_or_a_registry():
    assert lines_with(MACHINE_PATH) + lines_with(REGISTRY) == []


def test_no_file_names_somebodys_account():
    named = {
        account
        for path in tree.files()
        if (text := tree.prose(path)) is not None
        for account in ACCOUNT.findall(text)
    }

    assert named <= EXAMPLE_ACCOUNTS


def test_every_test_mirrors_a_module():
    strays = []
    for path in sorted(tree.TESTS.glob("*/**/test_*.py")):
        place = path.relative_to(tree.TESTS).parent
        if place.parts[0] in FREE_TESTS:
            continue
        topic = path.stem.removeprefix("test_")
        mirrored = (
            tree.SOURCE / place / f"{topic}.py",
            tree.SOURCE / place / topic / "__init__.py",
            tree.SOURCE / place / f"{topic}.js",
            tree.ROOT / "tools" / place / f"{topic}.py",
        )
        if not any(candidate.exists() for candidate in mirrored):
            strays.append(tree.name(path))

    assert strays == []


def test_tests_lie_in_rooms():
    folders = {path.name for path in tree.TESTS.iterdir() if path.is_dir()}

    assert folders - {"__pycache__"} <= FREE_TESTS | set(tree.rooms())


def test_every_room_is_on_a_floor():
    contract = SETTINGS["tool"]["importlinter"]["contracts"][0]
    floors = {room.strip(" ()") for layer in contract["layers"] for room in layer.split("|")}

    assert set(tree.rooms()) - floors == set()


@pytest.mark.parametrize("room", tree.rooms())
def test_the_architecture_page_knows_every_room(room):
    assert f"`{room}/`" in (tree.ROOT / "ARCHITECTURE.md").read_text()


def test_every_news_fragment_has_a_known_kind():
    kinds = {kind["directory"] for kind in SETTINGS["tool"]["towncrier"]["type"]}
    strays = [
        path.name
        for path in (tree.ROOT / "news").iterdir()
        if path.name != "README.md" and not _is_fragment(path.name, kinds)
    ]

    assert strays == []


def _is_fragment(name, kinds):
    parts = name.split(".")
    return len(parts) == 3 and parts[1] in kinds and parts[2] == "md"


def test_every_link_between_our_pages_leads_somewhere():
    broken = [
        f"{tree.name(path)} -> {target}"
        for path in tree.files()
        if path.suffix == ".md"
        for target in LINK.findall(CODE.sub("", path.read_text()))
        if not (path.parent / target).exists()
    ]

    assert broken == []


def test_our_pages_name_only_commands_that_are_there():
    verbs = {command.name for command in COMMANDS}
    named = {
        f"{tree.name(path)}: {verb}"
        for path in tree.files()
        if path.suffix == ".md" and path.parent.name != "why"
        for verb in COMMAND.findall(path.read_text())
        if verb not in verbs
    }

    assert named == set()


def test_the_lock_holds_every_dependency_in_a_version_we_allow():
    locked = dict(re.findall(r"^([a-z0-9][\w.-]*)==([^\s;\\]+)", _lock_text(), flags=re.MULTILINE))
    wanted = [
        Requirement(line)
        for group in (
            SETTINGS["project"]["dependencies"],
            *SETTINGS["project"]["optional-dependencies"].values(),
            *SETTINGS["dependency-groups"].values(),
        )
        for line in group
    ]
    missing = [
        str(requirement)
        for requirement in wanted
        if (version := locked.get(re.sub(r"[._]", "-", requirement.name.lower()))) is None
        or not requirement.specifier.contains(Version(version), prereleases=True)
    ]

    assert missing == [], "run make lock"


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-image.lock"])
def test_a_lock_names_no_host(name):
    assert "://" not in (tree.ROOT / name).read_text()


def test_the_image_is_made_of_the_same_packages():
    whole, image = (
        {
            line.partition(";")[0].strip(" \\")
            for line in (tree.ROOT / name).read_text().splitlines()
        }
        for name in ("requirements.lock", "requirements-image.lock")
    )

    assert image <= whole, "run make lock"


def _lock_text():
    return (tree.ROOT / "requirements.lock").read_text()
