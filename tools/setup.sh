#!/usr/bin/env bash
# Makes .venv with exactly what requirements.lock names, and the project itself in it.
# With the word `lock` it makes requirements.lock anew from pyproject.toml instead; with the word
# `python` it only says which interpreter it would take.
#
# A name on the path proves little: a version manager leaves shims behind that answer with an
# error. So every interpreter is run before it is believed, and uv is handed its full path.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }

# Prints the real path of an interpreter that runs and is new enough, or fails.
runs() {
    local answer
    answer=$("$1" -c 'import sys; print(sys.executable); sys.exit(sys.version_info[:2] < (3, 12))' 2>/dev/null) &&
        echo "$answer"
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        runs "$PYTHON" && return
        say "\$PYTHON is $PYTHON, which is not a Python 3.12 or newer that runs"
        return 1
    fi
    local candidate
    # The interpreter of a .venv that works is kept: nothing is rebuilt that is up to date.
    for candidate in .venv/bin/python python3.14 python3.13 python3.12; do
        runs "$candidate" && return
    done
    for candidate in $(ls -1d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python 2>/dev/null | sort -rV); do
        runs "$candidate" && return
    done
    runs python3
}

find_uv() {
    local candidate
    for candidate in "${UV:-uv}" .cache/uv/bin/uv; do
        if "$candidate" --version >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    say "uv is missing: getting it with pip"
    for candidate in "$1" python3; do
        if "$candidate" -m pip install --quiet --target .cache/uv uv >&2; then
            echo .cache/uv/bin/uv
            return
        fi
    done
    say "uv could not be had with pip; install it (https://docs.astral.sh/uv/) and try again"
    return 1
}

if ! python=$(find_python); then
    say "no Python 3.12 or newer was found that runs"
    say "install one (apt install python3.12, brew install python@3.13, or: uv python install 3.13),"
    say "or name it: make setup PYTHON=/path/to/python3"
    exit 2
fi
if [ "${1:-}" = python ]; then
    echo "$python"
    exit
fi
uv=$(find_uv "$python") || exit 2

if [ "${1:-}" = lock ]; then
    # Neither hosts nor comments: the files say what, a user's own settings say from where.
    compile=("$uv" pip compile --quiet --python "$python" pyproject.toml --universal --python-version 3.12
        --generate-hashes --no-emit-index-url --no-header --no-annotate)
    "${compile[@]}" --upgrade --extra sandbox --extra traces --group bench --group dev --group docs --output-file requirements.lock
    # The same versions, without what only the house and the sandbox need: what goes into the image.
    exec "${compile[@]}" --upgrade --constraint requirements.lock --output-file requirements-image.lock
fi

if [ "$(runs .venv/bin/python)" != "$python" ]; then
    say "making .venv with $("$python" --version)"
    "$uv" venv --quiet --clear --python "$python" .venv
fi
# Compiled at once, because where Python may not write beside its modules every start pays for it.
"$uv" pip install --quiet --python .venv/bin/python --compile-bytecode --require-hashes --requirement requirements.lock
"$uv" pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable .
touch .venv/.ready
say "ready: .venv/bin/nodewright"
