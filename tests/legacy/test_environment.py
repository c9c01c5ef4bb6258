# SPDX-License-Identifier: Apache-2.0
"""Which jobs will work, by what is installed. The metadata is made up."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from compat_lossscale._require import UNKNOWN_VERSION
from compat_lossscale.legacy import environment
from compat_lossscale.legacy.environment import Environment, Job, Outlook, jobs, notes
from tests.messages import says
from tests.support import REPOSITORY

ALL: dict[str, str | None] = {
    "tensorflow": "2.21.0",
    "tf_keras": "2.21.0",
    "keras": "3.15.1",
    "h5py": "3.14.0",
    "libcst": "1.9.0",
}
BOTH = "pip install tensorflow tf-keras tensorboard"
NEW_ENVIRONMENT = f"Make an environment with Python 3.10 to 3.13, and there: {BOTH}"


def having(python: str = "3.12.3", legacy_keras: str | None = "1", **packages: Any) -> Environment:
    return Environment(python, {**ALL, **packages}, legacy_keras)


def outlooks(found: Environment) -> list[str]:
    return [job.outlook.value for job in jobs(found)]


def test_with_everything_all_three_jobs_work_and_nothing_has_to_be_done() -> None:
    found = jobs(having())
    assert [job.name for job in found] == ["run", "migrate", "verify"]
    assert {job.outlook for job in found} == {Outlook.WORKS}
    assert not any(job.step for job in found)


FAILS_TO_RUN = [
    (
        "no TensorFlow",
        having(tensorflow=None, tf_keras=None, keras=None),
        "TensorFlow is not installed.",
        BOTH,
    ),
    ("no TensorFlow, but tf-keras", having(tensorflow=None), "TensorFlow is not installed.", BOTH),
    (
        "no tf-keras",
        having(tf_keras=None),
        "tf-keras is not installed; TensorFlow itself has only Keras 3 now.",
        "pip install 'tf-keras==2.21.*'",
    ),
    (
        "no tf-keras, TensorFlow of unknown version",
        having(tensorflow=UNKNOWN_VERSION, tf_keras=None),
        "tf-keras is not installed; TensorFlow itself has only Keras 3 now.",
        "pip install tf-keras",
    ),
    (
        "tf-keras for an older TensorFlow",
        having(tensorflow="2.19.1", tf_keras="2.18.0"),
        "tf-keras 2.18.0 goes with TensorFlow 2.18, and TensorFlow 2.19.1 is installed.",
        "pip install 'tf-keras==2.19.*'",
    ),
    (
        "tf-keras for a newer TensorFlow",
        having(tensorflow="2.16.2", tf_keras="2.21.0"),
        "tf-keras 2.21.0 goes with TensorFlow 2.21, and TensorFlow 2.16.2 is installed.",
        "pip install 'tf-keras==2.16.*'",
    ),
    (
        "no tf-keras, and a TensorFlow that has none of its own",
        having(tensorflow="2.22.0rc0", tf_keras=None),
        "tf-keras is not installed; TensorFlow itself has only Keras 3 now.",
        "pip install --no-deps 'tf-keras==2.21.*'",
    ),
    (
        "an old tf-keras, and a TensorFlow that has none of its own",
        having(tensorflow="2.22.0", tf_keras="2.20.1"),
        "tf-keras 2.20.1 goes with TensorFlow 2.20, and TensorFlow 2.22.0 is installed.",
        "pip install --no-deps 'tf-keras==2.21.*'",
    ),
    (
        "a TensorFlow that nobody has tried with this tf-keras",
        having(tensorflow="2.23.0", tf_keras="2.21.0"),
        "tf-keras 2.21.0 goes with TensorFlow 2.21, and TensorFlow 2.23.0 is installed.",
        "pip install 'tf-keras==2.23.*'",
    ),
    (
        "TensorFlow before 2.16",
        having(tensorflow="2.15.1", tf_keras="2.15.1", keras="2.15.0"),
        "TensorFlow 2.15.1 is too old: 2.16 is needed.",
        "pip install --upgrade 'tensorflow>=2.16' 'tf-keras>=2.16'",
    ),
    (
        "TensorFlow 2.9, whose number is larger as a decimal",
        having(tensorflow="2.9.3", tf_keras=None),
        "TensorFlow 2.9.3 is too old: 2.16 is needed.",
        "pip install --upgrade 'tensorflow>=2.16' 'tf-keras>=2.16'",
    ),
    (
        "an old Python",
        having(python="3.9.18"),
        "Python 3.9.18 is too old: 3.10 is needed.",
        NEW_ENVIRONMENT,
    ),
    (
        "a Python without TensorFlow",
        having(python="3.14.0", tensorflow=None, tf_keras=None),
        "TensorFlow is not installed, and TensorFlow 2.21 cannot be, in Python 3.14.0.",
        NEW_ENVIRONMENT,
    ),
]


@pytest.mark.parametrize(
    ("found", "reason", "step"), [c[1:] for c in FAILS_TO_RUN], ids=[c[0] for c in FAILS_TO_RUN]
)
def test_what_stops_run_is_said_with_what_to_do(found: Environment, reason: str, step: str) -> None:
    assert jobs(found)[0] == Job("run", Outlook.FAILS, reason, step)
    # The other two need none of it.
    assert outlooks(found)[1:] == ["works", "works"]


RUNS = [
    ("the oldest", having(tensorflow="2.16.1", tf_keras="2.16.0", keras="3.0.5")),
    ("the newest, whose tf-keras is older", having(tensorflow="2.22.0rc0", tf_keras="2.21.0")),
    ("the newest, with a tf-keras of its own", having(tensorflow="2.22.1", tf_keras="2.22.0")),
    ("patch releases differ", having(tensorflow="2.19.1", tf_keras="2.19.0")),
    ("nightlies", having(tensorflow="2.22.0.dev20260101", tf_keras="2.22.0.dev2026010109")),
    ("unknown versions", having(tensorflow=UNKNOWN_VERSION, tf_keras=UNKNOWN_VERSION)),
    ("a new Python that has TensorFlow", having(python="3.14.0")),
    ("the variable says no", having(legacy_keras="0")),
    ("Keras 3 is not there", having(keras=None)),
]


@pytest.mark.parametrize("found", [c[1] for c in RUNS], ids=[c[0] for c in RUNS])
def test_run_works(found: Environment) -> None:
    assert jobs(found)[0].outlook is Outlook.WORKS


def test_without_h5py_some_artefacts_can_be_verified() -> None:
    assert jobs(having(h5py=None))[2] == Job(
        "verify",
        Outlook.PARTLY,
        "Configs, SavedModels and checkpoints can be read; .h5 and .keras need h5py.",
        "pip install h5py",
    )


def test_without_libcst_nothing_can_be_migrated() -> None:
    expected = Job("migrate", Outlook.FAILS, "libcst is not installed.", "pip install libcst")
    assert jobs(having(libcst=None))[1] == expected


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "TF_USE_LEGACY_KERAS is not set, so"),
        ("0", "TF_USE_LEGACY_KERAS is '0', which TensorFlow takes for a no, so"),
        ("yes", "TF_USE_LEGACY_KERAS is 'yes', which TensorFlow takes for a no, so"),
    ],
)
def test_a_program_that_would_get_keras_3_is_noted(value: str | None, said: str) -> None:
    first = notes(having(legacy_keras=value))[0]
    assert first.reason.startswith(f"{said} tf.keras is Keras 3 in plain Python.")
    assert first.step == "export TF_USE_LEGACY_KERAS=1"


@pytest.mark.parametrize("value", ["1", "true", "True"])
def test_with_the_variable_only_import_keras_is_noted(value: str) -> None:
    (note,) = notes(having(legacy_keras=value))
    assert note.reason.startswith("`import keras` is Keras 3.15.1 in plain Python")
    assert note.step == "For tf-keras, write `from tensorflow import keras`."


def test_the_variable_without_tf_keras_is_noted() -> None:
    (note,) = notes(having(tf_keras=None))
    assert says(note.reason, "TF_USE_LEGACY_KERAS=1 asks for tf-keras, which is not installed.")


def test_a_tensorflow_newer_than_the_tests_saw_is_noted() -> None:
    found = notes(having(tensorflow="2.23.0", tf_keras="2.23.0"))
    assert says(
        found[-1].reason,
        "TensorFlow 2.23.0 is newer than 2.22, the newest that this version of compat-lossscale "
        "was tested with.",
    )


def test_the_newest_tensorflow_with_the_tf_keras_it_was_tested_with_is_not_noted() -> None:
    assert notes(having(tensorflow="2.22.0rc0", tf_keras="2.21.0")) == notes(having())


@pytest.mark.parametrize(
    "found",
    [having(tensorflow=None, tf_keras=None), having(legacy_keras="1", keras="2.15.0")],
    ids=["no TensorFlow", "Keras 2"],
)
def test_where_no_program_can_get_keras_3_nothing_is_noted(found: Environment) -> None:
    assert notes(found) == []


def test_the_variable_and_python_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "yes")
    found = environment.look()
    assert found.legacy_keras == "yes"
    assert found.python == ".".join(map(str, sys.version_info[:3]))


def test_the_versions_are_those_of_the_package() -> None:
    about = (REPOSITORY / "pyproject.toml").read_text()
    oldest = ".".join(map(str, environment.OLDEST_PYTHON))
    assert f'requires-python = ">={oldest}"' in about
    newest = re.findall(r"Programming Language :: Python :: (3\.\d+)", about)[-1]
    assert newest == ".".join(map(str, environment.NEWEST_PYTHON))
    oldest_tensorflow = ".".join(map(str, environment.OLDEST_TENSORFLOW))
    assert f'"tensorflow>={oldest_tensorflow}", "tf-keras>={oldest_tensorflow}"' in about
