# The commands that most changes need; CONTRIBUTING.md has a table of the others. Each target sets up
# the environment that it needs. PYTHON is the interpreter: 3.10 or later, for which there is a
# TensorFlow.
PYTHON ?= python3
# One for each of two cores. A third costs more to collect the tests than it gains.
WORKERS ?= 2
# Tests of one module mostly run in one worker, so that they share what the module sets up. Warnings
# are counted, and not listed: thousands are TensorFlow's own.
PARALLEL := -n $(WORKERS) --dist=worksteal --disable-warnings
# The versions in requirements/ are installed, with hashes. `make test LOCK=no` in a fresh clone
# installs the newest versions instead.
LOCK ?= yes
VENV := .venv
TOOLS := .venv-tools
RUN := $(VENV)/bin/python -m
# The Pythons for which a release is checked.
PYTHONS ?= python3.10 python3.11 python3.12 python3.13
# TensorFlows that are tested in addition to the newest one that tf-keras supports.
TENSORFLOWS := 2.16 2.18
# A newer one than tf-keras supports. Only release candidates of it are out, so nothing locks it.
AHEAD := 2.22
# The front end for Keras 3 on other versions of Keras, each with the TensorFlow and JAX of its time.
KERAS_3S := 3.6 3.10 nightly
WITH_keras3.6 := 'keras==3.6.*' 'tensorflow==2.18.*' 'jax<0.5'
WITH_keras3.10 := 'keras==3.10.*' 'tensorflow==2.19.*' 'jax<0.7'
WITH_kerasnightly := --pre keras-nightly tensorflow jax
SHIM_TESTS := tests/core tests/optimizers tests/tf1 tests/goldens tests/artefacts \
	tests/policies tests/watching/test_loss_scale_logger.py tests/legacy/test_install.py tests/cli/test_run.py
# No GPU is needed or used. The log level hides TensorFlow's messages at start-up.
export CUDA_VISIBLE_DEVICES =
export TF_CPP_MIN_LOG_LEVEL = 3
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# The tests start many processes, and these start faster from cached bytecode.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test test-slow test-jax lint docs bench nightly reach matrix test-torch environments lock audit release-check clean

demo: $(VENV)/ready
	@$(VENV)/bin/python examples/demo.py

# A selection for every change: see the markers in pyproject.toml. The rest is in `make nightly`.
test: $(VENV)/ready
	@echo "This takes about six minutes on two quiet cores. 'pytest tests/FOLDER' runs some tests."
	$(RUN) pytest $(PARALLEL)

# Tests of that selection that take seconds each. CI runs them too.
test-slow: $(VENV)/ready
	SLOW_TESTS=yes $(RUN) pytest $(PARALLEL) $$(grep -rl 'mark\.slow' tests --include='test_*.py')

# The tests of Keras 3 on JAX. CI runs them too.
test-jax: $(VENV)/ready
	KERAS_BACKEND=jax $(RUN) pytest $(PARALLEL) tests/keras3 tests/zoo

lint: $(VENV)/ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/typos
	$(VENV)/bin/python tools/prose.py
	$(VENV)/bin/mypy

docs: $(VENV)/ready
	$(VENV)/bin/sphinx-build --fail-on-warning --keep-going -b html docs docs/_build/html

# Which rules and modules of the codemod the files of public repositories need. Takes an hour or more.
REPOSITORIES ?= $(VENV)/repositories
reach: $(VENV)/ready
	$(RUN) tests.codemods.repositories.reach $(REPOSITORIES) --clone

# All benchmarks, for two hours. The documentation shows their tables and plots.
bench: $(VENV)/ready
	for one in whole_steps whole_page step step_page keras3_steps keras3_page codemod codemod_page; do \
		$(RUN) benchmarks.$$one || exit 1; \
	done
	TF_USE_LEGACY_KERAS=1 $(RUN) benchmarks.recording_steps

