# Every target sets up the environment that it needs. PYTHON is the interpreter: 3.10 or later, for
# which there is a TensorFlow.
PYTHON ?= python3
# One for each of two cores. A third costs more to collect the tests than it gains.
WORKERS ?= 2
# Tests of one module mostly run in one worker, so that they share what the module sets up.
PARALLEL := -n $(WORKERS) --dist=worksteal
# The versions in requirements/ are installed, with hashes. `make test LOCK=no` in a fresh clone
# installs the newest versions instead.
LOCK ?= yes
VENV := .venv
TOOLS := .venv-tools
# The Pythons for which a release is checked.
PYTHONS ?= python3.10 python3.11 python3.12 python3.13
# TensorFlows that are tested in addition to the newest one that tf-keras supports.
TENSORFLOWS := 2.16 2.18 2.22
# Those of them that are newer than tf-keras supports.
AHEAD := 2.22
SHIM_TESTS := tests/core tests/optimizers tests/tf1 tests/goldens tests/artefacts \
	tests/policies tests/watching/test_loss_scale_logger.py tests/legacy/test_install.py tests/cli/test_run.py
# No GPU is needed or used. The log level hides TensorFlow's messages at start-up.
export CUDA_VISIBLE_DEVICES =
export TF_CPP_MIN_LOG_LEVEL = 3
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# The tests start many processes, and these start faster from cached bytecode.
export PYTHONDONTWRITEBYTECODE =

.PHONY: pictures old-and-new mutations bench-recording bench bench-whole bench-step bench-keras3 bench-overflow bench-codemod demo test without-private nightly test-all lint docs \
	fuzz attacks attacks-shim run-as-python properties upstream repositories sweep exchange programs proofs zoo both-ways test-oldest test-torch matrix matrix-keras3 \
	environments audit lock release-check clean

demo: $(VENV)/ready
	$(VENV)/bin/python examples/demo.py

# A selection for every change: see the markers in pyproject.toml. The rest is in `make nightly`.
test: $(VENV)/ready
	$(VENV)/bin/python -m pytest $(PARALLEL)
	KERAS_BACKEND=jax $(VENV)/bin/python -m pytest $(PARALLEL) tests/keras3 tests/zoo

# The shim's tests without any private name of TensorFlow and tf-keras. `make test` runs a short form.
without-private: $(VENV)/ready
	for how in moved renamed; do \
		PRIVATE_NAMES=$$how WHOLE_GRIDS=yes $(VENV)/bin/python -m pytest $(PARALLEL) -p tests.without_private_names \
			$(SHIM_TESTS) || exit 1; \
	done

# Everything that takes too long for every change: all TensorFlows, and the long form of all tests.
nightly: test-all zoo matrix matrix-keras3 without-private fuzz attacks attacks-shim properties sweep exchange-all both-ways-all \
	run-as-python

# All tests, including those that `make test` samples or leaves out because they take long. All cases
# of tests/zoo are in `make zoo`.
test-all: $(VENV)/ready
	ALL_CASES=yes $(VENV)/bin/python -m pytest $(PARALLEL) --ignore=tests/zoo
	KERAS_BACKEND=jax ALL_CASES=yes $(VENV)/bin/python -m pytest $(PARALLEL) tests/keras3

lint: $(VENV)/ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/typos
	$(VENV)/bin/python tools/prose.py
	$(VENV)/bin/mypy

docs: $(VENV)/ready
	$(VENV)/bin/sphinx-build --fail-on-warning --keep-going -b html docs docs/_build/html

# The screenshots of reports in the documentation. Needs Chromium.
pictures: $(VENV)/ready
	$(VENV)/bin/python tools/report_pictures.py

# All benchmarks. The documentation shows their tables and plots.
bench: bench-whole bench-step bench-keras3 bench-overflow bench-codemod

# Whole training steps of two models. Takes ten minutes.
bench-whole: $(VENV)/ready
	$(VENV)/bin/python -m benchmarks.whole_steps
	$(VENV)/bin/python -m benchmarks.whole_page

