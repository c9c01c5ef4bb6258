# SPDX-License-Identifier: Apache-2.0
"""The loss scale in summaries, metrics and formats."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as amp

opt = amp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), loss_scale="dynamic")
mean_scale = tf.keras.metrics.Mean("scale")
v = tf.Variable(1.0)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = (v * x - 1.0) ** 2
        scaled_loss = loss * tf.cast(opt.loss_scale(), loss.dtype)
    (grad,) = tape.gradient(scaled_loss, [v])
    grad = grad / opt.loss_scale()
    should_apply = tf.math.is_finite(grad)
    if should_apply:
        opt.apply_gradients([(grad, v)])
    mean_scale.update_state(opt.loss_scale())
    tf.summary.scalar("loss_scale", opt.loss_scale(), step=0)
    return {"loss": loss, "scale": opt.loss_scale(), "log2": tf.math.log(opt.loss_scale()) / tf.math.log(2.0)}


for x in (1.0, 2.0, 3.0):
    out = step(tf.constant(x))
    print({k: "%.4f" % float(value) for k, value in out.items()})
print(float(mean_scale.result()), "{:.0f}".format(opt.loss_scale().numpy()))
print(f"{opt.loss_scale():.2e} {float(opt.loss_scale())!r}", "%d" % opt.loss_scale())
