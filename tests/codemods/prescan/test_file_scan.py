# SPDX-License-Identifier: Apache-2.0
"""What the prescan decides by itself is what a full parse would have said."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.prescan.file_scan import scan_source
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.runner.file_task import scan_file
from lossscale_codemods.vocabulary.options import Options
from lossscale_codemods.vocabulary.records import Outcome, Status

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = sys.version_info[:2]
"""From 3.12, the parts of f-strings are tokens."""
OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
PATH = "tensorflow.keras.mixed_precision.experimental.LossScaleOptimizer"
ESCAPED = PATH.replace("L", "\\x4c")
NEW = "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
# What stands around the old name, and whether the prescan is enough.
MENTIONS = {
    "a comment": (f"# {OLD}\n", True),
    "two in a comment": (f"x = 1  # {OLD}, once FixedLossScale\n", True),
    "a comment for the codemod": (f"# {OLD}\n# compat-lossscale: ignore[LS201] {OLD}\n", True),
    "a docstring": (f'def f():\n    """Of {OLD}."""\n', True),
    "a docstring of several lines": (
        f'"""One.\n\n    {OLD}\n  and FixedLossScale."""\n',
        True,
    ),
    "a docstring in parentheses": (f'("Of {OLD}.")\n', True),
    "a docstring behind a statement": (f"x = 1; 'Of {OLD}.'\n", True),
    "a docstring in pieces": (f"'Of ' 'the {OLD}.'\n", True),
    "a string": (f"log('Of {OLD}.')\n", True),
    "a string in pieces": (f"log('Of '\n    'the {OLD} of'\n    ' old')\n", True),
    "a string with escapes": (f"log('\\t\\u00e9 {OLD}\\n')\n", True),
    "a raw string": (f"log(r'\\d {OLD}')\n", True),
    "bytes": (f"log(b'Of {OLD}')\n", True),
    "an annotation": (f"def f(x: 'like {OLD}'): pass\n", True),
    "behind letters of two bytes": (f"é = 'é'; 'é'; 'é {OLD}'  # é {OLD}\n", True),
    "a sentence that starts with it": (f"log('{PATH} is old. Or not')\n", True),
    "an f-string": (f"log(f'{{x}} of {OLD}, {{y!r:>8}}, FixedLossScale{{z}}')\n", True),
    "an f-string with its field in it": ("log(f'{x}.train.experimental.LossScale{y}')\n", True),
    "CRLF": (f'"""One.\r\nTwo, {OLD}\r\n"""\r\n# {OLD}\r\n', True),
    "a name": ("class FixedLossScale:\n    '''A FixedLossScale.'''\n", True),
    "no newline": (f"# {OLD}", True),
    "a string that is a path": (f"patch('{PATH}')  # {OLD}\n", False),
    "a string with a path to a member": (f"patch('{PATH}.apply_gradients')\n", False),
    "one piece that is a path": (f"patch('{PATH}' '.get_config')\n", False),
    "a path with an escape": (
        f"patch('{PATH.replace('L', chr(92) + 'x4c')}')  # LossScale\n",
        False,
    ),
    "a class's name": (f"# {OLD}\nok = type(x).__name__ == 'LossScaleOptimizer'\n", False),
    "hasattr": (f"# {OLD}\nok = hasattr(tf.keras.mixed_precision, 'experimental')\n", True),
    "hasattr of TensorFlow's module": (
        "import tensorflow as tf\nok = hasattr(tf.keras.mixed_precision, 'experimental')\n",
        False,
    ),
    "an unknown name of TensorFlow's module": (
        f"import tensorflow as tf  # {OLD}\nx = getattr(tf.keras.mixed_precision, name)\n",
        False,
    ),
    "an unknown name with a default": (
        f"import tensorflow as tf  # {OLD}\nx = getattr(tf.keras.mixed_precision, name, None)\n",
        False,
    ),
    "a name in pieces": (
        f"import tensorflow as tf  # {OLD}\nx = getattr(tf.keras.mixed_precision, 'Po' 'licy')\n",
        False,
    ),
    "an import by its name": (
        f"x = importlib.import_module('.experimental', 'keras.mixed_precision')  # {OLD}\n",
        False,
    ),
    "an import of another module": (f"x = importlib.import_module('a.b')  # {OLD}\n", True),
    "a string that is run": (f"exec('opt = {OLD}(opt, 8)')\n", False),
    "another string that is run": (f"exec('x = 1')\nlog('{OLD}')\n", False),
    "a command": (f"run(['python', '-c', 'import x; x.{OLD}'])\n", False),
    "getattr of another thing": (f"x = getattr(opt, name)  # {OLD}\n", True),
    "what is set by its name": (
        f"{NEW}setattr(opt, 'loss_scale', 8)\n",
        False,
    ),
    "what is read by a name": (
        f"{NEW}x = getattr(opt, 'loss_' 'scale')\n",
        False,
    ),
    "what is read by its name": (
        # It may be a program of TensorFlow 2.4 to 2.10, whose optimizers have to be seen.
        f"{NEW}x = getattr(opt, 'lr')  # {OLD}\n",
        False,
    ),
    "an f-string with braces": (f"log(f'{{{{}}}} {OLD} {{x[0]}}}}}}')\n", True),
    "an f-string with strings in it": (f"log(f'{{x[\"y\"]}} {OLD}')\n", PYTHON >= (3, 12)),
    "an f-string of several lines": (f'log(f"""{{x}}\n {OLD}""")\n', PYTHON < (3, 12)),
    "the helper's name": (f"_loss_scale_arguments = 1  # {OLD}\n", False),
    "form feed": (f"# {OLD}\n\f\nx = 1\n", False),
    "a carriage return alone": (f"# {OLD}\rx = 1\n", False),
    "an annotation that names it": (f"import tensorflow as tf\nx: '{OLD}'\n", False),
    "the name itself": (f"import tensorflow as tf\nopt = {OLD}(x, 8)  # {OLD}\n", False),
    "no Python": (f"print '{OLD}'\n", False),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("program", MENTIONS)
def test_a_first_look_says_what_a_full_one_says_or_nothing(program: str, encoding: str) -> None:
    text, enough = MENTIONS[program]
    cookie = "# coding: latin-1\n" if encoding == "latin-1" else ""
    source = (cookie + text).encode(encoding)
    result = scan_source(source)
    assert (result is not None) == enough
    if result is not None:
        assert result == migrate_fully(source, Options())
        assert result.records
        assert {record.outcome for record in result.records} == {Outcome.MENTIONED}


def test_a_file_without_a_marker_and_one_that_names_nothing_are_unchanged() -> None:
    for source in (b"print()\n", b"LossScale = 1\nprint(LossScale)\n"):
        assert scan_source(source) == migrate_fully(source, Options())


def test_relative_imports_are_looked_up_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "compat.py").write_text("from tensorflow.compat import v1 as tf\n")
    source = b"from .compat import tf\nx = tf.train.experimental.FixedLossScale\n"
    assert scan_file(str(tmp_path / "train.py"), source) is None
    elsewhere = scan_file(str(tmp_path / "train.py"), source.replace(b".experimental.", b".x."))
    assert elsewhere is not None
    assert elsewhere.status is Status.UNCHANGED


def test_text_that_is_split_is_no_import(tmp_path: Path) -> None:
    source = b"import tensorflow as tf\nname = sys.argv[1].split('/')\nprint(name.ops)\n"
    result = scan_file(str(tmp_path / "train.py"), source)
    assert result is not None
    assert result.status is Status.UNCHANGED


def test_notebooks_with_a_marker_get_a_full_look() -> None:
    assert scan_file("a.ipynb", b'{"cells": ["LossScale"]}') is None
    assert scan_file("a.ipynb", b'{"cells": []}') is not None


def test_it_says_nothing_of_the_escapes_in_a_file(recwarn: pytest.WarningsRecorder) -> None:
    source = f"# {OLD}\nx = '\\d'\n".encode()
    result = scan_source(source)
    assert result is not None
    assert result.records
    assert result == migrate_fully(source, Options())
    assert not recwarn.list


def test_it_does_without_libcst() -> None:
    program = (
        "import sys\nfrom lossscale_codemods.prescan.file_scan import scan_source\n"
        f"assert scan_source(b'# {OLD}').records\nassert 'libcst' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
