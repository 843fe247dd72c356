# Two commands are enough: `make demo` and `make test`. Each makes its own virtual environment.
# `make test PYTHON=python3.13` tries another interpreter, in an environment of its own.
PYTHON ?= python3
VENV ?= .venv$(if $(filter-out python3,$(PYTHON)),-$(notdir $(PYTHON)))
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
RUNS := $(VENV)/.runs
LOWEST := .venv-lowest
GOLDEN := .venv-golden
TESTS ?=
SEED ?= 0
SOURCES := pyproject.toml CMakeLists.txt $(wildcard cpp/*/*) tools/build_tracer.py

.PHONY: demo tables quick test test-lowest golden check-large coverage mutate lint stub types layers doctest docs \
  sanitize format clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The package is installed once, editable; it is built again only when the core or the build changes. uv does
# in seconds what takes pip a minute; pip is asked where uv is not available or does not know your package index.
define install
$(BIN)/python -m pip install --quiet uv || true
VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --editable ".[$(EXTRAS)]" || \
  $(BIN)/python -m pip install --quiet --editable ".[$(EXTRAS)]"
endef

# What a user needs, and what developers need on top of it.
$(RUNS): EXTRAS := data,report
$(INSTALLED): EXTRAS := dev
$(RUNS): $(SOURCES) | $(BIN)/python
	$(install)
	@touch $@

$(INSTALLED): $(SOURCES) | $(BIN)/python
	$(install)
	$(BIN)/python tools/build_tracer.py
	@touch $(RUNS) $@

demo: $(RUNS)
	$(BIN)/stakes demo

# A verdict on a change within a minute: what lint, layers and types say, and the tests below. Tests that changed
# since the last commit are run as well.
QUICK := tests/test_small_parts.py tests/test_params.py tests/test_costs.py tests/test_decision.py \
  tests/test_table.py tests/test_models.py tests/test_tree_model.py tests/test_same_lines.py tests/test_deep_imports.py \
  tests/test_tree_core.py tests/test_metrics.py tests/test_rules_core.py tests/test_build.py tests/test_readers.py
quick: export HYPOTHESIS_PROFILE = quick
quick: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/same_lines.py
	$(BIN)/python tools/deep_imports.py | tail -n 1
	$(BIN)/mypy & mypy=$$!; $(BIN)/python -m pytest -q --numprocesses 2 --maxfail 5 \
	  $$({ printf '%s\n' $(QUICK); git diff --name-only --diff-filter=d HEAD -- 'tests/test_*.py'; } | sort -u) \
	  && wait $$mypy

test: $(INSTALLED)
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal $(TESTS)

# Environments with chosen versions of all libraries: the lowest that pyproject.toml allows, and those that the
# golden answers were given with. The core is compiled already: it knows no other library.
$(LOWEST)/.installed: VERSIONS := --resolution lowest-direct
$(GOLDEN)/.installed: VERSIONS := --constraint tests/golden/constraints.txt
$(GOLDEN)/.installed: tests/golden/constraints.txt
$(LOWEST)/.installed $(GOLDEN)/.installed: $(SOURCES) | $(INSTALLED)
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(@D)
	$(BIN)/uv pip compile --quiet $(VERSIONS) --extra test --python $(BIN)/python \
	  --output-file $(@D)/requirements.txt pyproject.toml
	$(BIN)/uv pip install --quiet --python $(@D)/bin/python --requirement $(@D)/requirements.txt
	cp -R $(VENV)/lib/python*/site-packages/*stakes* $(@D)/lib/python*/site-packages/
	@touch $@

test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python -m pytest --numprocesses auto --dist worksteal $(TESTS)

# What models, files and commands answer, compared with what they answered before (tests/golden).
golden: $(GOLDEN)/.installed
	$(GOLDEN)/bin/python tests/golden/make.py --check

# What takes too long for every change; CHECKS names some of them.
check-large: $(INSTALLED)
	$(BIN)/python tools/check_large.py $(CHECKS)

# Lines that no test executes, by package.
coverage: $(INSTALLED)
	$(BIN)/python tools/mutate/which_tests.py

# Small wrong changes that the tests must notice: a sample drawn by SEED, and the list for the core.
mutate: $(INSTALLED)
	$(BIN)/python tools/mutate --seed $(SEED)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror cpp/*/*
	$(BIN)/python tools/same_lines.py
	$(BIN)/python tools/words.py
	$(BIN)/python tools/front_door.py

# The types of the core, as nanobind knows them.
STUBGEN = $(BIN)/python -m nanobind.stubgen --quiet --module stakes._core --output-file $(1) && \
  $(BIN)/ruff format --quiet $(1)
stub: $(INSTALLED)
	$(call STUBGEN,src/stakes/_core.pyi)

types: $(INSTALLED)
	@mkdir -p build
	@$(call STUBGEN,build/_core.pyi)
	@cmp -s build/_core.pyi src/stakes/_core.pyi || \
	  { echo "src/stakes/_core.pyi is not what the core offers: run 'make stub'." >&2; exit 1; }
	$(BIN)/mypy

layers: $(INSTALLED)
	$(BIN)/lint-imports
	$(BIN)/python tools/deep_imports.py

doctest: $(INSTALLED)
	$(BIN)/python -m pytest --doctest-modules --doctest-glob='*.md' --ignore=docs/generated src README.md docs

# Warnings are errors, and so are references that lead nowhere. All is built again each time, since a page that
# is not read again gives no warning. Then a browser opens the pages, where there is one.
docs: $(INSTALLED)
	rm -rf docs/generated build/docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --nitpicky --quiet docs build/docs
	$(BIN)/python tools/look_at_site.py
	@echo "The site is in build/docs/index.html."

# The papers' tables with all repeats, for which STAKES_DATA must name their data. Goes on where it was stopped.
PAPERS := abe2004 davis2006 kretowski2007 rules2012 ting1998
tables: $(INSTALLED)
	$(BIN)/stakes reproduce --output stakes-lab
	cp $(PAPERS:%=stakes-lab/%.md) benchmarks/results/

sanitize: $(INSTALLED)
	$(BIN)/python tools/sanitize.py

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i cpp/*/*

clean:
	rm -rf $(VENV) .venv-* build docs/generated stakes-demo
