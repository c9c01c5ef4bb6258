# SPDX-License-Identifier: Apache-2.0
"""The edits of all records, applied together, are what is written."""

from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source
from lossscale_codemods.source.edits import apply_edits

from tests.codemods.checks import program

HELPER = """
    import tensorflow as tf
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, config.loss_scale)
"""
ALIAS = """
    import tensorflow as tf
    mp = tf.keras.mixed_precision.experimental
    policy = mp.get_layer_policy(layer)
"""
UNUSED = """
    import tensorflow as tf
    policy = tf.keras.mixed_precision.experimental.get_layer_policy(layer)
"""
NEIGHBOURS = """
    from tensorflow.keras.mixed_precision.experimental import set_policy
    import tensorflow as tf
    set_policy(tf.keras.mixed_precision.experimental.get_layer_policy(layer))
"""
FOLDED = """
    import tensorflow as tf
    scale = tf.mixed_precision.experimental.DynamicLossScale(1024)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), scale)
"""
STAR = """
    from tensorflow.keras.mixed_precision.experimental import *
    set_policy(Policy("mixed_float16"))
"""
GUARD = """
    import tensorflow as tf
    if tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 4):
        tf.keras.mixed_precision.set_global_policy("mixed_float16")
    else:
        tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
"""


@pytest.mark.parametrize("source", [HELPER, ALIAS, UNUSED, NEIGHBOURS, FOLDED, STAR, GUARD])
def test_edits_add_up(source: str) -> None:
    before = program("# é\n" + source.replace("\n    ", "\n"))
    result = migrate_source(before, collapse_guards=True)
    assert result.changed
    edits = [edit for record in result.records for edit in record.edits]
    assert apply_edits(before.encode(), edits) == result.output
