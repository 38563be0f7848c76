# What this project can do, one target a line: plain `make` prints the list.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check coverage bench measure peers examples reproduce docs wheel package-check clean

PYTHON := .venv/bin/python
PAGES := README.md $(wildcard docs/*.md docs/*/*.md)

# a browser, a database server and node for the tests, where they may be installed; without them their tests say NOT RUN
SYSTEM = if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	command -v chromium > /dev/null || apt-get install -qq -y chromium > /dev/null 2>&1 || true; \
	ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || apt-get install -qq -y postgresql > /dev/null 2>&1 || true; \
	command -v npm > /dev/null || apt-get install -qq -y --no-install-recommends nodejs npm > /dev/null 2>&1 || true; fi

# types and lint of the pages' scripts; the packages come with `make setup`
JAVASCRIPT = if ! command -v node > /dev/null; then echo "NOT RUN: types and lint of the JavaScript (node not found)"; \
	elif [ ! -f node_modules/.installed ]; then echo "NOT RUN: types and lint of the JavaScript (npm packages not installed)"; \
	else node_modules/.bin/tsc && node_modules/.bin/eslint . && echo "JavaScript: no problems"; fi

# another project's modules or environment must not leak into ours; without bytecode every process compiles all modules
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV PYTHONDONTWRITEBYTECODE
# the tests use every core themselves, so linear algebra gets one thread in each
test check coverage: export OPENBLAS_NUM_THREADS := 1

help:  ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS='	' read -r name text; do printf '  make %-13s %s\n' "$$name" "$$text"; done

setup: .venv/.installed node_modules/.installed  ## create .venv and install askwise with everything needed to work on it

.venv/.installed: pyproject.toml
	@echo "Installing into .venv (a few minutes the first time)"
	@python3 -m venv .venv
	@$(PYTHON) -m pip install -qq --disable-pip-version-check 'pip>=25.1' # the first that knows dependency groups
	@$(PYTHON) -m pip install -qq --disable-pip-version-check -e '.[all]' --group dev
	@$(SYSTEM)
	@.venv/bin/askwise warm || true  # or the first use of each goal compiles for some seconds
	@touch $@

node_modules/.installed: package.json package-lock.json | .venv/.installed
	@if command -v npm > /dev/null; then npm ci --silent --no-audit --no-fund && touch $@ || true; fi

demo: setup  ## find the car you like best, with simulated answers
	@.venv/bin/askwise demo

test: setup  ## run the tests
	@$(PYTHON) -m pytest -n 3 --dist worksteal tests  # three: tests of servers and browsers wait a lot

check: setup  ## lint, types, layers, and every example in the source and the docs
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m mypy
	@.venv/bin/lint-imports
	@.venv/bin/repo-review . --show err
	@$(JAVASCRIPT)
	@$(PYTHON) -m pytest -q --doctest-modules --doctest-glob='*.md' src $(PAGES)

coverage: setup  ## which lines the tests run that need no browser; 90 % of the web server at least
	@$(PYTHON) -m coverage erase
	@$(PYTHON) -m coverage run -m pytest -q -n 2 --ignore=tests/browser --ignore=tests/benchmarks tests
	@$(PYTHON) -m coverage combine -q
	@$(PYTHON) -m coverage report --skip-covered --format=total | sed 's/.*/All code: & % of the lines/'
	@$(PYTHON) -m coverage report --include='src/askwise/web/*' --fail-under=90

bench: setup  ## time one round of questions
	@$(PYTHON) -m benchmarks.round

measure: setup  ## run every command of the page Measurements again (many hours; goes on where it stopped)
	@$(PYTHON) -m benchmarks.measure

peers: setup  ## compare with other libraries on the same tasks (hours; goes on where it stopped)
	@$(PYTHON) -m benchmarks.peers.run

examples: setup  ## run every example on its real data, in full
	@set -e; for script in animals digits drug_screen fair_arrests movies tissues; do echo "== $$script"; $(PYTHON) examples/$$script.py; done

reproduce: setup  ## the paper's figures and its theory, checked (half an hour on two cores)
	@.venv/bin/askwise reproduce

docs: setup  ## build the documentation into docs/_build
	@echo "Building the pages, and running the examples that they show (two minutes, a little more the first time)"
	@$(PYTHON) -m sphinx -W -q docs docs/_build
	@echo "Open docs/_build/index.html"

wheel: setup  ## build the wheel and the source distribution into dist
	@rm -rf dist
	@$(PYTHON) -m build -q --no-isolation
	@ls dist/*

package-check: wheel  ## install them in empty environments, with the newest and the lowest dependencies, and use them
	@$(PYTHON) -m release.check_package dist

clean:  ## remove .venv, caches and built files
	@rm -rf .venv node_modules .measure .peers .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage* dist docs/_build docs/jupyter_execute docs/images/gallery
	@find src tests benchmarks examples docs release -name __pycache__ -type d -prune -exec rm -rf {} +
