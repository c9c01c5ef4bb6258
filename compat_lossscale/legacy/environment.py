# SPDX-License-Identifier: Apache-2.0
"""What is installed, which of the three jobs will work with it, and what to do about the others.

Only metadata is read: nothing that is looked for is imported.
"""

from __future__ import annotations

import dataclasses
import enum
import os
import platform
import re
from collections.abc import Mapping

from compat_lossscale._require import INSTALL_TENSORFLOW, installed_version

OLDEST_PYTHON = (3, 10)
NEWEST_PYTHON = (3, 13)
"""The newest with a TensorFlow that pip installs together with tf-keras."""
OLDEST_TENSORFLOW = (2, 16)
NEWEST_TENSORFLOW = (2, 22)
"""The newest that this package's tests have run on."""
TF_KERAS_FOR: dict[tuple[int, ...], tuple[int, ...]] = {(2, 22): (2, 21)}
"""The tf-keras that was tested with a TensorFlow for which none of the same minor version is out.

It asks for an older TensorFlow, so pip does not install the two in one step."""
_NEWEST_WITH_TF_KERAS = max(TF_KERAS_FOR.values())
LEGACY_KERAS = "TF_USE_LEGACY_KERAS"
TAKEN_FOR_TRUE = ("1", "true", "True")
"""The values of that variable which TensorFlow takes for a yes."""
_LOOKED_AT = ("tensorflow", "tf_keras", "keras", "h5py", "libcst")


@dataclasses.dataclass(frozen=True)
class Environment:
    """What is installed.

    Attributes:
        python: Python's version.
        packages: By module, the version, or `UNKNOWN_VERSION`; `None` if it is not installed.
        legacy_keras: The environment variable TF_USE_LEGACY_KERAS; `None` if it is not set.
    """

    python: str
    packages: Mapping[str, str | None]
    legacy_keras: str | None = None


class Outlook(enum.Enum):
    """Whether a job will work."""

    WORKS = "works"
    PARTLY = "works in part"
    FAILS = "will not work"


@dataclasses.dataclass(frozen=True)
class Job:
    """What becomes of one of the three jobs here.

    Attributes:
        name: `run`, `migrate` or `verify`.
        outlook: Whether it will work.
        reason: What prevents it, or what works; a sentence.
        step: What to do about it, often a command; empty if nothing has to be done.
    """

    name: str
    outlook: Outlook
    reason: str
    step: str = ""


@dataclasses.dataclass(frozen=True)
class Note:
    """Something to know that stops no job.

    Attributes:
        reason: What it is; a sentence.
        step: What to do about it.
        package: The package that a program has to use for it to matter; empty for any program.
    """

    reason: str
    step: str
    package: str = ""


def look() -> Environment:
    """Returns what is installed for this Python."""
    return Environment(
        platform.python_version(),
        {module: installed_version(module) for module in _LOOKED_AT},
        os.environ.get(LEGACY_KERAS),
    )


def jobs(environment: Environment) -> tuple[Job, Job, Job]:
    """Returns what becomes of run, migrate and verify."""
    return _run(environment), _migrate(environment), _verify(environment)


def _run(environment: Environment) -> Job:
    for check in (_python_in_the_way, _tensorflow_in_the_way, _tf_keras_in_the_way):
        reason = check(environment)
        if reason is not None:
            return Job("run", Outlook.FAILS, *reason)
    return Job("run", Outlook.WORKS, "Legacy programs run as they are.")


def _python_in_the_way(environment: Environment) -> tuple[str, str] | None:
    python, tensorflow = numbers(environment.python), environment.packages["tensorflow"]
    oldest, newest = map(_dotted, (OLDEST_PYTHON, NEWEST_PYTHON))
    step = f"Make an environment with Python {oldest} to {newest}, and there: {INSTALL_TENSORFLOW}"
    if python < OLDEST_PYTHON:
        return f"Python {environment.python} is too old: {oldest} is needed.", step
    if python > NEWEST_PYTHON and tensorflow is None:
        reason = (
            "TensorFlow is not installed, and TensorFlow "
            f"{_dotted(_NEWEST_WITH_TF_KERAS)} cannot be, in Python {environment.python}."
        )
        return reason, step
    return None