# Everything that takes too long for every change: all TensorFlows, and the long form of all tests and
# attacks. `make test` runs a short form of most.
nightly: $(VENV)/ready .venv-torch/ready matrix
	ALL_CASES=yes $(RUN) pytest $(PARALLEL) --ignore=tests/zoo
	KERAS_BACKEND=jax ALL_CASES=yes $(RUN) pytest $(PARALLEL) tests/keras3
	$(RUN) tests.zoo
	.venv-torch/bin/python -m tests.zoo
	for how in moved renamed; do \
		PRIVATE_NAMES=$$how WHOLE_GRIDS=yes $(RUN) pytest $(PARALLEL) -p tests.without_private_names \
			$(SHIM_TESTS) || exit 1; \
	done
	EXCHANGE_EVERY=1 ALL_CASES=yes $(RUN) pytest $(PARALLEL) tests/exchange
	PROPERTY_EXAMPLES=3000 $(RUN) pytest $(PARALLEL) tests/codemods/test_properties.py
	for target in tf-keras compat keras3 keras3-alone; do \
		$(RUN) tests.codemods.both_ways --target $$target --all || exit 1; \
	done
	$(RUN) tests.cli.run_as_python $(PYTHONS)
	$(RUN) tests.cli.run_with_tools
	$(RUN) tests.formats.fuzz --count 10000
	for attack in kill interrupt pairs editor full-disk; do \
		$(RUN) tests.reliability.codemod $$attack --count 300 || exit 1; \
	done
	for attack in faults resume workers floors threads soak differential; do \
		$(RUN) tests.reliability.$$attack || exit 1; \
	done
	$(RUN) tests.reliability.resume --rule each --count 10
	$(RUN) tests.reliability.workers --rule all --count 20 mirrored-2 workers-2
	$(RUN) tests.reliability.sweep "$$($(PYTHON) -c 'import os; print(os.path.dirname(os.__file__))')"

# The shim's tests on every TensorFlow, and the front end for Keras 3 on every Keras and on PyTorch.
matrix: $(TENSORFLOWS:%=test-tf%) $(AHEAD:%=test-tf%) $(KERAS_3S:%=test-keras%) test-torch $(VENV)/ready
	WHOLE_GRIDS=yes $(RUN) pytest $(PARALLEL) $(SHIM_TESTS)

test-tf%: .venv-tf%/ready
	WHOLE_GRIDS=yes .venv-tf$*/bin/python -m pytest $(PARALLEL) $(SHIM_TESTS)

test-keras%: .venv-keras%/ready
	WHOLE_GRIDS=yes .venv-keras$*/bin/python -m pytest $(PARALLEL) tests/keras3
	KERAS_BACKEND=jax WHOLE_GRIDS=yes .venv-keras$*/bin/python -m pytest $(PARALLEL) tests/keras3

test-torch: .venv-torch/ready
	KERAS_BACKEND=torch WHOLE_GRIDS=yes .venv-torch/bin/python -m pytest $(PARALLEL) tests/keras3 tests/zoo tests/spec/test_other_systems.py

# All environments that `.ci/run` needs. `make --jobs=3 environments` installs them at the same time.
environments: $(VENV)/ready $(TOOLS)/ready .venv-tf2.16/ready

# Re-locks the dependencies. Each file is for all Pythons. What was uploaded within the last week is
# left out: most malicious releases are found by then.
LOCKED = --quiet --upgrade --universal --python-version 3.10 --generate-hashes \
	--exclude-newer '7 days' --custom-compile-command 'make lock'
COMPILE = $(TOOLS)/bin/uv pip compile $(LOCKED)
lock: $(TOOLS)/ready
	$(COMPILE) pyproject.toml --extra tf --group test --group jax --group lint --group docs --group demo \
		--group build --output-file requirements/dev.txt
	for tf in $(TENSORFLOWS); do \
		printf 'tensorflow==%s.*\ntf-keras==%s.*\n' $$tf $$tf > requirements/tf.in; \
		$(COMPILE) pyproject.toml --extra tf --group test --group build --constraint requirements/tf.in \
			--output-file requirements/tf$$tf.txt || exit 1; \
	done
	rm requirements/tf.in
	$(COMPILE) pyproject.toml --group build --output-file requirements/action.txt
	$(COMPILE) --group tools --output-file requirements/tools.txt