# Programs recorded under old TensorFlows and under `run`: `make old-and-new OLD="2.3=PYTHON 1.15=PYTHON"`.
old-and-new: $(VENV)/ready
	$(VENV)/bin/python -m tests.recording.old_and_new $(addprefix --python ,$(OLD)) $(PROGRAMS)

# Changes to programs that `compare` has to find, and changes that it must not report. Takes five minutes.
mutations: $(VENV)/ready
	$(VENV)/bin/python -m tests.recording.mutations

# What recording costs, with the recorder and without in turns. Takes two minutes.
bench-recording: $(VENV)/ready
	TF_USE_LEGACY_KERAS=1 $(VENV)/bin/python -m benchmarks.recording_steps

# The optimizer's step, compared with tf-keras. Takes half an hour.
bench-step: $(VENV)/ready
	$(VENV)/bin/python -m benchmarks.step
	$(VENV)/bin/python -m benchmarks.step_page

# The optimizer's step on Keras 3, compared with Keras' own. Takes ten minutes.
bench-keras3: $(VENV)/ready
	$(VENV)/bin/python -m benchmarks.keras3_steps
	$(VENV)/bin/python -m benchmarks.keras3_page

# What it costs to record which gradient overflowed. Takes five minutes.
bench-overflow: $(VENV)/ready
	$(VENV)/bin/python -m benchmarks.overflow_steps

# The codemod, compared with reading the files, with other codemods, and with itself on larger trees.
# Takes half an hour or more.
bench-codemod: $(VENV)/ready
	$(VENV)/bin/python -m benchmarks.codemod
	$(VENV)/bin/python -m benchmarks.codemod_page

# Mutated artefacts against the verifier. `make test` runs a short form.
fuzz: $(VENV)/ready
	$(VENV)/bin/python -m tests.formats.fuzz --count 10000

# Attacks on the codemod's writing. `make test` runs a short form.
attacks: $(VENV)/ready
	for attack in kill interrupt pairs editor full-disk; do \
		$(VENV)/bin/python -m tests.reliability.codemod $$attack --count 300 || exit 1; \
	done

# Attacks on the shim: faults, kills, replicas, threads, long runs, comparison with stock TensorFlow.
# Takes two hours.
attacks-shim: $(VENV)/ready
	for attack in faults resume workers floors threads soak differential; do \
		$(VENV)/bin/python -m tests.reliability.$$attack || exit 1; \
	done
	$(VENV)/bin/python -m tests.reliability.resume --rule each --count 10
	$(VENV)/bin/python -m tests.reliability.workers --rule all --count 20 --overflows mirrored-2 workers-2

# Programs under python and under `compat-lossscale run`, on every Python, and with debuggers and
# similar tools. `make test` runs an eighth of the programs.
run-as-python: $(VENV)/ready
	$(VENV)/bin/python -m tests.cli.run_as_python $(PYTHONS)
	$(VENV)/bin/python -m tests.cli.run_with_tools

# All exchanges of saved files. `make test` runs an eighth of them, in one mode each.
exchange-all: $(VENV)/ready
	EXCHANGE_EVERY=1 ALL_CASES=yes $(VENV)/bin/python -m pytest $(PARALLEL) tests/exchange

# Files that other TensorFlows and this package save, exchanged. The documentation shows the matrix.
# Takes half an hour. EXCHANGE_WITH names an interpreter of each TensorFlow:
# "1.15=/path/to/python 2.3=/path/to/python ...". Results in EXCHANGE_FOLDER are used again.
EXCHANGE_FOLDER ?= $(VENV)/exchange
exchange: $(VENV)/ready
	$(VENV)/bin/python -m tests.exchange.run $(EXCHANGE_FOLDER) $(EXCHANGE_WITH)
	$(VENV)/bin/python -m tests.exchange.page

# Published programs, installed from the package index and trained under `run`. Takes an hour. Needs
# Python 3.10 or 3.11, the newest that tensorflow-addons supports.
programs: $(VENV)/ready
	$(VENV)/bin/python -m tests.programs.run .venv-programs

# Published programs recorded before and after `migrate --observed`. Takes an hour. The documentation
# shows the table. `python -m tests.programs.proofs --help` says how to record them in old environments.
proofs: $(VENV)/ready
	$(VENV)/bin/python -m tests.programs.proofs .venv-programs

