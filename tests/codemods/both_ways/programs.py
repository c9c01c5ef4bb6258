# SPDX-License-Identifier: Apache-2.0
"""The programs: golden scenarios, examples of rules, and those in `tests/codemods/programs`."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lossscale_codemods.reports.text import examples, explain
from lossscale_codemods.rules.base import all_rules
from lossscale_codemods.tables.names import MEMBERS, WITH_KERAS_3, Target

from tests.goldens import golden

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

CORPUS: Final = Path(__file__).resolve().parent.parent / "programs"
GOLDEN: Final = "golden"
RULES: Final = "rules"
MAIN: Final = "main.py"
NOTEBOOK: Final = "main.ipynb"
_RESPELLED: Final = ("callbacks", "life", "loops", "optimizer_family", "policies")
_HEADING: Final = re.compile(r"^# %% (\S+)\n", re.MULTILINE)
_LICENSE: Final = "# SPDX-License-Identifier: Apache-2.0\n"
_IMPORT: Final = "import tensorflow as tf"
_OLD_WORDS = (MEMBERS | {"contrib"}) - {"LossScaleOptimizer", "Policy", "global_policy"}
"""Words of which each old name has one, and no name of the API that stayed."""


@dataclasses.dataclass(frozen=True)
class Program:
    """A program as it was before it is migrated.

    Attributes:
        family: What it is an example of.
        name: Its name in the family.
        files: Its files' texts by their paths in its folder.
        main: The file that is run.
        may_be_part: Whether it need not run by itself: examples of rules leave much out.
        may_stay: Whether it is written in the API that programs are migrated to.
        run_as: The same program in a spelling that `compat-lossscale run` takes, if it needs one.
    """

    family: str
    name: str
    files: Mapping[str, str] = dataclasses.field(hash=False)
    main: str
    may_be_part: bool = False
    may_stay: bool = False
    run_as: Mapping[str, str] | None = dataclasses.field(default=None, hash=False)

    @property
    def files_to_run(self) -> Mapping[str, str]:
        """What runs under `compat-lossscale run`."""
        return self.files if self.run_as is None else self.run_as

    @property
    def id(self) -> str:
        """Its family and name."""
        return f"{self.family}/{self.name}"


def all_programs(target: Target = Target.TF_KERAS) -> list[Program]:
    """Returns every program, by family and name.

    Args:
        target: What they are migrated to: examples are those of the rules that are for it.
    """
    found = [*_scenarios(), *_examples_of_rules(target), *_corpus()]
    if target in WITH_KERAS_3:
        found += _with_bare_keras(found)
    return sorted(found, key=lambda program: program.id)


def selected(patterns: Sequence[str], target: Target = Target.TF_KERAS) -> list[Program]:
    """Returns the programs that a pattern names, such as `guards/*` or `*mirrored*`."""
    found = all_programs(target)
    if not patterns:
        return found
    return [one for one in found if any(fnmatch.fnmatch(one.id, pattern) for pattern in patterns)]


def families(programs: Sequence[Program]) -> dict[str, list[Program]]:
    """Returns the programs by family."""
    found: dict[str, list[Program]] = {}
    for program in programs:
        found.setdefault(program.family, []).append(program)
    return found


def _scenarios() -> Iterator[Program]:
    for scenario in golden.read_scenarios():
        # What is written for TensorFlow 1 does not run on tf-keras, however it is migrated. Of
        # programs without loss scaling, which these scenarios are, the codemod changes nothing.
        if not scenario.tf1 and not scenario.name.startswith("neighbours_"):
            text, file = scenario.path.read_text("utf-8"), scenario.path.name
            stays = names_nothing_old(text, scenario.versions)
            yield Program(GOLDEN, scenario.name, {file: text}, file, may_stay=stays)


def names_nothing_old(text: str, versions: Sequence[str]) -> bool:
    """Whether a program is written in the API that programs are migrated to.

    Args:
        text: The program.
        versions: The TensorFlows that it was recorded under, so it surely runs on each.
    """
    return set(versions) == {"2.4"} and _OLD_WORDS.isdisjoint(re.findall(r"\w+", text))


def _examples_of_rules(target: Target) -> Iterator[Program]:
    for rule in all_rules():
        if target not in rule.targets:
            continue
        shown = [one for one in examples(explain(rule.id) or "") if one.option != "--unsafe-fixes"]
        for number, example in enumerate(shown):
            yield Program(
                RULES, f"{rule.id}-{number}", {MAIN: example.before}, MAIN, may_be_part=True
            )


def _corpus() -> Iterator[Program]:
    for path in sorted(CORPUS.glob("*.py")):
        for name, files in read_family(path.read_text("utf-8")).items():
            yield Program(path.stem, name, files, MAIN if MAIN in files else f"{name}.py")
    for path in sorted(CORPUS.glob("*/*.ipynb")):
        yield Program(path.parent.name, path.stem, {NOTEBOOK: path.read_text("utf-8")}, NOTEBOOK)


def read_family(text: str) -> dict[str, dict[str, str]]:
    """Returns the programs of a family's file.

    Below `# %% name` stands a program of one file, and below `# %% name/file.py` one of the files
    of a program, of which `main.py` is run. A program has the license line in place of its
    heading, so its line 1 is that of the heading.

    Args:
        text: The file's text.

    Returns:
        The files of each program by their paths, by the program's name.

    Raises:
        ValueError: A heading stands there twice.
    """
    found: dict[str, dict[str, str]] = {}
    _, *parts = _HEADING.split(text)
    for heading, body in zip(parts[::2], parts[1::2], strict=True):
        name, _, file = heading.partition("/")
        files = found.setdefault(name, {})
        if (file or f"{name}.py") in files:
            raise ValueError(f"there are two programs {heading!r}")
        files[file or f"{name}.py"] = f"{_LICENSE}{body.rstrip()}\n" if body.strip() else _LICENSE
    return found


def _with_bare_keras(programs: Sequence[Program]) -> Iterator[Program]:
    """Respells programs with `import keras`, line for line.

    Under `compat-lossscale run`, `keras` is Keras 3 as everywhere, so that runs the others.
    """
    for program in programs:
        text = program.files.get(program.main, "")
        is_plain = len(program.files) == 1 and text.count(_IMPORT) == 1 and "tf.keras." in text
        if program.family in _RESPELLED and is_plain and "from tensorflow" not in text:
            text = text.replace(_IMPORT, f"{_IMPORT}; import keras").replace("tf.keras.", "keras.")
            name = f"{program.family}_{program.name}"
            files = {program.main: text}
            yield Program("bare_keras", name, files, program.main, run_as=program.files)


def as_script(notebook: str) -> tuple[str, list[int]]:
    """Returns the code cells of a notebook as one script, and the line before each cell."""
    lines: list[str] = []
    starts = []
    for cell in json.loads(notebook)["cells"]:
        starts.append(len(lines))
        if cell["cell_type"] == "code":
            text = "".join(cell["source"])
            lines += [re.sub(r"^(\s*)[%!].*", r"\1pass", line) for line in text.splitlines()]
    return "\n".join(lines) + "\n", starts
