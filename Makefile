# recoco: `make help` lists what there is.
SHELL := bash
PYTHON ?= python3
UV_VERSION := 0.13.7
PAPER ?=
RUNS ?=
CORES ?=
PROFILE ?=
SCALE ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Bytecode is part of the installation: without it the first import takes half a minute.
export PYTHONDONTWRITEBYTECODE =

options = $(foreach p,$(PAPER),--paper $(p)) $(if $(RUNS),--runs $(RUNS)) $(if $(CORES),--cores $(CORES))

.DEFAULT_GOAL := help
.PHONY: help setup reproduce quick benchmark fetch plan archive reference verdict test lint format bench lock validator clean distclean

help: ## what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
	@echo 'Narrow a run with PAPER=coclus RUNS=10 CORES=2; PROFILE=slurm hands it to a cluster.'

setup: $(READY) ## the environment in .venv, from the hash lock

reproduce: $(READY) ## everything: first report within minutes, then the full protocol
	@$(BIN)/recoco reproduce $(options) $(if $(PROFILE),--profile $(PROFILE))

quick: $(READY) ## only the first pass: a complete report on a few runs per cell
	@$(BIN)/recoco reproduce --quick $(options) $(if $(PROFILE),--profile $(PROFILE))

benchmark: $(READY) ## every method on every dataset, ranked (somewhat more than an hour on two cores)
	@$(BIN)/recoco benchmark $(if $(RUNS),--runs $(RUNS)) $(if $(CORES),--cores $(CORES)) \
	  $(if $(PROFILE),--profile $(PROFILE))

fetch: $(READY) ## look again for data that was unreachable
	@$(BIN)/recoco fetch $(foreach p,$(PAPER),--paper $(p))

plan: $(READY) ## what would run, and how long
	@$(BIN)/recoco plan $(options)

archive: $(READY) ## everything behind the report in dist/recoco-archive.zip
	@$(BIN)/recoco archive $(if $(CORES),--cores $(CORES))

reference: $(READY) ## keep what was reproduced as the reference run in reports/reference
	@$(BIN)/recoco reference --save

verdict: $(READY) ## which printed cells come out
	@$(BIN)/recoco verdict

test: $(READY) ## all tests
	@$(BIN)/python -m pytest

lint: $(READY) ## ruff, snakefmt, snakemake --lint
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/snakefmt --check -l 100 Snakefile workflow
	@$(BIN)/snakemake --lint

format: $(READY) ## put all code into shape
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/snakefmt -l 100 Snakefile workflow

bench: $(READY) ## speed as ratios measured in one run, into reports/bench; SCALE=1: 10^8 non-zeros
	@$(BIN)/python -m recoco.bench $(if $(SCALE),--scale)

lock: ## make the lock anew from pyproject.toml
	@uv=$$($(MAKE) -s uv) && "$$uv" pip compile --quiet --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --python-version 3.11 --extra dev --extra cluster pyproject.toml \
	  -o requirements.lock --custom-compile-command 'make lock' && \
	"$$uv" pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links \
	  --python-version 3.11 .ci/validator.in -o .ci/validator.lock --custom-compile-command 'make lock'

validator: .cache/validator/.ready ## what checks the RO-Crate in the tests, apart from .venv

.cache/validator/.ready: .ci/validator.lock
	@uv=$$($(MAKE) -s uv) && "$$uv" venv -q --clear --python $(PYTHON) .cache/validator && \
	  "$$uv" pip sync -q --compile-bytecode --python .cache/validator/bin/python .ci/validator.lock
	@touch $@

clean: ## remove results and reports, keep data and environment
	@rm -rf results logs dist reports/index.html reports/verdicts.svg reports/tables reports/figures reports/data reports/bench
	@rm -rf .snakemake .pytest_cache .ruff_cache .hypothesis

distclean: clean ## remove data and environment too
	@rm -rf resources .venv .cache

# The path of uv: the one at hand, else one installed into .cache for this project alone.
.PHONY: uv
uv:
	@if command -v uv >/dev/null; then command -v uv; else \
	  if [ ! -x .cache/uv/bin/uv ]; then \
	    $(PYTHON) -m venv .cache/uv >&2 && .cache/uv/bin/python -m pip install -q uv==$(UV_VERSION) >&2; \
	  fi && echo .cache/uv/bin/uv; fi

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'recoco needs Python 3.11 or later: name one with make PYTHON=/path/to/python3' >&2; exit 2; }
	@echo 'setting up .venv from requirements.lock (a minute or two, once)'
	@uv=$$($(MAKE) -s uv) && \
	  { [ -x $(BIN)/python ] || "$$uv" venv -q --python $(PYTHON) $(VENV); } && \
	  "$$uv" pip sync -q --compile-bytecode --python $(BIN)/python requirements.lock && \
	  "$$uv" pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@
