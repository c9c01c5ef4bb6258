# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import Any

import pytest
from lossscale_codemods import Outcome, Status
from lossscale_codemods.running.one_file import migrate_notebook
from lossscale_codemods.tables.options import Options

IMPORTS = [
    "%matplotlib inline\n",
    "!pip install tensorflow\n",
    "files = !ls\n",
    "import tensorflow as tf\n",
    "from tensorflow.keras.mixed_precision import experimental as mp",
]
USES = ["mp.set_policy('mixed_float16')\n", "opt = mp.LossScaleOptimizer(opt, scale)\n", "opt?"]


def notebook(*cells: Any) -> dict[str, Any]:
    return {
        "cells": [
            {
                "cell_type": "markdown" if isinstance(c, str) and c.startswith("#") else "code",
                "id": f"id{n}",
                "metadata": {},
                "outputs": [{"text": ["mixed_precision.experimental é \\u00e9"]}],
                "source": c,
            }
            for n, c in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


@pytest.mark.parametrize("indent", [None, 1, 2, 4])
@pytest.mark.parametrize("as_string", [False, True])
def test_cells_share_their_names_and_the_rest_stays(indent: int | None, as_string: bool) -> None:
    cells: list[Any] = ["# mp.set_policy", IMPORTS, ["%%bash\n", "mp.set_policy('x')"], USES]
    if as_string:
        cells = ["".join(c) for c in cells]
    source = json.dumps(notebook(*cells), indent=indent, ensure_ascii=False) + "\n"
    result = migrate_notebook(source.encode(), Options())
    assert result.status is Status.CHANGED, result.problem
    after = json.loads(result.output)
    before = json.loads(source)
    sources = ["".join(cell["source"]) for cell in after["cells"]]
    assert sources[0] == "# mp.set_policy"
    assert sources[1].startswith(
        "".join(IMPORTS[:4]) + "from tensorflow.keras import mixed_precision as mp\n"
    )
    assert "def _loss_scale_arguments(loss_scale):" in sources[1]
    assert sources[2] == "%%bash\nmp.set_policy('x')"
    assert sources[3] == (
        "mp.set_global_policy('mixed_float16')\n"
        "opt = mp.LossScaleOptimizer(opt, **_loss_scale_arguments(scale))\nopt?"
    )
    for cell_before, cell_after in zip(before["cells"], after["cells"], strict=True):
        assert {**cell_before, "source": 0} == {**cell_after, "source": 0}
    assert {(r.cell, r.line) for r in result.records} == {(2, 5), (4, 1), (4, 2)}
    again = migrate_notebook(result.output, Options())
    assert again.status is Status.UNCHANGED


def test_only_the_lines_that_change_are_written_anew() -> None:
    cells = [
        [
            "import tensorflow as tf\n",
            "x = 'caf\u00e9'\n",
            "tf.keras.mixed_precision.experimental.set_policy(x)",
        ]
    ]
    source = json.dumps(notebook(*cells), indent=1).encode()
    result = migrate_notebook(source, Options())
    before, after = source.split(b"\n"), result.output.split(b"\n")
    assert len(before) == len(after)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_a_newline_at_the_end_of_a_cell_stays() -> None:
    cells = [
        ["import tensorflow as tf\n"],
        ["print(1)\n", "\n"],
        ["tf.keras.mixed_precision.experimental.set_policy(x)\n"],
        [],
    ]
    source = json.dumps(notebook(*cells), indent=1)
    result = migrate_notebook(source.encode(), Options())
    assert result.text == source.replace("experimental.set_policy", "set_global_policy")


@pytest.mark.parametrize("as_string", [False, True])
@pytest.mark.parametrize("separator", ["\f", "\x1d", "\u2028"])
def test_a_line_ends_where_python_ends_it(separator: str, as_string: bool) -> None:
    # Jupyter writes cells as str.splitlines cuts them; to Python, this comment is one line.
    cell = (
        f"import tensorflow as tf  # one{separator}x = 'two'\n"
        "tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
        f"# three{separator}y = 4"
    )
    cells = [cell if as_string else cell.splitlines(keepends=True)]
    result = migrate_notebook(json.dumps(notebook(*cells)).encode(), Options())
    assert result.status is Status.CHANGED, result.problem
    after = "".join(json.loads(result.output)["cells"][0]["source"])
    assert after == cell.replace("experimental.set_policy", "set_global_policy")


def test_await_outside_of_functions() -> None:
    cells = [
        ["import tensorflow as tf\n", "await f(tf.keras.mixed_precision.experimental.Policy('x'))"]
    ]
    result = migrate_notebook(json.dumps(notebook(*cells)).encode(), Options())
    assert result.status is Status.CHANGED, result.problem


def test_a_broken_cell_is_said_and_others_are_not_held_up_by_it() -> None:
    good = ["import tensorflow as tf\n", "tf.keras.mixed_precision.experimental.Policy('x')"]
    result = migrate_notebook(json.dumps(notebook(["print 'x'"], good)).encode(), Options())
    assert result.count(Outcome.REWRITTEN) == 1
    bad = ["print tf.keras.mixed_precision.experimental"]
    result = migrate_notebook(json.dumps(notebook(bad, good)).encode(), Options())
    assert result.status is Status.UNREADABLE
    assert "Cell 1 does not parse" in result.problem


@pytest.mark.parametrize(
    "cell",
    [
        ">>> tf.keras.mixed_precision.experimental.Policy('x')",
        "\n  tf.keras.mixed_precision.experimental.Policy('x')",
    ],
)
def test_what_ipython_takes_from_lines_is_reported(cell: str) -> None:
    result = migrate_notebook(json.dumps(notebook(cell)).encode(), Options())
    assert result.status is Status.UNREADABLE
    assert "Take out prompts and white space in front of all lines" in result.problem


OLD_CELL = {"cell_type": "code", "source": ["tf.keras.mixed_precision.experimental.Policy('x')"]}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{ mixed_precision.experimental", "Expecting property name"),
        (b"[] mixed_precision.experimental", "Extra data"),
        (b"\xff mixed_precision.experimental", "can't decode byte 0xff"),
        ({"cells": 3, "x": [OLD_CELL]}, "it has no list of cells"),
        ({"worksheets": [{"cells": [OLD_CELL]}]}, "Convert it with `jupyter nbconvert"),
        ({"cells": [{**OLD_CELL, "source": [1, *OLD_CELL["source"]]}]}, "source of cell 1 is not"),
        ({"cells": [OLD_CELL, {"source": OLD_CELL["source"]}]}, "cell 2 has no cell_type"),
        ({"cells": [OLD_CELL, None]}, "cell 2 has no cell_type"),
    ],
)
def test_what_is_no_notebook(content: Any, problem: str) -> None:
    source = content if isinstance(content, bytes) else json.dumps(content).encode()
    result = migrate_notebook(source, Options())
    assert (result.status, result.output) == (Status.UNREADABLE, source)
    assert result.problem.startswith("It is not a notebook that can be read: ")
    assert problem in result.problem


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_named(encoding: str) -> None:
    text = json.dumps({"cells": [OLD_CELL]})
    # The words that a rule looks for are in the file as UTF-8 too, so that it is not skipped.
    source = text.encode(encoding) + text.encode()
    problem = migrate_notebook(source, Options()).problem
    assert "byte order mark, with which Jupyter does not open it. Save it as UTF-8" in problem


def migrated(*cells: Any) -> tuple[list[str], list[Any]]:
    result = migrate_notebook(json.dumps(notebook(*cells)).encode(), Options())
    assert not result.problem
    after = json.loads(result.output)
    return ["".join(cell["source"]) for cell in after["cells"]], list(result.records)


def test_python_behind_a_magic_is_migrated() -> None:
    cells, records = migrated(
        "from tensorflow.keras.mixed_precision import experimental as mp",
        "if True:\n    %time mp.set_policy('mixed_float16')\n%timeit -n 10 mp.global_policy()",
        "%%time\nopt = mp.LossScaleOptimizer(opt, 'dynamic')",
        "%%capture out\ntwo = mp.LossScaleOptimizer(two, 8)",
    )
    assert cells == [
        "from tensorflow.keras import mixed_precision as mp",
        (
            "if True:\n    %time mp.set_global_policy('mixed_float16')\n"
            "%timeit -n 10 mp.global_policy()"
        ),
        "%%time\nopt = mp.LossScaleOptimizer(opt)",
        "%%capture out\ntwo = mp.LossScaleOptimizer(two, dynamic=False, initial_scale=8)",
    ]
    (policy,) = (r for r in records if r.name == "mp.set_policy")
    assert (policy.cell, policy.line, policy.column) == (2, 2, 11)


@pytest.mark.parametrize(
    "cell",
    [
        "!python -c 'from tensorflow.keras.mixed_precision import experimental'",
        "%run -c tf.keras.mixed_precision.experimental",
        "%%bash\n  echo tf.keras.mixed_precision.experimental.set_policy > a.py",
        "%%writefile notes.txt\n\ntf.train.experimental.FixedLossScale(8)",
        "%%writefile a.py\nfrom tensorflow.keras.mixed_precision import experimental as mp\n",
    ],
)
def test_old_names_in_other_magics_are_reported(cell: str) -> None:
    cells, records = migrated(cell)
    assert cells == [cell]
    assert [r.outcome for r in records] == [Outcome.NEEDS_REVIEW]


def test_prose_in_a_magic_asks_for_nothing() -> None:
    cell = "%%markdown\ntf.keras.mixed_precision.experimental is gone"
    assert migrated(cell) == ([cell], [])


def test_a_copy_of_a_source_elsewhere_in_its_cell() -> None:
    line = "tf.keras.mixed_precision.experimental.set_policy('mixed_float16')"
    metadata = {"source": f"import tensorflow as tf\n{line}"}
    cell = {"cell_type": "code", "metadata": metadata, **metadata}
    given = json.dumps({"cells": [cell], "nbformat": 4}).encode()
    result = migrate_notebook(given, Options())
    assert (result.status, result.output) == (Status.REFUSED, given)
    assert "could not be distinguished" in result.problem
