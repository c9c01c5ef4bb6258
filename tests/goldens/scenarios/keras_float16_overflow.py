# SPDX-License-Identifier: Apache-2.0
"""Float16 overflow in the scaled loss, in the scale and in one of a sparse gradient's rows."""
# versions: 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe


def run(name, initial_scale, loss_fn, steps):
    table = tf.Variable([[1.0], [2.0], [100.0]])
    scaler = tf.train.experimental.DynamicLossScale(initial_scale, increment_period=3)
    inner = tf.keras.optimizers.SGD(0.25, momentum=0.5)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, scaler)
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_fn(table)
            scaled = opt.get_scaled_loss(loss)
        (gradient,) = opt.get_unscaled_gradients(tape.gradient(scaled, [table]))
        opt.apply_gradients([(gradient, table)])
        scale = opt.loss_scale
        key = "%s.step%d" % (name, step)
        observe(key + ".scaled_loss", scaled)
        observe(key + ".table", table)
        observe(key + ".scale", scale() if callable(scale) else scale)


def dense(table):
    return tf.reduce_sum(tf.cast(table, tf.float16))


def sparse(factors):
    def loss(table):
        rows = tf.cast(tf.gather(table, [2, 0, 2]), tf.float16)
        return tf.reduce_sum(rows * tf.constant(factors, tf.float16))

    return loss


run("loss_overflows", 2.0**12, dense, 4)
run("scale_overflows", 2.0**17, dense, 4)
run("duplicate_row_overflows", 2.0**14, sparse([[0.5], [1.0], [32.0]]), 4)
run("duplicate_row_is_nan", 8.0, sparse([[0.5], [1.0], [float("nan")]]), 2)
run("duplicate_row_is_infinite", 8.0, sparse([[float("-inf")], [1.0], [float("inf")]]), 2)
