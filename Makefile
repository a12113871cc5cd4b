# `make demo` and `make test` do all their own set-up; `make check` is what a commit has to pass.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: demo demo-kubernetes test quick check lint setup system clean

demo: setup
	@$(BIN)/hive demo $(ARGS)

# On a hub and two members of its own (built and cached at the first time), or on yours:
# make demo-kubernetes ARGS='--kubeconfig FILE --image IMAGE'
demo-kubernetes: setup
	@$(BIN)/hive demo --kubernetes $(ARGS)

test: setup
	@$(BIN)/pytest -n 2 --dist worksteal $(ARGS)

# Without the tests that take long.
quick: setup
	@$(BIN)/pytest -n 2 --dist worksteal -m "not slow" $(ARGS)

check: lint test

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

setup: system $(STAMP)

system:
	@./scripts/system-packages

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hive: Python 3.11 or later is needed; set PYTHON=python3.12, say" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q hive backends guardrails
	@touch $(STAMP)

# Again after a change of dependencies: `make lock` writes the versions with their hashes.
lock: setup
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile pyproject.toml --extra dev --extra demo --generate-hashes --no-header --no-annotate --no-emit-index-url --universal --python-version 3.11 --quiet -o requirements.lock

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
