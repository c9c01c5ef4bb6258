# SPDX-License-Identifier: Apache-2.0
"""Cells with the prompts of Python's own shell are migrated as IPython runs them."""

from __future__ import annotations

import pytest
from lossscale_codemods.analysis.notebook_cells import Cell
from lossscale_codemods.runner.cell_prompts import prompts

from tests.codemods.runner.test_notebook import migrated

OLD = "tf.keras.mixed_precision.experimental.set_policy('float32')"
NEW = "tf.keras.mixed_precision.set_global_policy('float32')"


@pytest.mark.parametrize(
    "cell",
    [
        ">>> {}",
        "\n>>> x = 1\n>>> if x:\n...     {}\n... \n>>> y = 2",
        ">>> x = (1,\n...      2)\n>>> {}\n>>>\n",
    ],
)
def test_prompts_stay(cell: str) -> None:
    cells, records = migrated("import tensorflow as tf", cell.format(OLD))
    assert cells[1] == cell.format(NEW)
    (record,) = records
    assert cells[1].splitlines()[record.line - 1][record.column - 1 :] == NEW


def test_lines_that_are_new_get_prompts() -> None:
    old = "tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)"
    head = "import tensorflow as tf\nopt = tf.keras.optimizers.legacy.SGD()"
    cells, _ = migrated(head, f">>> if amp:\n...     opt = {old}\n")
    assert cells[1].splitlines() == [
        ">>> if amp:",
        "...     opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)",
        '...     tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})',
    ]


def test_cells_without_prompts() -> None:
    assert prompts(Cell(1, 0, 0, ())) is None
    assert prompts(Cell(1, 0, 0, ("x = 1 >>> 2\n", ">>> y\n"))) is None


def test_messages_name_lines_of_cells() -> None:
    _, records = migrated(
        "from tensorflow.keras.mixed_precision import experimental as mp\n",
        "x = 1\nuse(mp)\n",
    )
    assert "line 2 of cell 2 still needs it" in records[0].message
