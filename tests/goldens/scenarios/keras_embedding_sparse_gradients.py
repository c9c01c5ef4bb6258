# SPDX-License-Identifier: Apache-2.0
"""An embedding trained through the wrapper with sparse gradients, one bad step among them."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5), tf.train.experimental.DynamicLossScale(128.0, 2)
)
table = tf.Variable([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])


@tf.function
def train_step(ids, factor):
    with tf.GradientTape() as tape:
        loss = factor * tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
        scaled = opt.get_scaled_loss(loss)
    opt.apply_gradients(zip(opt.get_unscaled_gradients(tape.gradient(scaled, [table])), [table]))


for step, (ids, factor) in enumerate([([0, 2], 1.0), ([2, 2], 1.0), ([1], float("nan")), ([1], 2.0)]):
    train_step(tf.constant(ids), tf.constant(factor))
    observe("step%d.table" % step, table)
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))