def _tensorflow_in_the_way(environment: Environment) -> tuple[str, str] | None:
    version = environment.packages["tensorflow"]
    if version is None:
        return "TensorFlow is not installed.", INSTALL_TENSORFLOW
    if numbers(version) and numbers(version) < OLDEST_TENSORFLOW:
        oldest = _dotted(OLDEST_TENSORFLOW)
        reason = f"TensorFlow {version} is too old: {oldest} is needed."
        return reason, f"pip install --upgrade 'tensorflow>={oldest}' 'tf-keras>={oldest}'"
    return None


def _tf_keras_in_the_way(environment: Environment) -> tuple[str, str] | None:
    tensorflow, tf_keras = environment.packages["tensorflow"], environment.packages["tf_keras"]
    same = numbers(tensorflow or "")
    wanted = TF_KERAS_FOR.get(same, same)
    options = "" if wanted == same else "--no-deps "
    which = f"'tf-keras=={_dotted(wanted)}.*'" if wanted else "tf-keras"
    step = f"pip install {options}{which}"
    if tf_keras is None:
        return "tf-keras is not installed; TensorFlow itself has only Keras 3 now.", step
    if wanted and numbers(tf_keras) not in ((), same, wanted):
        reason = (
            f"tf-keras {tf_keras} goes with TensorFlow {_dotted(numbers(tf_keras))}, and "
            f"TensorFlow {tensorflow} is installed."
        )
        return reason, step
    return None


def _migrate(environment: Environment) -> Job:
    if environment.packages["libcst"] is None:
        return Job("migrate", Outlook.FAILS, "libcst is not installed.", "pip install libcst")
    return Job("migrate", Outlook.WORKS, "It needs no TensorFlow.")


def _verify(environment: Environment) -> Job:
    if environment.packages["h5py"] is None:
        reason = "Configs, SavedModels and checkpoints can be read; .h5 and .keras need h5py."
        return Job("verify", Outlook.PARTLY, reason, "pip install h5py")
    return Job("verify", Outlook.WORKS, "It needs no TensorFlow, except for --deep.")


def notes(environment: Environment) -> list[Note]:
    """Returns what to know besides: which Keras a program gets, and versions nobody has tried."""
    tensorflow = environment.packages["tensorflow"]
    if tensorflow is None:
        return []
    found_notes = _which_keras(environment)
    if numbers(tensorflow) > NEWEST_TENSORFLOW:
        reason = (
            f"TensorFlow {tensorflow} is newer than {_dotted(NEWEST_TENSORFLOW)}, the newest that "
            "this version of compat-lossscale was tested with."
        )
        found_notes.append(
            Note(reason, "Look for a newer compat-lossscale, or take an older TensorFlow.")
        )
    return found_notes


def _which_keras(environment: Environment) -> list[Note]:
    keras, chosen = environment.packages["keras"], environment.legacy_keras
    if environment.packages["tf_keras"] is None:
        if chosen in TAKEN_FOR_TRUE:
            reason = f"{LEGACY_KERAS}={chosen} asks for tf-keras, which is not installed."
            return [Note(reason, f"Install tf-keras, or: unset {LEGACY_KERAS}")]
        return []
    if keras is None or numbers(keras) < (3,):
        return []
    keras_notes = []
    if chosen not in TAKEN_FOR_TRUE:
        state = (
            f"{LEGACY_KERAS} is not set"
            if chosen is None
            else f"{LEGACY_KERAS} is {chosen!r}, which TensorFlow takes for a no"
        )
        reason = (
            f"{state}, so tf.keras is Keras 3 in plain Python. `compat-lossscale run` and "
            "compat_lossscale.install() choose tf-keras themselves; migrated programs do not."
        )
        keras_notes.append(Note(reason, f"export {LEGACY_KERAS}=1", "tensorflow"))
    reason = (
        f"`import keras` is Keras {keras} in any case. The old names are there with "
        "`compat-lossscale run --keras3` only."
    )
    step = "For tf-keras, write `from tensorflow import keras`."
    keras_notes.append(Note(reason, step, "keras"))
    return keras_notes


def numbers(version: str) -> tuple[int, ...]:
    """Returns major and minor number of a version; nothing if it has none."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else ()


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
