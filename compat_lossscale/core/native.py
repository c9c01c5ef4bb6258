# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's own loss-scale classes, kept under names that `install()` does not replace."""

from __future__ import annotations

import tensorflow as tf

_names = tf.compat.v1.mixed_precision

LossScale = _names.LossScale
FixedLossScale = _names.FixedLossScale
DynamicLossScale = _names.DynamicLossScale
MixedPrecisionLossScaleOptimizer = _names.MixedPrecisionLossScaleOptimizer
enable_mixed_precision_graph_rewrite = _names.enable_mixed_precision_graph_rewrite
disable_mixed_precision_graph_rewrite = _names.disable_mixed_precision_graph_rewrite
