#!/usr/bin/env bash
# Builds the controller's image with whichever builder answers: docker, podman or buildah.
# `IMAGE` names it; without a builder it says so and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'image: %s\n' "$*" >&2; }

find_builder() {
    local candidate
    for candidate in docker podman buildah; do
        if "$candidate" info >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    say "no builder answers: install podman, or start docker"
    return 1
}

builder=$(find_builder) || exit 2
version=$(.venv/bin/python -c 'from importlib.metadata import version; print(version("nodewright"))')
rm -rf dist
.venv/bin/python -m hatchling build --target wheel >/dev/null
"$builder" build --file Containerfile --tag "${IMAGE:-nodewright:$version}" .
say "built ${IMAGE:-nodewright:$version} with $builder"
