# SPDX-License-Identifier: Apache-2.0
"""Functions that a registry knows make optimizers."""

import tensorflow as tf


class Registry:
    def __init__(self):
        self._makers = {}

    def register(self, name):
        def decorator(maker):
            self._makers[name] = maker
            return maker
        return decorator

    def build(self, name, **kwargs):
        return self._makers[name](**kwargs)


OPTIMIZERS = Registry()


@OPTIMIZERS.register("sgd")
def sgd(lr=0.1):
    return tf.keras.optimizers.SGD(lr, decay=0.1)


@OPTIMIZERS.register("amp_sgd")
def amp_sgd(lr=0.1, loss_scale="dynamic"):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(sgd(lr), loss_scale)


opt = OPTIMIZERS.build("amp_sgd", lr=0.5, loss_scale=4)
v = tf.Variable([1.0])
for _ in range(3):
    opt.apply_gradients([(tf.constant([1.0]), v)])
print(v.numpy().tolist(), float(opt.loss_scale()), opt._optimizer.get_config()["decay"])
print(OPTIMIZERS.build("sgd").get_weights())
