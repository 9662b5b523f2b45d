# Everything runs from .venv, made on first use. Only Python 3.11 or later and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: play test test-slow test-extras extras training test-training release check bench docs warmup clean

play: $(STAMP)
	$(BIN)/stratagem serve

test: $(STAMP) check
	$(BIN)/pytest -q -n 2 -m "not slow"

test-slow: $(STAMP)
	$(BIN)/pytest -q -n 2 -m slow

# What the tests of the extras need; without it they are skipped, each with a line.
extras: $(STAMP)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[postgres,cluster,neighbours,notebook,docs,release]'

# The quick tests of the extras, which `make test` skips where they are not installed.
test-extras: extras
	$(BIN)/pytest -q -n 2 -m "not slow" tests/store tests/arena/test_cluster.py tests/arena/test_runner.py tests/protocols \
		tests/web/test_processes.py tests/test_notebook.py tests/docs/test_deploy.py

# What the tests of training need: PyTorch as it is built for processors alone, where pip finds that; the build that `pip` takes
# otherwise brings gigabytes for GPUs.
training: $(STAMP)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt "$$(grep '^torch==' constraints.txt)+cpu" -e '.[train]'

# The quick tests of training; `make test-slow` then runs the others.
test-training: training
	$(BIN)/pytest -q -n 2 -m "not slow" tests/networks tests/games/minions/test_records.py \
		tests/games/minions/test_prophet_training.py tests/games/minions/test_oracle.py

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m benchmarks

docs: $(STAMP)
	$(BIN)/pip install -q -c constraints.txt -e '.[docs]'
	$(BIN)/mkdocs build --strict

release: extras
	$(BIN)/python -m build --no-isolation
	$(BIN)/pytest -q -n 0 tests/docs/test_distribution.py

warmup: $(STAMP)
	$(BIN)/stratagem warmup

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[test,check]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist site
