# One door to work. `make help` lists what can be asked for.

SHELL := bash
.DEFAULT_GOAL := help
BIN := .venv/bin
READY := .venv/.ready
PYTEST := $(BIN)/pytest
JOBS ?= auto
CLUSTERS ?= 3
BENCHMARKS ?= promises listing examining run controller interruption forecasts dashboard painting

.PHONY: help setup lock demo check test test-fast unit e2e soak bench docs image

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## Make .venv, with .venv/bin/nodewright in it

$(READY): requirements.lock pyproject.toml tools/setup.sh
	@tools/setup.sh

lock: ## Choose the newest allowed packages anew (requirements*.lock)
	@tools/setup.sh lock

demo: $(READY) ## Watch the controllers on a simulated cluster, for about a minute
	@$(BIN)/nodewright demo

check: $(READY) ## Format, lint, types, import contracts, house rules
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --strict src
	@$(BIN)/lint-imports --no-logo > .venv/lint-imports.log || { cat .venv/lint-imports.log; exit 1; }
	@$(PYTEST) tests/tidy

test: check unit e2e ## Everything but the long runs: check, unit tests, end-to-end sample

test-fast: export NODEWRIGHT_PARITY ?= skip
test-fast: check unit ## The same without the end-to-end tests (needs no Go)

unit: $(READY)
	@$(PYTEST) -n $(JOBS) -m "not e2e and not soak" --ignore=tests/tidy

e2e: $(READY) ## End-to-end tests on a real control plane (built with Go on the first run)
	@$(PYTEST) -n $(CLUSTERS) --dist loadfile --no-loadscope-reorder -m "e2e and not soak" tests/e2e

soak: $(READY) ## The long runs: 100,000 examples of each property, every fault
	@$(PYTEST) -n $(JOBS) -m "soak or algebra" --hypothesis-profile=soak

bench: $(READY) ## Measure what we promise about speed
	@for name in $(BENCHMARKS); do $(BIN)/python benchmarks/$$name.py || exit 1; done

docs: $(READY) ## Build the documentation into site/
	@$(BIN)/zensical build --clean

image: $(READY) ## Build the controller's image with docker, podman or buildah
	@tools/image.sh
