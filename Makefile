# Two commands matter: `make run` serves Pilothouse, `make test` proves it. The first use makes what it needs.

PYTHON ?= python3
JOBS ?= 2
TEST_JOBS ?= 3  # one more than cores: many tests wait for other processes
PORT ?=
BIN := .venv/bin
FAULT_TESTS := tests/faults tests/flows tests/features/runs/test_disabled_blocks.py
WEB_SOURCES := $(shell find web/src web/index.html web/*.json web/*.ts web/public -type f 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help run dev test check e2e faults bench mutants requirements docs-blocks dist services services-down web web-test lock ratchet \
	format clean venv venv-dev lint types imports sizes generated web-check pytest openapi

help:  ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: venv web  ## Serve everything in one process on SQLite
	@$(BIN)/pilothouse serve $(if $(PORT),--port $(PORT))

dev: venv-dev web/node_modules/.stamp  ## Serve with the web app rebuilt as you type (two processes; Ctrl-C ends both)
	@$(BIN)/python -m scripts.dev

test:  ## All checks, then all tests: what CI runs
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory web-test pytest
	@$(MAKE) --no-print-directory e2e

check: venv-dev web/node_modules/.stamp  ## Style, types, layers, sizes, generated files
	@$(MAKE) --no-print-directory -j$(JOBS) --output-sync=target types web-check lint imports sizes generated
	@echo "check: all clean"

e2e: venv-dev web  ## Drive the web app in Chromium against a real server
	@if $(BIN)/python -m scripts.chromium; then $(BIN)/python -m scripts.prove -q -n $(TEST_JOBS) --dist loadfile -m browser tests/browser; \
	else test -z "$$CI"; fi

faults: venv-dev  ## Kill, pause and starve real processes
	@export FAULTS=full FAULTS_SEED=$${FAULTS_SEED:-$$(date +%s)}; \
	$(BIN)/python -m pytest -q -n 3 --dist worksteal -m "fault and not alone" $(FAULT_TESTS) && \
	$(BIN)/python -m pytest -q -m "fault and alone" $(FAULT_TESTS)

bench: venv-dev  ## Measure (BENCH_SAVE=file keeps the figures, BENCH_BASELINE=file compares)
	@$(BIN)/python -m bench

mutants: venv-dev  ## Break the code on purpose, one rule at a time: the tests must notice
	@$(BIN)/python -m tests.mutants.run

requirements: venv-dev  ## Write the pages that say which tests hold which rule
	@$(BIN)/python -m scripts.requirements --write

docs-blocks: venv-dev  ## Write the block index and its pages from the blocks themselves
	@$(BIN)/python -m pilothouse.blocks.index --write
	@$(BIN)/python -m scripts.block_pages

dist: venv-dev web  ## Build the wheel, install it into an empty venv and start it
	@rm -rf dist
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist . > .make/dist.log || { cat .make/dist.log; exit 1; }
	@$(BIN)/python -m scripts.check_dist dist

services: venv-dev  ## Start PostgreSQL, Redis and RabbitMQ for the tests of the scaled profile
	@$(BIN)/python -m scripts.services up

services-down: venv-dev  ## End what `make services` started
	@$(BIN)/python -m scripts.services down

lock: venv-dev  ## Resolve the Python requirements anew, with hashes
	@$(BIN)/python -m scripts.lock

ratchet: venv-dev  ## Record lower counts after cleaning up
	@$(BIN)/python -m scripts.ratchet --write

openapi: venv-dev web/node_modules/.stamp  ## Write the API document and the web client's types from the routes
	@$(BIN)/python -m scripts.generated --write

format: venv-dev web/node_modules/.stamp  ## Format everything
	@$(BIN)/ruff check -q --fix-only . && $(BIN)/ruff format -q .
	@cd web && npm run --silent format

clean:  ## Remove what was made, not your data
	@rm -rf .venv .make dist web/dist web/node_modules .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# Parts

venv:
	@$(PYTHON) scripts/bootstrap.py run

venv-dev:
	@$(PYTHON) scripts/bootstrap.py dev

lint:
	@$(BIN)/ruff check -q . && $(BIN)/ruff format -q --check .

types:
	@$(BIN)/pyright --warnings > .make/types.log || { cat .make/types.log; exit 1; }

imports:
	@PYTHONPATH=src $(BIN)/lint-imports --no-cache > .make/imports.log 2>&1 || { cat .make/imports.log; exit 1; }

sizes:
	@$(BIN)/python -m scripts.ratchet

generated:
	@$(BIN)/python -m scripts.generated

pytest:
	@$(BIN)/python -m scripts.prove -q -n $(TEST_JOBS) --dist worksteal -m "not bench and not browser" tests

web: web/dist/index.html

web/dist/index.html: $(WEB_SOURCES)
	@if command -v npm > /dev/null; then \
		$(MAKE) --no-print-directory web/node_modules/.stamp && cd web && npm run --silent build -- --logLevel warn; \
	else echo "Node.js (20.19 or newer) is not installed: serving without the web pages."; fi

web/node_modules/.stamp: web/package-lock.json
	@command -v npm > /dev/null || { echo "Node.js (20.19 or newer) with npm is needed for this."; exit 1; }
	@cd web && npm ci --loglevel=error --no-progress && touch node_modules/.stamp

web-check: web/node_modules/.stamp
	@cd web && npm run --silent lint && npm run --silent types

web-test: web/node_modules/.stamp
	@cd web && npm run --silent test
