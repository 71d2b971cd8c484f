"""House rules that are read off the syntax tree."""

import ast

from tidy import tree

MODULE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70
THEORY_LINES_MAX = 10

PURE_ROOMS = ("core", "model", "state")
IMPURE_MODULES = {
    "asyncio", "boto3", "concurrent", "httpx2", "lightkube", "logging", "multiprocessing", "random",
    "secrets", "socket", "structlog", "subprocess", "tempfile", "threading", "time", "uuid",
}  # fmt: skip
IMPURE_CALLS = {"open", "print", "input", "exec", "eval"}
IMPURE_ATTRIBUTES = {"now", "utcnow", "today", "read_text", "read_bytes", "write_text", "getenv"}
CATCHES_ALL = {"controllers/loop.py"}
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


def test_no_module_is_longer_than_anybody_reads():
    long = {
        tree.name(path): lines
        for path in tree.scripts()
        if (lines := len(path.read_text().splitlines())) > MODULE_LINES_MAX
    }

    assert long == {}


def test_every_function_fits_one_screen():
    long = {
        f"{tree.name(path)}:{node.lineno} {node.name}": lines
        for path in tree.scripts()
        for node in ast.walk(tree.parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES_MAX
    }

    assert long == {}


def test_every_module_says_its_theory_in_ten_lines():
    wrong = {}
    for path in tree.modules():
        theory = ast.get_docstring(tree.parse(path)) or ""
        lines = [line for line in theory.splitlines() if line.strip()]
        if not 1 <= len(lines) <= THEORY_LINES_MAX:
            wrong[tree.name(path)] = len(lines)

    assert wrong == {}


def test_what_decides_has_no_clock_no_chance_no_log_and_no_files():
    found = [
        f"{tree.name(path)}:{line} {what}"
        for path in tree.modules(*PURE_ROOMS)
        for line, what in impurities(tree.parse(path))
    ]

    assert found == []


def impurities(module):
    """Yield the line and the name of everything in a module that reaches outside."""
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    if alias.name.partition(".")[0] in IMPURE_MODULES:
                        yield node.lineno, f"import {alias.name}"
            case ast.ImportFrom(module=str(source)) if source.partition(".")[0] in IMPURE_MODULES:
                yield node.lineno, f"from {source} import"
            case ast.Call(func=ast.Name(id=called)) if called in IMPURE_CALLS:
                yield node.lineno, f"{called}()"
            case ast.Call(func=ast.Attribute(attr=called)) if called in IMPURE_ATTRIBUTES:
                yield node.lineno, f".{called}()"
            case ast.AsyncFunctionDef(name=called):
                yield node.lineno, f"async def {called}"
            case _:
                continue


def test_the_rule_about_purity_sees_what_it_forbids():
    module = ast.parse(
        "import time\nfrom random import choice\nopen('x')\ndatetime.now()\nasync def wait(): ..."
    )

    assert sorted(line for line, _ in impurities(module)) == [1, 2, 3, 4, 5]


def test_only_the_loop_catches_everything():
    found = [
        f"{tree.name(path)}:{node.lineno}"
        for path in tree.modules()
        if path.relative_to(tree.SOURCE).as_posix() not in CATCHES_ALL
        for node in ast.walk(tree.parse(path))
        if (isinstance(node, ast.ExceptHandler) and swallows_everything(node))
        or (isinstance(node, ast.Call) and is_suppress_everything(node))
    ]

    assert found == []


def swallows_everything(handler):
    """Tell whether a handler takes every exception and does not pass it on."""
    passes_on = isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None
    return names_everything(handler.type) and not passes_on


def names_everything(kind):
    """Tell whether an `except` clause catches every exception."""
    match kind:
        case None | ast.Name(id="Exception" | "BaseException"):
            return True
        case ast.Tuple(elts=kinds):
            return any(names_everything(one) for one in kinds)
    return False


def is_suppress_everything(call):
    """Tell whether a call is `suppress(Exception)`."""
    match call.func:
        case ast.Name(id="suppress") | ast.Attribute(attr="suppress"):
            return any(names_everything(kind) for kind in call.args)
    return False


def test_no_module_has_a_name_that_says_nothing():
    vague = [
        tree.name(path)
        for path in tree.scripts()
        if path.is_relative_to(tree.SOURCE)
        and VAGUE_NAMES & {path.stem, path.parent.name, *path.stem.split("_")}
    ]

    assert vague == []


def test_every_struct_of_the_pure_rooms_is_frozen():
    thawed = [
        f"{tree.name(path)}:{node.lineno} {node.name}"
        for path in tree.modules("model")
        for node in ast.walk(tree.parse(path))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("Struct") for base in node.bases)
        and not any(
            word.arg == "frozen" and isinstance(word.value, ast.Constant) and word.value.value
            for word in node.keywords
        )
    ]

    assert thawed == []