# Licences, compared with the list in pyproject.toml, and known vulnerabilities.
audit: $(VENV)/ready $(TOOLS)/ready
	$(TOOLS)/bin/pip-licenses --python $(VENV)/bin/python --summary
	$(TOOLS)/bin/python tools/audit.py requirements/*.txt $(AUDIT)

# See RELEASING.md.
release-check: $(TOOLS)/ready
	$(TOOLS)/bin/python tools/release_check.py $(PYTHONS:%=--python %) $(RELEASE_CHECK)
	$(TOOLS)/bin/cyclonedx-py requirements requirements/dev.txt --pyproject pyproject.toml \
		--output-reproducible --output-file dist/sbom.cdx.json

# A lock file is complete, so pip resolves nothing: without --no-deps, it would take hypothesmith's
# hypothesis[lark] for another requirement, without a pin, and refuse TensorFlows that tf-keras does
# not support.
LOCKED_PIP = --no-deps --require-hashes --requirement

$(VENV)/ready: pyproject.toml requirements/dev.txt
	@$(PYTHON) -m venv $(VENV)
ifeq ($(LOCK),yes)
	@$(PYTHON) tools/install.py $(VENV) requirements/dev.txt
	@$(VENV)/bin/pip install --quiet --no-deps --no-build-isolation --editable .
else
	$(VENV)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)/bin/pip install --quiet --editable '.[tf]' \
		--group test --group jax --group lint --group docs --group demo
endif
	@touch $@

# Other rules than that for the locked ones: pip does not install the two together by itself.
$(AHEAD:%=.venv-tf%/ready): .venv-tf%/ready: pyproject.toml
	$(PYTHON) -m venv .venv-tf$*
	.venv-tf$*/bin/pip install --quiet --upgrade 'pip>=25.1'
	.venv-tf$*/bin/pip install --quiet --editable . --group test tensorboard 'tensorflow>=$*.0rc0,==$*.*'
	.venv-tf$*/bin/pip install --quiet --no-deps tf-keras
	touch $@

.venv-tf%/ready: pyproject.toml requirements/tf%.txt
	$(PYTHON) -m venv .venv-tf$*
	.venv-tf$*/bin/pip install --quiet $(LOCKED_PIP) requirements/tf$*.txt
	.venv-tf$*/bin/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(TOOLS)/ready: requirements/tools.txt
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/pip install --quiet $(LOCKED_PIP) requirements/tools.txt
	touch $@

# The newest versions that fit: there is no lock file for each Keras. For the nightly one, TensorFlow
# brings the release too, which has the same files. What is installed last counts.
.venv-keras%/ready: pyproject.toml
	$(PYTHON) -m venv .venv-keras$*
	.venv-keras$*/bin/pip install --quiet --upgrade 'pip>=25.1'
	.venv-keras$*/bin/pip install --quiet --editable '.[tf]' --group test $(WITH_keras$*)
	$(if $(filter nightly,$*),.venv-keras$*/bin/pip install --quiet --force-reinstall --no-deps --pre keras-nightly)
	touch $@

.venv-torch/ready: pyproject.toml
	$(PYTHON) -m venv .venv-torch
	.venv-torch/bin/pip install --quiet --upgrade 'pip>=25.1'
	.venv-torch/bin/pip install --quiet --extra-index-url https://download.pytorch.org/whl/cpu \
		--editable . --group test keras torch flax jmp
	touch $@

.PRECIOUS: .venv-tf%/ready .venv-keras%/ready

clean:
	rm -rf .venv .venv-* dist docs/_build .pytest_cache .mypy_cache .ruff_cache