# Models and ways to train them, compared with the wrappers of tf-keras and Keras: the documentation
# shows the table. Takes two hours. FAMILIES, such as `--family legacy`, and CASES, parts of names,
# choose some.
zoo: $(VENV)/ready .venv-torch/ready
	$(VENV)/bin/python -m tests.zoo $(FAMILIES) $(CASES)
	.venv-torch/bin/python -m tests.zoo $(FAMILIES) $(CASES)

# Generated programs around old calls.
properties: $(VENV)/ready
	PROPERTY_EXAMPLES=3000 $(VENV)/bin/python -m pytest $(PARALLEL) tests/codemods/test_properties.py

# Whole programs unchanged under `compat-lossscale run`, and migrated: to tf-keras alone, to Keras 3,
# and to Keras 3 alone. PROGRAMS are by default those that changed, or whose migration changed, since
# their verdict was recorded. RECORD=--record keeps the verdicts, and makes the documentation's tables.
BOTH_WAYS := tf-keras keras3 keras3-alone
both-ways: $(VENV)/ready
	for target in $(BOTH_WAYS); do \
		$(VENV)/bin/python -m tests.codemods.both_ways --target $$target $(PROGRAMS) $(RECORD) || exit 1; \
	done

# All of them.
both-ways-all: $(VENV)/ready
	$(MAKE) both-ways PROGRAMS=--all

# Upstream's own tests against the shim's classes, at the commits in tests/upstream/suites.py:
#   make upstream KERAS=keras.git TENSORFLOW=tensorflow.git KERAS3=keras3.git
# For how to get the repositories, see `.venv/bin/python -m tests.upstream.run --help`. Most tests of
# Keras 3 are in its wheel.
upstream: $(VENV)/ready
	$(VENV)/bin/python -m tests.upstream.run $(KERAS:%=--keras %) $(TENSORFLOW:%=--tensorflow %) $(SUITES)
	$(VENV)/bin/python -m tests.upstream.keras3 $(KERAS3:%=--keras3 %) $(SUITES)
	$(VENV)/bin/python -m tests.upstream.keras3 --wrapped $(SUITES)

# The codemod on public repositories. The documentation shows the table. Repositories that are not in
# REPOSITORIES are cloned from GitHub. Takes an hour or less.
REPOSITORIES ?= $(VENV)/repositories
repositories: $(VENV)/ready
	$(VENV)/bin/python -m tests.codemods.repositories $(REPOSITORIES) --clone

# The whole codemod over every file of some folders. By default, Python's own library.
ROOTS ?= $$($(PYTHON) -c 'import os; print(os.path.dirname(os.__file__))')
sweep: $(VENV)/ready
	$(VENV)/bin/python -m tests.reliability.sweep $(ROOTS)

# The shim's tests on every TensorFlow in TENSORFLOWS, and on the newest that tf-keras supports.
matrix: $(TENSORFLOWS:%=test-tf%) $(VENV)/ready
	WHOLE_GRIDS=yes $(VENV)/bin/python -m pytest $(PARALLEL) $(SHIM_TESTS)

test-oldest: test-tf2.16

test-tf%: .venv-tf%/ready
	WHOLE_GRIDS=yes .venv-tf$*/bin/python -m pytest $(PARALLEL) $(SHIM_TESTS)

# The front end for Keras 3 on other versions of Keras, each with the TensorFlow and JAX of its time.
KERAS_3S := 3.6 3.10 nightly
WITH_keras3.6 := 'keras==3.6.*' 'tensorflow==2.18.*' 'jax<0.5' 
WITH_keras3.10 := 'keras==3.10.*' 'tensorflow==2.19.*' 'jax<0.7'
WITH_kerasnightly := --pre keras-nightly tensorflow jax
matrix-keras3: $(KERAS_3S:%=test-keras%) test-torch

test-keras%: .venv-keras%/ready
	WHOLE_GRIDS=yes .venv-keras$*/bin/python -m pytest $(PARALLEL) tests/keras3
	KERAS_BACKEND=jax WHOLE_GRIDS=yes .venv-keras$*/bin/python -m pytest $(PARALLEL) tests/keras3

