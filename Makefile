# The front door: `make demo` and `make test` do all set-up themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One more than there are processors: what runs in the lab and other services is waited for more than it is worked for.
WORKERS ?= $(shell expr $$(nproc) + 1)
PYTEST := $(BIN)/pytest -q -n $(WORKERS) --dist loadfile
READY := $(VENV)/.ready

.PHONY: demo test test-all test-failed check lint types layers bench docs golden lock clean

demo: $(READY)  ## run the main job on a bundled log of a real application
	$(BIN)/acic recommend tests/data/darshan/apps/s3d_io_blocking.darshan --platform tianhe-lustre --elsewhere
	$(BIN)/acic recommend tests/data/darshan/apps/btio_A_mpi_io_full.darshan --platform lab --elsewhere --top 3

test: $(READY)  ## everything but the slow tests
	$(PYTEST) -m "not slow"

test-all: $(READY)  ## the slow tests too
	$(PYTEST)

test-failed: $(READY)  ## those that failed last, one after the other
	$(BIN)/pytest -m "not slow" --last-failed --last-failed-no-failures none

check: lint types layers test  ## what CI runs, which asks failed tests once more

lint: $(READY)
	$(BIN)/ruff format --check src tests benchmarks studies docs/copied.py
	$(BIN)/ruff check src tests benchmarks studies docs/copied.py

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

bench: $(READY)  ## speed, as ratios against the peers
	$(BIN)/python benchmarks/run_all.py

docs: $(READY)  ## the site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

golden: $(READY)  ## write the golden files anew; read the diff before you commit it
	ACIC_WRITE_GOLDEN=1 $(BIN)/pytest -q -m "not slow" -k golden

lock: $(READY)  ## pin what pyproject.toml asks for
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --no-header --no-emit-index-url --upgrade -o requirements/dev.txt

$(READY): requirements/dev.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "acic needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf $(VENV) site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
