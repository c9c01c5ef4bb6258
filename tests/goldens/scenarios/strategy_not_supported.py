# SPDX-License-Identifier: Apache-2.0
"""CentralStorageStrategy: refused from 2.2 on."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe_error

strategy = tf.distribute.experimental.CentralStorageStrategy(["/cpu:0"], "/cpu:0")
run = getattr(strategy, "run", None) or strategy.experimental_run_v2


def train():
    with strategy.scope():
        var = tf.Variable(1.0)
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            tf.keras.optimizers.SGD(1.0), "dynamic"
        )

    @tf.function
    def step():
        run(lambda: opt.apply_gradients([(tf.constant(1.0), var)]) and None)

    step()


observe_error("train", train)
