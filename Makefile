# Everything runs from .venv, made on first use. Only Python 3.11 or later and make are needed.
# To play takes the packages that running needs; tests and checks add theirs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
TOOLS := $(VENV)/.tools
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt

.PHONY: play test test-slow test-extras extras training test-training scripts release check bench docs warmup kernels clean

play: $(STAMP)
	$(BIN)/stratagem serve $(if $(PORT),--port $(PORT))

test: $(TOOLS) check
	$(BIN)/pytest -q -n 2 -m "not slow" --durations=10

test-slow: $(TOOLS)
	$(BIN)/pytest -q -n 2 -m slow --durations=10

# What the tests of the extras need; without it they are skipped, each with a line.
extras: $(TOOLS)
	$(PIP) -e '.[postgres,cluster,neighbours,notebook,mcp,browser,docs,release]'

# The quick tests of the extras, which `make test` skips where they are not installed.
test-extras: extras
	$(BIN)/pytest -q -n 2 -m "not slow" tests/store tests/arena/test_cluster.py tests/arena/test_runner.py tests/protocols \
		tests/web/test_processes.py tests/web/test_mcp.py tests/test_notebook.py tests/docs/test_deploy.py tests/search/test_browser.py \
		tests/compile/test_portable.py tests/docs/test_play_page.py

# What the tests of training need: PyTorch as it is built for processors alone, where pip finds that; the build that `pip` takes
# otherwise brings gigabytes for GPUs.
training: $(TOOLS)
	$(PIP) "$$(grep '^torch==' constraints.txt)+cpu" -e '.[train]'

# The quick tests of training; `make test-slow` then runs the others.
test-training: training
	$(BIN)/pytest -q -n 2 -m "not slow" tests/networks tests/games/minions/test_records.py \
		tests/games/minions/test_prophet_training.py tests/games/minions/test_oracle.py

check: $(TOOLS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md docs src
	$(BIN)/pytest -q -n 0 tests/docs/test_examples.py -k links_between_pages
	@$(BIN)/python docs/site_language.py

# The pages' scripts: types, linter, unit tests. Only this needs Node; without it nothing is checked, in a line.
scripts:
	@if ! command -v npm >/dev/null; then echo "npm is not there: the pages' scripts are not checked"; \
	elif ! npm install --silent; then echo "npm could not install the checks: the pages' scripts are not checked"; \
	else npm run --silent types && npm run --silent lint && npm run --silent test; fi

bench: $(STAMP)
	$(BIN)/python -m benchmarks

docs: $(STAMP)
	$(PIP) -e '.[docs,browser]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

release: extras
	$(BIN)/python -m build --no-isolation
	$(BIN)/pytest -q -n 0 tests/docs/test_distribution.py

warmup: $(STAMP)
	$(BIN)/stratagem warmup

# A wheel of compiled code, so that nothing is compiled at first use (docs/kernels.md).
kernels: $(STAMP)
	$(BIN)/python -m kernels

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $(STAMP)

$(TOOLS): $(STAMP)
	$(PIP) -e '.[test,check]'
	touch $(TOOLS)

clean:
	rm -rf $(VENV) build dist site node_modules
