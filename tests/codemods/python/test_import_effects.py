# SPDX-License-Identifier: Apache-2.0
"""Which modules do more than bind names when they are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.project.files import ProjectImports
from lossscale_codemods.python.program_files import acts_when_imported

if TYPE_CHECKING:
    from pathlib import Path

ACTS = {
    "a call": "tf.random.set_seed(1)",
    "a call below a condition": "if tf.config.list_physical_devices('GPU'):\n    pass",
    "a call in a loop": "for gpu in ():\n    grow(gpu)",
    "a call in a try statement": "try:\n    tune()\nexcept ImportError:\n    pass",
    "a call in a context manager": "with scope():\n    x = 1",
    "a value of the program's own function": "policy = set_up()",
    "a policy": "old = mp.set_policy('mixed_float16')",
    "an attribute of another module": "mp.set_policy = print",
    "an environment variable": "os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'",
    "a class that is registered": "@register\nclass A:\n    pass",
    "a function that is registered": "@register('sgd')\ndef make():\n    pass",
    "a class with a metaclass": "class A(metaclass=Registry):\n    pass",
    "a module that acts": "from acting import x",
    "a package that acts": "from package.silent import x",
    "a module without valid syntax": "print 1",
}
SILENT = {
    "nothing": "",
    "imports": "import tensorflow as tf\nfrom silent import x",
    "names": "import tensorflow as tf\nmp = tf.keras.mixed_precision.experimental\nA, B = 1, 2",
    "a loss scale": "scale = tf.train.experimental.DynamicLossScale(8)",
    "a logger": "log = logging.getLogger(__name__)",
    "a version": "new = parse(tf.__version__) >= parse('2.4')",
    "definitions": "class A:\n    x = f()\ndef g():\n    f()\n@lru_cache()\ndef h(): pass",
    "what the script alone does": "if __name__ == '__main__':\n    main()",
    "what type checkers alone see": "if TYPE_CHECKING:\n    from acting import x",
    "a list of names": "__all__ = ['a']\n__all__.append('b')",
    "a lambda": "make = lambda: 1",
}  # fmt: skip


def _acts(folder: Path, source: str) -> bool:
    (folder / "pyproject.toml").touch()
    (folder / "package").mkdir()
    files = {
        "module.py": source,
        "acting.py": "run()\n",
        "silent.py": "x = 1\n",
        "package/__init__.py": "run()\n",
        "package/silent.py": "x = 1\n",
        "main.py": "",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return acts_when_imported(ProjectImports(folder / "main.py"), "module")


@pytest.mark.parametrize("source", ACTS.values(), ids=ACTS.keys())
def test_a_module_acts(tmp_path: Path, source: str) -> None:
    assert _acts(tmp_path, source)


@pytest.mark.parametrize("source", SILENT.values(), ids=SILENT.keys())
def test_a_module_binds_names_alone(tmp_path: Path, source: str) -> None:
    assert not _acts(tmp_path, source)


def test_other_packages_are_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "main.py").touch()
    files = ProjectImports(tmp_path / "main.py")
    assert not acts_when_imported(files, "tensorflow.keras")
    assert not acts_when_imported(files, "somewhere.else")
