# SPDX-License-Identifier: Apache-2.0
"""Cells that IPython takes to the margin are migrated as it runs them, and keep their layout."""

from __future__ import annotations

import pytest
from lossscale_codemods.analysis.notebook_cells import Cell
from lossscale_codemods.runner.cell_indentation import indentation

from tests.codemods.runner.test_notebook import migrated

OLD = "tf.keras.mixed_precision.experimental.set_policy('float32')"
NEW = "tf.keras.mixed_precision.set_global_policy('float32')"


@pytest.mark.parametrize(
    "cell",
    [
        "    x = 1\n    {}",
        "\n\n  {}\n\n  x = 1",
        "\t{}\n\tif x:\n\t\tpass\n",
        "    %matplotlib inline\n    {}",
        "    x = '''one\ntwo'''\n    {}",
        "%%time\n    {}\n    x = 1",
        "%%time\n{}",
        "\n%%capture out\n{}",
        "!pip install \\\n    tensorflow\n{}",
        "pip install tensorflow\ncd models\n{}",
        "d['x'], self.y = !ls\n{}",
        ",f a b\n;f a b\n/f 1\n{}",
    ],
)
def test_the_layout_of_a_cell_stays(cell: str) -> None:
    cells, records = migrated("import tensorflow as tf", cell.format(OLD))
    assert cells[1] == cell.format(NEW)
    (record,) = records
    line = cells[1].splitlines()[record.line - 1]
    assert line[record.column - 1 :] == NEW


def test_only_the_lines_that_change_get_an_indentation() -> None:
    cell = "    x = 1\ny = 2\n\n    z = 3\n"
    lines = tuple(cell.splitlines(keepends=True))
    found = indentation(Cell(1, 0, 0, lines), lambda _: False)
    assert found.cell.lines == ("x = 1\n", "y = 2\n", "\n", "z = 3\n")
    assert found.restored(found.cell.lines) == list(lines)
    assert found.restored(["x = 2\n", "y = 2\n"]) == ["    x = 2\n", "y = 2\n"]


def test_names_are_shared_by_cells_of_any_indentation() -> None:
    cells, _ = migrated(
        "  from tensorflow.keras.mixed_precision import experimental as mp",
        "    opt = mp.LossScaleOptimizer(opt, 'dynamic')",
    )
    assert cells == [
        "  from tensorflow.keras import mixed_precision as mp",
        "    opt = mp.LossScaleOptimizer(opt)",
    ]
