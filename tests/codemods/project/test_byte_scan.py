# SPDX-License-Identifier: Apache-2.0
"""No file that holds an old name is passed over, however the name is spelled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.project.byte_scan import can_hold_old_name, can_run_with_old
from lossscale_codemods.reports.text import examples, explain
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.rules.base import all_rules
from lossscale_codemods.running import migrate_files
from lossscale_codemods.source.reading import text_of
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options, Selection

from compat_lossscale.neighbour_names import COMMON_MEMBERS, TABLE

if TYPE_CHECKING:
    from pathlib import Path

    from lossscale_codemods.rules.base import Rule

    from compat_lossscale.neighbour_names.neighbour import Neighbour

HOMES = [
    "tensorflow.keras.mixed_precision.experimental",
    "tensorflow.compat.v1.keras.mixed_precision.experimental",
    "tensorflow.compat.v2.keras.mixed_precision.experimental",
    "tensorflow_core.keras.mixed_precision.experimental",
    "tensorflow._api.v2.compat.v1.keras.mixed_precision.experimental",
    "keras.mixed_precision.experimental",
    "tensorflow.mixed_precision.experimental",
    "tensorflow.train.experimental",
    "tensorflow.compat.v1.mixed_precision.experimental",
    "tensorflow.compat.v1.train.experimental",
    "tensorflow.python.keras.mixed_precision.experimental",
    "tensorflow.python.keras.mixed_precision.experimental.policy",
    "tensorflow.python.keras.mixed_precision.experimental.loss_scale_optimizer",
    "tensorflow.python.training.experimental.loss_scale",
    "tensorflow.python.training.experimental.loss_scale_optimizer",
    "tensorflow.python.training.experimental.mixed_precision",
    "tensorflow.contrib.mixed_precision",
    "tensorflow.contrib.mixed_precision.python.loss_scale_manager",
]
MEMBERS = [
    "",
    *names._KERAS_MEMBERS,
    *names._V1_MEMBERS,
    *(f"{name}_v1" for name in names._V1_MEMBERS),
    *sorted(names.CONTRIB_MEMBERS),
    "get",
]
OLD_PATHS = [
    path
    for home in HOMES
    for member in MEMBERS
    if names.lookup(path := f"{home}.{member}" if member else home) is not None
]


def test_the_table_is_covered() -> None:
    # The rest is looked at in files that have old names, or run together with these.
    expected = set(names.Meaning) - names.BESIDE
    assert {names.lookup(path).meaning for path in OLD_PATHS} == expected  # type: ignore[union-attr]  # every path is known


@pytest.mark.parametrize("path", OLD_PATHS)
def test_every_old_name_passes_in_every_spelling(path: str) -> None:
    head, _, last = path.rpartition(".")
    in_parts = path.replace(".", " \\\n    .")
    in_brackets = "x = (\n    " + path.replace(".", "  # why\n    .") + "\n)\n"
    for program in (
        f"import {path}\n",
        f"from {head} import {last} as other\n",
        f"from {head} import (  # why\n    {last},\n)\n",
        f"import tensorflow\nx = {in_parts}\n",
        in_brackets,
        f"getattr({head}, '{last}')\n",
        f"mock.patch('{path}')\n",
        f"# {path}\n",
    ):
        assert can_hold_old_name(program.encode()), program
        assert can_hold_old_name(program.replace("\n", "\r\n").encode()), program
        assert can_hold_old_name(f"# Müller\n{program}".encode("utf-8-sig")), program
        assert can_hold_old_name(f"# coding: latin-1\n# Müller\n{program}".encode("latin-1"))
        cells = [{"cell_type": "code", "source": program.splitlines(keepends=True)}]
        assert can_hold_old_name(json.dumps({"cells": cells}).encode()), program


@pytest.mark.parametrize(
    "program",
    [
        "import keras\nprint(optimizer.loss_scale())\n",
        "import tensorflow\nprint(my_opt . loss_scale ( ))\n",
        "print(model.optimizer.loss_scale._current_loss_scale)\n",
        "print(model.optimizer._loss_scale._num_good_steps)\n",
        "from tensorflow.keras import layers\nprint(layer.dtype_policy.loss_scale)\n",
        "print(layer.dtype_policy.should_cast_variables)\n",
        "assert type(opt).__name__ == 'LossScaleOptimizerV1'\n",
        "from tensorflow.python.training.experimental import loss_scale\n",
    ],
)
def test_what_the_rules_look_for_is_found(program: str, tmp_path: Path) -> None:
    assert can_hold_old_name(program.encode())
    (tmp_path / "a.py").write_text(program)
    assert migrate_files.run([tmp_path], Options(), jobs=1).files


@pytest.mark.parametrize(
    "word",
    [
        "auto_mixed_precision",
        "run_mixed_precision_check",
        "mixed_precision_global_state",
        "is_mixed_precision_graph_rewrite_enabled",
        "loss_scale_factor",
        "_is_loss_scaled_by_optimizer",
    ],
)
def test_other_words_are_not_taken_for_old_names(word: str) -> None:
    program = f"from tensorflow.keras import experimental\nx.{word} = experimental.{word}()\n"
    assert not can_hold_old_name(program.encode())
    assert can_hold_old_name(f"{program}x.loss_scale()\n".encode())
    assert can_hold_old_name(f"{program}# mixed_precision.experimental\n".encode())


def test_a_name_may_stand_behind_an_escape() -> None:
    cells = [{"cell_type": "code", "source": "import keras\nmixed_precision.experimental\n"}]
    assert can_hold_old_name(json.dumps({"cells": cells}).encode())
    assert can_hold_old_name(rb"'\tloss_scale.get', tensorflow")


def test_a_file_that_never_names_tensorflow_can_be_given_an_optimizer() -> None:
    assert can_hold_old_name(b"def show(opt):\n    print(opt.loss_scale())\n")


def test_other_files_do_not_pass() -> None:
    assert not can_hold_old_name(b"")
    assert not can_hold_old_name(b"from tensorflow.keras import mixed_precision\n")
    assert not can_hold_old_name(b"import torch\nscaler.loss_scales()\n")
    assert not can_hold_old_name("# coding: no-such\n# Müller\n".encode())


def test_text_that_cannot_be_decoded_is_replaced() -> None:
    assert text_of(b"# coding: ascii\n\xff") == "# coding: ascii\n\ufffd"
    assert text_of(b"# coding: no-such\nx") == "# coding: no-such\nx"
    assert text_of(b"# coding: rot13\nx") == "# coding: rot13\nx"
    assert text_of("\ufeffx".encode("utf-16-be")) == "x"


@pytest.mark.parametrize("rule", [rule for rule in all_rules() if rule.group_markers])
def test_files_are_looked_at_for_a_rule_that_is_selected(rule: Rule) -> None:
    options, *others = (
        Options(selection=selection)
        for selection in (Selection((rule.id,)), Selection(("LS2",)), Selection(ignore=("LS2",)))
    )
    for case in examples(explain(rule.id) or ""):
        program = case.before.replace("tf.keras.mixed_precision.experimental.set_policy", "use")
        if rule.id not in {one.rule for one in migrate_fully(program.encode(), options).records}:
            continue
        other = program.encode()
        assert not can_hold_old_name(other)
        assert can_hold_old_name(other, options)
        assert can_run_with_old(other, next(iter(rule.targets)))
        assert not any(can_hold_old_name(other, one) for one in others)


# Methods that other classes often have too are not looked for.
_LOOKED_FOR = [one for one in TABLE if one not in COMMON_MEMBERS]


@pytest.mark.parametrize("neighbour", _LOOKED_FOR, ids=lambda one: one.name)
def test_files_with_a_neighbour_are_looked_at_where_they_run_with_old_ones(
    neighbour: Neighbour,
) -> None:
    place, name = neighbour.place, neighbour.short_name
    root = place.partition(".")[0] or name
    imported = f"from {place} import {name}" if place else f"import {name}"
    for program in (
        imported,
        f"import {root} as it\nit{neighbour.module_or_name.removeprefix(root)}.x",
    ):
        assert can_run_with_old(program.encode(), Target.TF_KERAS), program
    assert not can_run_with_old(
        f"import {root}_other\nx = {root}_other.y\n".encode(), Target.TF_KERAS
    )


@pytest.mark.parametrize("text", ["." + "#" * 5000, "." + "# " * 5000, ".\n" * 5000, "# " * 5000])
def test_no_text_takes_forever(text: str) -> None:
    source = f"import numpy as np, tensorflow, collections, scipy\n{text}\n".encode()
    assert can_run_with_old(source, Target.TF_KERAS) in (True, False)


def test_a_layer_is_looked_at_for_keras_3() -> None:
    layer = b"from tensorflow import keras\nclass Dense(keras.layers.Dense):\n    pass\n"
    assert can_run_with_old(layer, Target.KERAS3)
    assert not can_run_with_old(layer, Target.TF_KERAS)


def test_a_name_behind_a_comment() -> None:
    assert can_run_with_old(
        b"import numpy as np\nx = (np.  # why\n  # more\n  float)\n", Target.TF_KERAS
    )
