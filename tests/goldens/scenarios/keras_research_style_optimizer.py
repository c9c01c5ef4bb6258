# SPDX-License-Identifier: Apache-2.0
"""A research codebase's own optimizer class around the wrapper: clipping, metrics, privates."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

from observe import observe


class Adam(tf.Module):
    def __init__(self, name, modules, lr, clip=None):
        self._name = name
        self._modules = modules
        self._clip = clip
        self._opt = prec.LossScaleOptimizer(tf.optimizers.SGD(lr), "dynamic")

    @property
    def variables(self):
        return self._opt.variables()

    def __call__(self, tape, loss):
        with tape:
            loss = self._opt.get_scaled_loss(loss)
        grads = tape.gradient(loss, self._modules)
        grads = self._opt.get_unscaled_gradients(grads)
        norm = tf.linalg.global_norm(grads)
        if self._clip:
            grads, _ = tf.clip_by_global_norm(grads, self._clip, norm)
        self._opt.apply_gradients(zip(grads, self._modules))
        return {
            self._name + "_norm": norm,
            self._name + "_scale": self._opt.loss_scale._current_loss_scale,
        }


var = tf.Variable([3.0, 4.0])
optimizer = Adam("model", [var], lr=0.5, clip=2.0)
factor = tf.Variable(1.0)


@tf.function
def train():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(var ** 2) * factor / 2.0
    return optimizer(tape, loss)


for step, value in enumerate([1.0, float("nan"), 1.0]):
    factor.assign(value)
    metrics = train()
    observe("step%d.norm" % step, metrics["model_norm"])
    observe("step%d.scale" % step, metrics["model_scale"])
    observe("step%d.var" % step, var)