# The same on PyTorch, whose packages for processors alone are not in the package index.
test-torch: .venv-torch/ready
	KERAS_BACKEND=torch WHOLE_GRIDS=yes .venv-torch/bin/python -m pytest $(PARALLEL) tests/keras3 tests/zoo tests/spec/test_other_systems.py

# All environments that `.ci/run` needs. `make --jobs=3 environments` installs them at the same time.
environments: $(VENV)/ready $(TOOLS)/ready .venv-tf2.16/ready

# Licences, compared with the list in pyproject.toml, and known vulnerabilities.
audit: $(VENV)/ready $(TOOLS)/ready
	$(TOOLS)/bin/pip-licenses --python $(VENV)/bin/python --summary
	$(TOOLS)/bin/python tools/audit.py requirements/*.txt $(AUDIT)

# See RELEASING.md.
release-check: $(TOOLS)/ready
	$(TOOLS)/bin/python tools/release_check.py $(PYTHONS:%=--python %) $(RELEASE_CHECK)
	$(TOOLS)/bin/cyclonedx-py requirements requirements/dev.txt --pyproject pyproject.toml \
		--output-reproducible --output-file dist/sbom.cdx.json

# Re-locks the dependencies. Each file is for all Pythons.
COMPILE = $(TOOLS)/bin/uv pip compile pyproject.toml --quiet --upgrade --universal \
	--python-version 3.10 --generate-hashes --custom-compile-command 'make lock'
lock: $(TOOLS)/ready
	$(COMPILE) --extra tf --group test --group jax --group lint --group docs --group demo \
		--group build --output-file requirements/dev.txt
	for tf in $(filter-out $(AHEAD),$(TENSORFLOWS)); do \
		printf 'tensorflow==%s.*\ntf-keras==%s.*\n' $$tf $$tf > requirements/tf.in; \
		$(COMPILE) --extra tf --group test --group build --constraint requirements/tf.in \
			--output-file requirements/tf$$tf.txt || exit 1; \
	done
	for tf in $(AHEAD); do \
		printf 'tensorflow>=%s.0rc0,==%s.*\n' $$tf $$tf > requirements/tf.in; \
		$(COMPILE) --extra tf --group test --group build --override requirements/tf.in \
			--output-file requirements/tf$$tf.txt || exit 1; \
	done
	rm requirements/tf.in
	$(TOOLS)/bin/uv pip compile --group tools --quiet --upgrade --universal --python-version 3.10 \
		--generate-hashes --custom-compile-command 'make lock' --output-file requirements/tools.txt

$(VENV)/ready: pyproject.toml requirements/dev.txt
	$(PYTHON) -m venv $(VENV)
ifeq ($(LOCK),yes)
	# The file is complete. Without --no-deps, pip takes hypothesmith's hypothesis[lark] for another
	# requirement, without a pin, as soon as there is a newer version.
	$(VENV)/bin/pip install --quiet --no-deps --require-hashes --requirement requirements/dev.txt
	$(VENV)/bin/pip install --quiet --no-deps --no-build-isolation --editable .
else
	$(VENV)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)/bin/pip install --quiet --editable '.[tf]' \
		--group test --group jax --group lint --group docs --group demo
endif
	touch $@

.venv-tf%/ready: pyproject.toml requirements/tf%.txt
	$(PYTHON) -m venv .venv-tf$*
	# The file is complete, and pip would refuse TensorFlows that tf-keras does not support.
	.venv-tf$*/bin/pip install --quiet --no-deps --require-hashes --requirement requirements/tf$*.txt
	.venv-tf$*/bin/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(TOOLS)/ready: requirements/tools.txt
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/pip install --quiet --no-deps --require-hashes --requirement requirements/tools.txt
	touch $@

# The newest versions that fit: there is no lock file for each Keras.
.venv-keras%/ready: pyproject.toml
	$(PYTHON) -m venv .venv-keras$*
	.venv-keras$*/bin/pip install --quiet --upgrade 'pip>=25.1'
	.venv-keras$*/bin/pip install --quiet --editable '.[tf]' --group test $(WITH_keras$*)
	# TensorFlow brings the release too, which has the same files. What is installed last counts.
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
