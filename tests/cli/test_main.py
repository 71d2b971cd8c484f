"""The door answers at once, words every failure in one sentence, and keeps its exit statuses."""

import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nodewright.cli import main as door
from nodewright.model.errors import UserError

NAMES = [command.name for command in door.COMMANDS]


def nodewright(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "nodewright", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture
def verb(monkeypatch):
    """A verb `probe` that does what a test tells it."""

    def register(action):
        real = door.build_app

        def build(wanted: str = ""):
            app = real(wanted)
            app.command(action, name="probe")
            return app

        monkeypatch.setattr(door, "build_app", build)

    return register


def test_the_first_page_lists_every_verb_and_is_fine(capsys):
    assert door.run(["--help"]) == 0

    page = capsys.readouterr().out
    for name in NAMES:
        assert f"\n  {name} " in page


@pytest.mark.parametrize("name", NAMES)
def test_every_verb_has_a_page_with_an_example(name, capsys):
    assert door.run([name, "--help"]) == 0

    assert f"$ nodewright {name}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"]])
def test_the_first_page_imports_no_verb_and_no_library(arguments):
    script = (
        "import sys; from nodewright.cli.main import run; run(sys.argv[1:]);"
        "heavy = {'cyclopts', 'rich', 'msgspec', 'numpy', 'yaml', 'nodewright.cli.demo'};"
        "sys.exit(sorted(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_one_verb_imports_no_other():
    script = (
        "import sys; from nodewright.cli.main import run; run(['completion', '--help']);"
        "rooms = [name for name in sys.modules if name.startswith('nodewright.cli.')];"
        "sys.stderr.write(' '.join(sorted(rooms)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stderr.split() == [
        "nodewright.cli.completion",
        "nodewright.cli.errors",
        "nodewright.cli.main",
        "nodewright.cli.output",
        "nodewright.cli.pages",
    ]


def test_the_version_is_printed():
    done = nodewright("--version")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().count(".") == 2


def test_an_unknown_verb_is_one_sentence_and_status_two():
    done = nodewright("frobnicate")

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith('error[NW-9001]: Unknown command "frobnicate".')
    assert "help: see nodewright --help" in done.stderr


def test_an_unknown_option_names_the_page_of_its_verb(capsys):
    assert door.run(["completion", "bash", "--frobnicate"]) == 2

    said = capsys.readouterr().err
    assert "--frobnicate" in said
    assert "help: see nodewright completion --help" in said


def test_a_users_mistake_says_what_where_and_what_to_do(verb, capsys):
    def probe():
        raise UserError(
            "cpu is not a number", code="NW-9044", where="a.yaml:3", advice="write a number"
        )

    verb(probe)

    assert door.run(["probe"]) == 2
    assert capsys.readouterr().err == (
        "error[NW-9044]: cpu is not a number\n  --> a.yaml:3\n  help: write a number\n"
    )


def test_a_bug_of_ours_asks_for_debug_and_shows_no_traceback(verb, capsys):
    def probe():
        return 1 // 0

    verb(probe)

    assert door.run(["probe"]) == 2
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said
    assert "--debug" in said
    assert "Traceback" not in said


def test_debug_shows_the_traceback(verb, capsys):
    def probe():
        return 1 // 0

    verb(probe)

    assert door.run(["probe", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_an_interruption_is_said_and_is_status_two(verb, capsys):
    def probe():
        raise KeyboardInterrupt

    verb(probe)

    assert door.run(["probe"]) == 2
    assert capsys.readouterr().err == "interrupted\n"


def test_a_file_that_is_not_there_is_named(verb, capsys, tmp_path):
    def probe():
        (tmp_path / "gone.yaml").read_text()

    verb(probe)

    assert door.run(["probe"]) == 2
    said = capsys.readouterr().err
    assert "gone.yaml cannot be used: no such file or directory" in said


@pytest.mark.parametrize("status", [0, 1, 2])
def test_a_verb_chooses_its_status(verb, status):
    def probe():
        return status

    verb(probe)

    assert door.run(["probe"]) == status


def test_a_reader_that_hangs_up_is_no_failure():
    done = subprocess.run(
        f"{sys.executable} -m nodewright completion bash | head -c 1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_the_verbs(shell, capsys):
    assert door.run(["completion", shell]) == 0

    script = capsys.readouterr().out
    assert "demo" in script
    assert "sandbox" in script


FILE_VERBS = [name for name in ("plan", "lint", "convert") if name in NAMES]
SHARDS = st.sampled_from(
    [
        b'{"apiVersion": "nodewright.dev/v1", "kind": "Snapshot", "objects": [', b"]}", b"{", b"[[", b'"kind":',
        b"kind: NodePool\n", b"---\n", b"\x00", b"\xff\xfe", b"\x1f\x8b", b"\xef\xbb\xbf", b"&a [*a]", b"1e999",
        b"null", b"\r\n", b"\t", b": ", b"- ", b"!!python/object:os.system", b"\xed\xa0\x80", b'"\\ud800"',
    ]
)  # fmt: skip
GARBAGE = st.lists(SHARDS | st.binary(max_size=8), max_size=12).map(b"".join)


@pytest.mark.parametrize("name", FILE_VERBS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(content=GARBAGE)
def test_whatever_a_file_holds_the_answer_is_a_result_or_one_sentence(
    name, content, tmp_path, capsys
):
    file = tmp_path / "garbage"
    file.write_bytes(content)

    status = door.run([name, str(file)])

    shown = capsys.readouterr()
    assert status in {0, 1, 2}
    assert "NW-9999" not in shown.err
    if status == 2:
        assert shown.out == ""
        assert shown.err.startswith("error[NW-")
        assert len(shown.err.splitlines()) <= 3
