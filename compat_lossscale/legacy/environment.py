# SPDX-License-Identifier: Apache-2.0
"""What is installed, which of the three jobs will work with it, and what a program needs.

Of packages, only metadata is read: nothing that is looked for is imported. What a program uses that
is gone or not installed is read off its source: imports, and names below.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import importlib.util
import os
import platform
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from compat_lossscale._require import INSTALL_TENSORFLOW, installed_version
from compat_lossscale.neighbour_names import METHODS, keras_names, neighbour_at
from compat_lossscale.neighbour_names.neighbour import Neighbour

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
    """What is installed: of packages, the version by module, and `None` for what is not.

    `legacy_keras` is the environment variable TF_USE_LEGACY_KERAS.
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
    migrate = Job("migrate", Outlook.WORKS, "It needs no TensorFlow.")
    if environment.packages["libcst"] is None:
        migrate = Job("migrate", Outlook.FAILS, "libcst is not installed.", "pip install libcst")
    verify = Job("verify", Outlook.WORKS, "It needs no TensorFlow, except for --deep.")
    if environment.packages["h5py"] is None:
        reason = "Configs, SavedModels and checkpoints can be read; .h5 and .keras need h5py."
        verify = Job("verify", Outlook.PARTLY, reason, "pip install h5py")
    return _run(environment), migrate, verify


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


def notes(environment: Environment) -> list[Note]:
    """Returns what to know besides: which Keras a program gets, and versions nobody has tried."""
    tensorflow = environment.packages["tensorflow"]
    if tensorflow is None:
        return []
    found_notes = [*_which_keras(environment)]
    if numbers(tensorflow) > NEWEST_TENSORFLOW:
        reason = (
            f"TensorFlow {tensorflow} is newer than {_dotted(NEWEST_TENSORFLOW)}, the newest that "
            "this version of compat-lossscale was tested with."
        )
        found_notes.append(
            Note(reason, "Look for a newer compat-lossscale, or take an older TensorFlow.")
        )
    return found_notes


def _which_keras(environment: Environment) -> Iterator[Note]:
    keras, chosen = environment.packages["keras"], environment.legacy_keras
    if environment.packages["tf_keras"] is None:
        if chosen in TAKEN_FOR_TRUE:
            reason = f"{LEGACY_KERAS}={chosen} asks for tf-keras, which is not installed."
            yield Note(reason, f"Install tf-keras, or: unset {LEGACY_KERAS}")
        return
    if keras is None or numbers(keras) < (3,):
        return
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
        yield Note(reason, f"export {LEGACY_KERAS}=1", "tensorflow")
    reason = (
        f"`import keras` is Keras {keras} in plain Python, and none of its layers goes into a "
        "model of tf-keras. With `run` and `install()`, it is tf-keras."
    )
    yield Note(reason, "For tf-keras, write `from tensorflow import keras`.", "keras")


def numbers(version: str) -> tuple[int, ...]:
    """Returns major and minor number of a version; nothing if it has none."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else ()


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


_SUMMARIES = frozenset({"scalar", "image", "histogram", "audio", "text"})
_NOT_ON_KERAS_3 = {
    *keras_names.MEMBERS, *keras_names.HOOKS, *keras_names.MODEL_MEMBERS
} - {"add_weight", "updates"}  # fmt: skip
"""Members, but for those whose names others have too."""
_GONE_FROM_KERAS_3 = (keras_names.GONE | keras_names.GONE_V1) - {
    *keras_names.ON_KERAS_3, *keras_names.MODULES_ON_KERAS_3
}  # fmt: skip
_KERASES = ("tensorflow.keras.", "tensorflow.compat.v1.keras.", "tensorflow.compat.v2.keras.")
_VERSION_1 = "tensorflow.compat.v1"


_DISTRIBUTIONS = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "git": "gitpython",
    "google": "googleapis-common-protos",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""Where the distribution has another name than the package."""


def is_installed(package: str) -> bool:
    """Whether a package, or a module, would be found."""
    try:
        return package in sys.modules or importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def not_installed(imported: Iterable[str], file: Path) -> Iterator[str]:
    """Yields the packages of those that a file imports which are neither its own nor installed."""
    for root in {path.partition(".")[0] for path in imported}:
        if root in sys.stdlib_module_names or neighbour_at(root) is not None:
            continue
        own = any(
            os.path.isdir(folder / root) or os.path.isfile(folder / f"{root}.py")
            for folder in file.absolute().parents
        )
        if not own and not is_installed(root):
            yield root


