# SPDX-License-Identifier: Apache-2.0
"""An optimizer that is a tf.Module: a table of lambdas chooses it, and a flag wraps it."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec


class Optimizer(tf.Module):
    def __init__(self, name, lr, opt="adam", clip=None):
        super().__init__(name=name)
        self._name = name
        self._clip = clip
        self._opt = {"adam": lambda: tf.optimizers.Adam(lr), "sgd": lambda: tf.optimizers.SGD(lr)}[opt]()
        self._mixed = prec.global_policy().compute_dtype == tf.float16
        if self._mixed:
            self._opt = prec.LossScaleOptimizer(self._opt, "dynamic")

    @property
    def variables(self):
        return self._opt.variables()

    def __call__(self, tape, loss, values):
        if self._mixed:
            with tape:
                loss = self._opt.get_scaled_loss(loss)
        grads = tape.gradient(loss, values)
        if self._mixed:
            grads = self._opt.get_unscaled_gradients(grads)
        norm = tf.linalg.global_norm(grads)
        if self._clip:
            grads, _ = tf.clip_by_global_norm(grads, self._clip, norm)
        self._opt.apply_gradients(zip(grads, values))
        metrics = {"norm": norm}
        if self._mixed:
            metrics[f"{self._name}_loss_scale"] = self._opt.loss_scale()
        return metrics


prec.set_policy(prec.Policy("mixed_float16"))
for kind in ["adam", "sgd"]:
    opt = Optimizer("model", 0.01, kind, 1.0)
    weight = tf.Variable([1.0, 2.0])
    for step in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * weight)
        print({k: float(v) for k, v in opt(tape, loss, [weight]).items()}, weight.numpy())
    print(len(opt.variables), np.sum([v.numpy().sum() for v in opt.variables[:1]]))
