# SPDX-License-Identifier: Apache-2.0
"""The keys of an object-based checkpoint of a wrapped SGD with momentum, and of a fixed scale."""
# versions: 2.0 2.1 2.2 2.3 2.4
import os
import tempfile

import tensorflow as tf

from observe import observe

nan = float("nan")
with tempfile.TemporaryDirectory() as folder:
    for name, value in [("dynamic", "dynamic"), ("fixed", 8)]:
        var = tf.Variable(1.0)
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.5, momentum=0.5), value
        )
        opt.apply_gradients([(tf.constant(1.0), var)])
        path = tf.train.Checkpoint(v=var, optimizer=opt).save(os.path.join(folder, name))
        keys = [key for key, _ in tf.train.list_variables(path)]
        observe(name + ".keys", sorted(key for key in keys if not key.startswith("_")))