@dataclasses.dataclass
class ProgramUsage:
    """What the files of a program use, together.

    Attributes:
        neighbours: Names that are gone in some Python or TensorFlow.
        packages: The packages that they import.
        missing: Those of the packages that are needed whatever is the case, and not installed.
        programs_lack: Which of these a file imports that doctor was asked about itself.
        writes_summaries: Whether they write summaries of TensorFlow 2, or have Keras write them.
        not_on_keras_3: What they use or define that Keras 3 has not: members of optimizers, models
            and layers, and names below `tf.keras`.
        is_for_keras_3: Whether they use this package's class for Keras 3.
    """

    neighbours: set[Neighbour] = dataclasses.field(default_factory=set)
    packages: set[str] = dataclasses.field(default_factory=set)
    missing: set[str] = dataclasses.field(default_factory=set)
    programs_lack: set[str] = dataclasses.field(default_factory=set)
    writes_summaries: bool = False
    not_on_keras_3: set[str] = dataclasses.field(default_factory=set)
    is_for_keras_3: bool = False

    def add(self, source: str | bytes, file: Path, *, is_asked_about: bool = False) -> None:
        """Adds what a file uses. One that Python does not parse uses nothing."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        bound = {name: path for node in ast.walk(tree) for name, path, _ in _imports(node)}
        for node in ast.walk(tree):
            names = {getattr(node, "attr", ""), getattr(node, "name", "")}
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                self.neighbours.add(METHODS[node.attr])
            self.not_on_keras_3 |= _NOT_ON_KERAS_3 & names
            for path in _paths(node, bound):
                neighbour = neighbour_at(path)
                self.neighbours |= set() if neighbour is None else {neighbour}
                self.not_on_keras_3 |= _gone_from_keras_3(path)
                self.writes_summaries |= _is_summary(path)
                self.is_for_keras_3 |= path.startswith("compat_lossscale.keras3")
            self.packages.update(path.partition(".")[0] for path in _imported(node))
        lacking = set(not_installed(imported_always(tree), file))
        self.missing |= lacking
        self.programs_lack |= lacking if is_asked_about else set()

    @property
    def gone(self) -> list[Neighbour]:
        """The names that are gone here, in order."""
        # Of others, an older Python has the module, or a package that was installed for it.
        gone = (
            one
            for one in self.neighbours
            if one.is_served or "." in one.module_or_name or not is_installed(one.module_or_name)
        )
        return sorted(gone, key=lambda one: one.name)

    def needs(self) -> list[tuple[str, str]]:
        """Returns what prevents `run`, each with the command that fixes it."""
        needed = {}
        for one in self.gone:
            if one.package and not is_installed(one.package[0]):
                name = one.module_or_name.replace("tensorflow.", "tf.", 1)
                needed[one.package[1]] = (
                    f"{name} needs the package {one.package[0].replace('_', '-')}, which "
                    "TensorFlow does not install any more."
                )
        uses_tensorboard = self.writes_summaries or "tensorboard" in self.packages
        if uses_tensorboard and not installed_version("tensorboard"):
            needed["pip install tensorboard"] = (
                "It uses TensorBoard or writes summaries for it, and TensorFlow does not install "
                "tensorboard any more."
            )
        if "official" in self.packages and numbers(installed_version("absl") or "0.0") >= (2, 0):
            needed["pip install 'absl-py<2'"] = (
                "absl-py 2 refuses the flags of tf-models-official up to 2.4."
            )
        for package in sorted(self.programs_lack):
            distribution = _DISTRIBUTIONS.get(package, package.replace("_", "-"))
            needed[f"pip install {distribution}"] = f"It imports {package}, which is not installed."
        return [(reason, step) for step, reason in needed.items()]


def _is_summary(path: str) -> bool:
    """Whether a path leads to what writes a summary, for which TensorFlow needs TensorBoard."""
    if path.startswith(_VERSION_1) or not path.startswith("tensorflow."):
        return False
    *_, module, name = path.split(".")
    return (module == "summary" and name in _SUMMARIES) or name == "TensorBoard"


def _gone_from_keras_3(path: str) -> set[str]:
    """The names below `tf.keras` on a path that Keras 3 lacks."""
    found = set()
    for keras in _KERASES:
        below = path.removeprefix(keras) if path.startswith(keras) else ""
        while below:
            if below in _GONE_FROM_KERAS_3:
                found.add(f"tf.keras.{below}")
            below = below.rpartition(".")[0]
    return found


def imported_always(tree: ast.Module) -> Iterator[str]:
    """Yields what the import statements import that stand in no branch which may not run."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        statement = waiting.pop()
        yield from _imported(statement)
        if not isinstance(statement, ast.Try | ast.If):
            waiting += [one for one in ast.iter_child_nodes(statement) if isinstance(one, ast.stmt)]


def _imports(node: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Yields the names that an import statement binds, what each is, and what it imports."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            yield alias.asname or root, alias.name if alias.asname else root, alias.name
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            path = f"{node.module}.{alias.name}"
            yield alias.asname or alias.name, path, path


def _imported(node: ast.AST) -> list[str]:
    return [path for _, _, path in _imports(node)]


def _paths(node: ast.AST, bound: dict[str, str]) -> Iterator[str]:
    yield from _imported(node)
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if names and isinstance(node, ast.Name) and node.id in bound:
        yield ".".join([bound[node.id], *reversed(names)])
