# SPDX-License-Identifier: Apache-2.0
"""Real TensorFlow 1.15 and this package train on from each other's `tf.train.Saver` checkpoints.

`saved/1.15` was written by TensorFlow 1.15 and `saved/ours` by this package, each by `saving.py
write`. `1.15.json` is what TensorFlow 1.15 printed then, `ours-in-1.15.json` what it printed for
`saving.py restore saved/ours`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support import python

HERE = Path(__file__).parent
SAVED = HERE / "saved"


def run(action: str, prefix: Path) -> Any:
    done = python(
        str(HERE / "saving.py"),
        action,
        str(prefix),
        "ours",
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def recorded(name: str) -> Any:
    values = json.loads((SAVED / f"{name}.json").read_text("utf-8"))
    return {
        when: {name: pytest.approx(value, rel=1e-6) for name, value in of_all.items()}
        for when, of_all in values.items()
    }


def test_a_checkpoint_of_1_15_is_restored_and_training_goes_on_with_the_same_values() -> None:
    assert run("restore", SAVED / "1.15") == recorded("1.15")


def test_a_checkpoint_from_here_is_what_1_15_restored_and_trained_on_from(tmp_path: Path) -> None:
    import tensorflow as tf

    assert run("write", tmp_path / "now") == recorded("ours-in-1.15")
    now, then = (tf.train.load_checkpoint(str(each)) for each in (tmp_path / "now", SAVED / "ours"))
    assert now.get_variable_to_dtype_map() == then.get_variable_to_dtype_map()
    for name in then.get_variable_to_shape_map():
        np.testing.assert_allclose(now.get_tensor(name), then.get_tensor(name), rtol=1e-6)


def test_the_names_are_those_of_1_15() -> None:
    import tensorflow as tf

    old, ours = (tf.train.list_variables(str(SAVED / each)) for each in ("1.15", "ours"))
    assert ours == old
    assert "cond_1/beta1_power" in dict(old)
