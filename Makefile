# What this project can do, one target a line: plain `make` prints the list.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench peers examples reproduce docs clean

PYTHON := .venv/bin/python
PAGES := README.md $(wildcard docs/*.md docs/*/*.md)

# a browser and a database server for the tests, where they may be installed; without them their tests say NOT RUN
SYSTEM = if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	command -v chromium > /dev/null || apt-get install -qq -y chromium > /dev/null 2>&1 || true; \
	ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || apt-get install -qq -y postgresql > /dev/null 2>&1 || true; fi

# another project's modules or environment must not leak into ours
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
# the tests use every core themselves, so linear algebra gets one thread in each
test check: export OPENBLAS_NUM_THREADS := 1

help:  ## print this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS='	' read -r name text; do printf '  make %-7s %s\n' "$$name" "$$text"; done

setup: .venv/.installed  ## create .venv and install askwise with everything needed to work on it

.venv/.installed: pyproject.toml
	@echo "Installing into .venv (a few minutes the first time)"
	@python3 -m venv .venv
	@$(PYTHON) -m pip install -qq --disable-pip-version-check -e '.[all,dev]'
	@$(SYSTEM)
	@touch $@

demo: setup  ## find the car you like best, with simulated answers
	@.venv/bin/askwise demo

test: setup  ## run the tests
	@$(PYTHON) -m pytest -n 2 tests

check: setup  ## lint, types, layers, and every example in the source and the docs
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m mypy
	@.venv/bin/lint-imports
	@$(PYTHON) -m pytest -q --doctest-modules --doctest-glob='*.md' src $(PAGES)

bench: setup  ## time one round of questions
	@$(PYTHON) -m benchmarks.round

peers: setup  ## compare with other libraries on the same tasks (hours; goes on where it stopped)
	@$(PYTHON) -m benchmarks.peers.run

examples: setup  ## run every example on its real data, in full
	@set -e; for script in animals digits drug_screen fair_arrests movies tissues; do echo "== $$script"; $(PYTHON) examples/$$script.py; done

reproduce: setup  ## the paper's figures and its theory, checked (half an hour on two cores)
	@.venv/bin/askwise reproduce

docs: setup  ## build the documentation into docs/_build
	@$(PYTHON) -m sphinx -W -q docs docs/_build
	@echo "Open docs/_build/index.html"

clean:  ## remove .venv, caches and built files
	@rm -rf .venv .peers .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis dist docs/_build
	@find src tests benchmarks examples docs -name __pycache__ -type d -prune -exec rm -rf {} +
