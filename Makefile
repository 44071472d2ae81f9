# recoco: `make help` lists all targets.
SHELL := bash
PYTHON ?= python3
PAPER ?=
RUNS ?=
CORES ?=
PROFILE ?=
SCALE ?=
TESTS ?=
TWINS ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Bytecode is part of the installation: without it the first import takes half a minute.
export PYTHONDONTWRITEBYTECODE =

options = $(foreach p,$(PAPER),--paper $(p)) $(if $(RUNS),--runs $(RUNS)) $(if $(CORES),--cores $(CORES))
twins = $(if $(TWINS),--twins $(TWINS))

# A process of tests per core, which tests/conftest.py gives whole files.
spread = -n $(or $(CORES),logical) --maxprocesses 8 --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup reproduce quick benchmark fetch plan archive reference check verdict test faults lint hooks format docs bench lock validator clean distclean

help: ## list all targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
	@echo 'Restrict a run with PAPER=coclus RUNS=10 CORES=2; run it on a cluster with PROFILE=slurm.'
	@echo 'TWINS=none, small or all: which drawn data stands in for data that cannot be fetched.'

setup: $(READY) ## install the environment into .venv from the lock file

reproduce: $(READY) ## reproduce the papers: a first report within minutes, then the full protocol
	@$(BIN)/recoco reproduce $(options) $(twins) $(if $(PROFILE),--profile $(PROFILE))

quick: $(READY) ## only the first pass: a complete report from a few runs per cell
	@$(BIN)/recoco reproduce --quick $(options) $(twins) $(if $(PROFILE),--profile $(PROFILE))

benchmark: $(READY) ## run every method on every dataset and rank them (a little over an hour on two cores)
	@$(BIN)/recoco benchmark $(if $(RUNS),--runs $(RUNS)) $(if $(CORES),--cores $(CORES)) \
	  $(if $(PROFILE),--profile $(PROFILE))

fetch: $(READY) ## try again to fetch data that was unreachable
	@$(BIN)/recoco fetch $(foreach p,$(PAPER),--paper $(p))

plan: $(READY) ## show what would run and for how long
	@$(BIN)/recoco plan $(options)

archive: $(READY) ## pack everything behind the report into dist/recoco-archive.zip
	@$(BIN)/recoco archive $(if $(CORES),--cores $(CORES))

reference: $(READY) ## save the results as the reference run in reports/reference
	@$(BIN)/recoco reference --save

check: $(READY) ## check all results against their checksums
	@$(BIN)/recoco check

verdict: $(READY) ## show which printed numbers come out
	@$(BIN)/recoco verdict

test: $(READY) ## run all tests, or only some files and folders: TESTS="tests/plan tests/config"
	@$(BIN)/python -m pytest $(spread) $(TESTS)

faults: $(READY) ## run all cases of the batteries of faults, with fresh random examples (hours)
	@RECOCO_FAULTS=1 $(BIN)/python -m pytest $(spread) --hypothesis-profile=fresh tests/faults tests/archive \
	  tests/datasets tests/config tests/core tests/engine tests/workflow \
	  tests/methods tests/consensus tests/metrics

lint: $(READY) ## check style and types: ruff, snakefmt, mypy, snakemake --lint
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/snakefmt --check -l 100 Snakefile workflow
	@$(BIN)/mypy
	@$(BIN)/snakemake --lint

hooks: $(READY) ## run the formatters before every commit (git hook)
	@$(BIN)/pre-commit install

format: $(READY) ## format all code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/snakefmt -l 100 Snakefile workflow

docs: $(READY) ## update the generated parts of the documentation
	@$(BIN)/python docs/generate.py

bench: $(READY) ## measure speed and write reports/bench; SCALE=1 goes up to 10^8 non-zeros
	@PYTHONPATH=tests $(BIN)/python -m benchmarks $(if $(SCALE),--scale)

lock: ## update the lock files from pyproject.toml
	@uv=$$($(MAKE) -s uv) && "$$uv" pip compile --quiet --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --python-version 3.11 --extra dev --extra cluster --extra sign pyproject.toml \
	  -o requirements.lock --custom-compile-command 'make lock' && \
	"$$uv" pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links \
	  --python-version 3.11 .ci/validator.in -o .ci/validator.lock --custom-compile-command 'make lock' && \
	"$$uv" pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links \
	  --python-version 3.11 .ci/uv.in -o bootstrap.lock --custom-compile-command 'make lock'

validator: .cache/validator/.ready ## install the RO-Crate validator for the tests, outside .venv

.cache/validator/.ready: .ci/validator.lock
	@uv=$$($(MAKE) -s uv) && "$$uv" venv -q --clear --python $(PYTHON) .cache/validator && \
	  "$$uv" pip sync -q --compile-bytecode --python .cache/validator/bin/python .ci/validator.lock
	@touch $@

clean: ## remove results and reports, keep data and environment
	@rm -rf results logs dist reports/index.html reports/verdicts.svg reports/tables reports/figures reports/data reports/bench
	@rm -rf .snakemake .pytest_cache .ruff_cache .mypy_cache .hypothesis

distclean: clean ## remove data and environment too
	@rm -rf resources .venv .cache

# The path of uv: an installed one, else a copy in .cache for this project alone, checked by hash.
.PHONY: uv
uv:
	@if command -v uv >/dev/null; then command -v uv; else \
	  if [ ! -x .cache/uv/bin/uv ]; then \
	    $(PYTHON) -m venv .cache/uv >&2 && \
	    .cache/uv/bin/python -m pip install -q --require-hashes -r bootstrap.lock >&2; \
	  fi && echo .cache/uv/bin/uv; fi

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'recoco needs Python 3.11 or later: give its path with make PYTHON=/path/to/python3' >&2; exit 2; }
	@echo 'setting up .venv from requirements.lock (a minute or two, once)'
	@uv=$$($(MAKE) -s uv) && \
	  { [ -x $(BIN)/python ] || "$$uv" venv -q --python $(PYTHON) $(VENV); } && \
	  "$$uv" pip sync -q --compile-bytecode --python $(BIN)/python requirements.lock && \
	  "$$uv" pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@
