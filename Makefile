# One virtual environment for everything: made when it is absent, used at once when it is there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help audit check test accept bench clean
help: ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

audit: $(READY) ## Audit the engine: every graph break, gated by the baseline
	$(BIN)/graphaudit scan engine/

check: $(READY) ## Lint, types, permitted imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(READY) ## The tests that CI runs
	$(BIN)/pytest

accept: $(READY) ## The long acceptance sets: every public case, each in a process of its own
	$(BIN)/python -m tests.scoring tests/cases/public

bench: $(READY) ## Benchmarks: ratios against a floor measured in the same run
	$(BIN)/python -m tests.bench

clean: ## Remove the environment and the caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# pip 25.1 is the first that installs dependency groups
$(READY): pyproject.toml .ci/constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --constraint .ci/constraints.txt --editable '.[torch,kernels]' --group dev
	touch $@
