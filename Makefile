# Needs Python 3.11 or later and make; everything else goes into the folder .venv.

VENV := .venv
PYTHON := $(VENV)/bin/python
INSTALL := $(PYTHON) -m pip install --disable-pip-version-check --quiet
CANDIDATES := python3.14 python3.13 python3.12 python3.11 python3 python

.DEFAULT_GOAL := help
.PHONY: help play run test cover soak bench golden docs clean

help: ## say what there is
	@echo "Dancefloor: dance games inside Discord"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

play: $(VENV)/.dev ## play in a local browser page, without Discord
	@$(PYTHON) bot.py --sandbox

run: $(VENV)/.run ## run the bot on Discord; needs a token, see .env.example
	@$(PYTHON) bot.py

# Every check runs, whatever the ones before it say. pytest comes last: its summary is the last line of a good run.
test: $(VENV)/.dev ## run every check
	@failed=""; \
	check() { name="$$1"; shift; echo "== $$name"; "$$@" || failed="$$failed, $$name"; }; \
	check "ruff check" $(PYTHON) -m ruff check .; \
	check "ruff format" $(PYTHON) -m ruff format --check .; \
	check "mypy" $(PYTHON) -m mypy; \
	check "pytest" $(PYTHON) -m pytest -n 3; \
	if [ -n "$$failed" ]; then echo "Failed: $${failed#, }" >&2; exit 1; fi

cover: $(VENV)/.dev ## run the tests and hold their branch coverage against its floor
	@$(PYTHON) -m pytest -n 3 --cov

soak: $(VENV)/.dev ## run the tests that take minutes
	@$(PYTHON) -m pytest -m soak

bench: $(VENV)/.bench ## measure speed, memory and the strength of computer players
	@$(PYTHON) -m benchmarks

golden: $(VENV)/.dev ## record the golden games anew, after a rule was changed on purpose
	@$(PYTHON) -m tests.golden.record

docs: $(VENV)/.run ## write docs/rules/ anew from rules/data/
	@$(PYTHON) -m rules.core.rulespage

clean: ## remove .venv and caches; databases stay
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@for name in $(CANDIDATES); do \
		if "$$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
			echo "Making $(VENV) with $$name"; \
			"$$name" -m venv --clear $(VENV) && touch $@; exit; \
		fi; \
	done; \
	echo "No Python 3.11 or later with its venv module was found." >&2; \
	echo "Install one from https://www.python.org/downloads/ (Debian, Ubuntu: apt install python3-venv)." >&2; \
	exit 1

$(VENV)/.run: $(VENV)/.made requirements.txt requirements-speed.txt
	@echo "Installing requirements.txt and requirements-speed.txt"
	@$(INSTALL) -r requirements.txt
	@$(INSTALL) -r requirements-speed.txt || echo "Going on without what makes it faster" >&2
	@touch $@

$(VENV)/.dev: $(VENV)/.made requirements.txt requirements-dev.txt
	@echo "Installing requirements-dev.txt: this takes a minute, once"
	@$(INSTALL) -r requirements-dev.txt
	@touch $@

$(VENV)/.bench: $(VENV)/.made requirements.txt requirements-dev.txt requirements-bench.txt
	@echo "Installing requirements-bench.txt"
	@$(INSTALL) -r requirements-bench.txt
	@touch $@
