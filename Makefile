# One virtual environment for everything: made when it is absent, used at once when it is there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# comes last in an installation: where it is, the environment is complete
READY := $(BIN)/graphaudit
INSTALL = $(BIN)/pip install --quiet --constraint .ci/constraints.txt --editable '.[torch,kernels]' --group dev

.PHONY: help audit check test accept matrix bench update clean
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

accept: $(READY) ## The long acceptance sets: public cases, fuzzed programs, masked breaks, real models and engines
	$(BIN)/pytest -m long
	$(BIN)/python -m tests.scoring tests/cases/public
	$(BIN)/python -m tests.fuzz --count 2000
	$(BIN)/python -m tests.scoring.masked --prove
	$(BIN)/python -m tests.scoring.models
	$(BIN)/python -m tests.scoring.models.proof
	$(BIN)/python -m tests.real

matrix: $(READY) ## Scores on other versions of Python and torch, kept in tests/matrix/
	$(BIN)/python -m tests.matrix

bench: $(READY) ## Benchmarks: ratios against a floor measured in the same run
	$(BIN)/python -m tests.bench

update: ## Install again, after pyproject.toml or .ci/constraints.txt changed
	$(INSTALL)

clean: ## Remove the environments and the caches
	rm -rf $(VENV) .matrix .real .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# pip 25.1 is the first that installs dependency groups
$(READY):
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(INSTALL)
