# Every target does its own set-up. PYTHON chooses the interpreter (3.10 or later, with a TensorFlow).
PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
OLDEST := .venv-oldest
# No GPU is needed or used, and TensorFlow's start-up chatter would bury what matters.
export CUDA_VISIBLE_DEVICES =
export TF_CPP_MIN_LOG_LEVEL = 3
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: bench-codemod demo test lint docs fuzz attacks attacks-shim properties sweep test-oldest clean

demo: $(VENV)/ready
	$(VENV)/bin/python examples/demo.py

test: $(VENV)/ready
	$(VENV)/bin/python -m pytest -n $(WORKERS)

lint: $(VENV)/ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

docs: $(VENV)/ready
	$(VENV)/bin/sphinx-build --fail-on-warning --keep-going -b html docs docs/_build/html

# The codemod beside reading, other codemods and itself on larger trees; half an hour or more.
bench-codemod: $(VENV)/ready
	$(VENV)/bin/python -m benchmarks.codemod
	$(VENV)/bin/python -m benchmarks.codemod_page

# Mutated artefacts against the verifier; CI's tests run a short version of it.
fuzz: $(VENV)/ready
	$(VENV)/bin/python -m tests.formats.fuzz --count 10000

# Attacks on the codemod's writing; CI's tests run a short version of them.
attacks: $(VENV)/ready
	for attack in kill interrupt pairs editor full-disk; do \
		$(VENV)/bin/python -m tests.reliability.codemod $$attack --count 300 || exit 1; \
	done

# Attacks on the shim: faults, kills, replicas, threads, long runs; an hour or more.
attacks-shim: $(VENV)/ready
	for attack in faults resume workers threads soak; do \
		$(VENV)/bin/python -m tests.reliability.$$attack || exit 1; \
	done

# Generated programs around old calls.
properties: $(VENV)/ready
	PROPERTY_EXAMPLES=3000 $(VENV)/bin/python -m pytest -n $(WORKERS) tests/codemods/test_properties.py

# The whole codemod over every file of some folders; by default, Python's own library.
ROOTS ?= $$($(PYTHON) -c 'import os; print(os.path.dirname(os.__file__))')
sweep: $(VENV)/ready
	$(VENV)/bin/python -m tests.reliability.sweep $(ROOTS)

# The shim on the oldest TensorFlow it supports.
test-oldest: $(OLDEST)/ready
	$(OLDEST)/bin/python -m pytest -n $(WORKERS) tests/core tests/optimizers tests/goldens tests/artefacts \
		tests/test_policy.py tests/test_autowrap.py tests/test_install.py tests/cli/test_run.py

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)/bin/pip install --quiet --editable '.[tf]' \
		--group test --group lint --group docs --group demo
	touch $@

$(OLDEST)/ready: pyproject.toml
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(OLDEST)/bin/pip install --quiet --editable . --group test 'tensorflow==2.16.*' 'tf-keras==2.16.*'
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) docs/_build .pytest_cache .mypy_cache .ruff_cache
