# "make" alone prints what there is. Everything is installed into .venv, in the versions of constraints.txt.
# On a machine without make, README.md has the same commands.

# The Python that .venv is made from, 3.11 to 3.14.
PYTHON ?= python3
# Handed on, as in: make lab ARGS=--no-browser
ARGS ?=

# Jupyter asks for this flag where one is root, as in most containers.
ROOT_FLAG := $(if $(filter 0,$(shell id -u)),--allow-root)
NOTEBOOKS := notebooks exercises/solutions
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
# One thread for each of two workers: a notebook's digits then do not depend on the number of cores.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadscope
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout=300

.DEFAULT_GOAL := help
.PHONY: help lab test test-fast lint unit-tests notebook-tests notebooks figures exercises release grade models bench clean

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1@\2/p' Makefile | awk -F@ '{ printf "%-17s %s\n", $$1, $$2 }'

lab: .venv/installed  ## open the course in JupyterLab (ARGS=--no-browser on a remote machine)
	$(BIN)/jupyter-lab --LabApp.default_url=/lab/tree/notebooks --LabApp.app_settings_dir=$(CURDIR)/.jupyter $(ROOT_FLAG) $(ARGS)

test: .venv/installed-test lint unit-tests notebook-tests  ## check everything: style, unit tests, every cell of every notebook

test-fast: .venv/installed-test lint  ## check what can be checked in two minutes: style and the quick unit tests
	$(PYTEST) -m "not slow" $(ARGS)

lint: .venv/installed-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check

unit-tests: .venv/installed-test
	$(PYTEST)

notebook-tests: .venv/installed-test
	$(PYTEST) $(NBVAL) $(NOTEBOOKS)

notebooks: .venv/installed-test  ## execute the notebooks again, in place (ARGS=notebooks/03*.ipynb for some of them)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.execute $(ARGS)

figures: .venv/installed  ## draw every picture of figures/ again
	$(BIN)/python -m figures $(ARGS)

exercises: .venv/installed-test  ## make the student and the solution version of every assignment (ARGS=1_scoring for one)
	OMP_NUM_THREADS=1 $(BIN)/python -m exercises.build $(ARGS)

release: .venv/installed-test  ## pack what students need into one zip
	$(BIN)/python -m exercises.build --zip

# The seed goes by the environment, since everybody on a machine can read command lines.
grade: export SEED := $(SEED)
grade: .venv/installed-test  ## grade a class: SUBMISSIONS=folder SEED=secret [ROSTER=ids.csv ASSIGNMENT=1_scoring OUT=graded REGRADE=question TRUST=1]
	OMP_NUM_THREADS=1 $(BIN)/python -m exercises.grading "$(SUBMISSIONS)" $(if $(ASSIGNMENT),--assignment "$(ASSIGNMENT)") \
		$(if $(ROSTER),--roster "$(ROSTER)") $(if $(OUT),--out "$(OUT)") $(if $(REGRADE),--regrade "$(REGRADE)") $(if $(TRUST),--trust)

models: .venv/installed  ## train the course's models again, store them with their scores, measure what figures/ shows
	OMP_NUM_THREADS=1 $(BIN)/python -m lib.course $(ARGS)
	OMP_NUM_THREADS=1 $(BIN)/python -m figures.measure
	$(BIN)/python -m figures bleu_by_length cover

bench: .venv/installed-test  ## measure what README.md quotes (ARGS=textbook, tatoeba, widgets or grading for one of them)
	$(BIN)/python -m tests.bench $(ARGS)

clean:  ## delete .venv and every cache
	rm -rf .venv build *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# A stamp is written when an installation is complete; it is newer than the files it depends on, so nothing is installed twice.
.venv/installed: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here. Install Python 3.11 to 3.14, or name yours: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' || { echo "The course needs Python 3.11 to 3.14, and $(PYTHON) is $$($(PYTHON) -V). Name another: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv || { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment. On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; }
	$(INSTALL) -e .
	@touch $@

.venv/installed-test: .venv/installed
	$(INSTALL) -e ".[test,browser,grading]"
	@touch $@
