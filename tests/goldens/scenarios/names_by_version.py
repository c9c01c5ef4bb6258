# SPDX-License-Identifier: Apache-2.0
"""Which public names of loss scaling were there, in which version."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

LOSS_SCALES = ["LossScale", "FixedLossScale", "DynamicLossScale"]
REWRITE = ["enable_mixed_precision_graph_rewrite", "disable_mixed_precision_graph_rewrite"]
KERAS = ["LossScaleOptimizer", "Policy", "global_policy", "set_policy"]
for module, names in [
    ("keras.mixed_precision.experimental", KERAS + ["get_layer_policy"]),
    ("train.experimental", LOSS_SCALES + REWRITE),
    ("mixed_precision.experimental", LOSS_SCALES),
    ("compat.v1.train.experimental", LOSS_SCALES + REWRITE + ["MixedPrecisionLossScaleOptimizer"]),
    ("compat.v1.mixed_precision", LOSS_SCALES + REWRITE + ["MixedPrecisionLossScaleOptimizer"]),
    ("compat.v1.mixed_precision.experimental", LOSS_SCALES),
    ("compat.v1.keras.mixed_precision.experimental", KERAS),
    ("keras.mixed_precision", ["LossScaleOptimizer", "Policy", "global_policy", "set_global_policy"]),
]:
    found = tf
    for part in module.split("."):
        found = getattr(found, part, None)
    for name in names:
        observe(module + "." + name, hasattr(found, name))
