# The verbs of this project. `make` alone lists them.
# Needed on the machine: Python 3.11+ with venv, and make. The rest is fetched into .venv and node_modules.

HOST ?= 127.0.0.1
PORT ?= 8000
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && break; done)
VENV := .venv
PY := $(VENV)/bin/python
T ?= tests

.DEFAULT_GOAL := help
.PHONY: help run test check bench site fuzz format setup vendor browser valkey node need-python clean

help:
	@echo "make run     serve the page with the embedded demo model (HOST, PORT)"
	@echo "make test    every check and every test; sets up all it needs"
	@echo "make check   format, lint, types, repository rules"
	@echo "make bench   side-by-side benchmarks, as ratios"
	@echo "make site    dist/: the page as static files for any host and path"
	@echo "make format  put the code into shape"

run: vendor
	@PAGEHAND_HOST="$(HOST)" PAGEHAND_PORT="$(PORT)" $(PY) -m backend

# Whole, the browser tests come in two processes: they wait more than they work.
test: check browser valkey vendor
ifeq ($(T),tests)
	$(PY) -m pytest tests --ignore=tests/browser; first=$$?; \
	$(PY) -m pytest tests/browser -n 2 --dist loadfile && exit $$first
else
	$(PY) -m pytest $(T)
endif

check: setup
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(PY) -m pytest -q tests/repo

fuzz: setup
	FUZZ_BODIES=20000 $(PY) -m pytest -q tests/backend/test_fuzz.py

format: setup
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

bench: setup browser vendor
	$(PY) tests/bench

site: vendor
	$(PY) scripts/site.py

vendor: $(VENV)/.run node
	@$(PY) scripts/vendor.py

setup: $(VENV)/.dev

browser: $(VENV)/.dev
	@$(PY) scripts/chromium.py

valkey: $(VENV)/.dev
	@$(PY) scripts/valkey.py

node: $(VENV)/.run
	@$(PY) scripts/node.py --ensure

$(VENV)/bin/python: | need-python
	@echo "pagehand: making $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	echo "pagehand: Python's venv module is missing. On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.run: requirements.txt | $(VENV)/bin/python
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements-deploy.txt requirements-providers.txt $(VENV)/.run
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

need-python:
	@test -n "$(PYTHON)" || { \
	echo "pagehand: needs Python 3.11 or newer as python3. Install it, or name it: make PYTHON=/path/to/python3 ..." >&2; exit 1; }

clean:
	rm -rf $(VENV) .cache dist static/vendor node_modules tests/peers/*/node_modules bench-results.json
