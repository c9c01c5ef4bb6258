# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `which_optimizer`, which tests run both ways."""

# %% adadelta_by_get
"""Optimizers by name and by config, given to the graph rewrite of TensorFlow 2 under its v1 path."""

import tensorflow as tf

tf1 = tf.compat.v1
for given in ("adadelta", {"class_name": "SGD", "config": {"learning_rate": 0.5}}):
    opt = tf1.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.get(given), 8)
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(8.0), weight)])
    print(type(opt).__name__, weight.numpy())

# %% alias_of_v1
"""`tf` is TensorFlow's v1 module."""

import numpy as np
import tensorflow.compat.v1 as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy())

# %% alias_of_v1_beside_keras
"""The v1 function gets a Keras optimizer, and is switched off."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.keras import optimizers

opt = optimizers.Adam(0.1)
opt = tf1.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=128)
v = tf.Variable([1.0])
with tf.GradientTape() as tape:
    loss = opt.get_scaled_loss(v * v)
(g,) = opt.get_unscaled_gradients(tape.gradient(loss, [v]))
opt.apply_gradients([(g, v)])
print(v.numpy().tolist(), float(opt.loss_scale()), type(opt).__name__)
tf1.train.experimental.disable_mixed_precision_graph_rewrite()
print(bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision")))

# %% chosen_by_name
"""A function chooses between optimizers of Keras and of TensorFlow 1."""

import tensorflow as tf


def optimizer(name):
    if name == "keras":
        return tf.keras.optimizers.SGD(0.25)
    return tf.compat.v1.train.GradientDescentOptimizer(0.25)


opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(optimizer("keras"))
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% factory_of_both_kinds
"""A factory makes optimizers of both kinds."""

import tensorflow.compat.v1 as tf

tf.enable_eager_execution()


def get_optimizer(name, lr):
    if name == "momentum":
        return tf.train.MomentumOptimizer(lr, 0.9)
    return tf.keras.optimizers.SGD(lr, 0.9)


def with_amp(opt):
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)


opt = with_amp(get_optimizer("keras", 0.5))
v = tf.Variable([1.0])
opt.apply_gradients([(tf.constant([1.0]), v)])
print(type(opt).__name__, v.numpy().tolist())

# %% keras_wrapper_refuses_v1
"""An optimizer of TensorFlow 1 that Keras' wrapper refuses, and the wrapper for it takes."""

import tensorflow as tf


class Own(tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer):
    @property
    def loss_scale(self):
        return self._loss_scale


def wrapped(opt, loss_scale):
    if isinstance(opt, tf.compat.v1.train.Optimizer):
        return Own(opt, loss_scale)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale)


scale = tf.train.experimental.DynamicLossScale(64, 1)
opt = wrapped(tf.compat.v1.train.GradientDescentOptimizer(0.25), scale)
weight = tf.Variable(1.0)
opt.minimize(lambda: weight * weight, var_list=[weight])
if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer | Own):
    print(opt.loss_scale().numpy(), opt.loss_scale is scale)
print(weight.numpy(), scale().numpy())

# %% name_from_the_environment
"""The environment names the optimizer."""

import os

import tensorflow as tf

name = os.environ.get("MY_OPTIMIZER_OF_TODAY", "nadam")
opt = tf.keras.optimizers.get(name)
opt.learning_rate = 0.25
if os.environ.get("TF_ENABLE_MY_AMP", "1") == "1":
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, "dynamic")
v = tf.Variable([1.0])
opt.apply_gradients([(tf.constant([1.0]), v)])
print(v.numpy().tolist(), type(opt).__name__, opt._optimizer.get_config()["name"])

# %% name_of_the_class
"""Optimizers that are told apart by the names of their classes."""

import tensorflow as tf

plain = tf.keras.optimizers.SGD(0.25)
opts = [
    tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.25), 8),
    tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
        tf.compat.v1.train.GradientDescentOptimizer(0.25), 8
    ),
    tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25)),
    plain,
]
for opt in opts:
    print(type(opt).__name__ == "LossScaleOptimizer", opt.__class__.__name__ != "LossScaleOptimizer")

# %% own_dynamic_scale_for_v1
"""A dynamic loss scale with a rule of its own, for optimizers of TensorFlow 1."""

import tensorflow as tf
from tensorflow.compat.v1.train.experimental import DynamicLossScale


class WithCeiling(DynamicLossScale):
    def __init__(self, initial_loss_scale=64, increment_period=1, ceiling=256):
        super().__init__(initial_loss_scale=initial_loss_scale, increment_period=increment_period)
        self.ceiling = ceiling
        self._bad_steps = self._add_weight(name="bad_steps", initial_value=0, dtype=tf.int64)

    def update(self, grads):
        finite = all(bool(tf.reduce_all(tf.math.is_finite(g))) for g in grads if g is not None)
        if finite:
            self._current_loss_scale.assign(tf.minimum(self._current_loss_scale * 2, self.ceiling))
        else:
            self._bad_steps.assign_add(1)
            self._current_loss_scale.assign(self._current_loss_scale / 4)
        return None, finite

    def get_config(self):
        return {**super().get_config(), "ceiling": self.ceiling}


scale = WithCeiling()
opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), scale
)
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, 1.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), scale().numpy(), scale._bad_steps.numpy())
print(scale.get_config(), scale.increment_period, isinstance(scale, DynamicLossScale))
again = WithCeiling.from_config({"initial_loss_scale": 32, "increment_period": 3, "ceiling": 512})
print(again().numpy(), again.ceiling)

# %% own_scale_for_both
"""A dynamic loss scale of a program's own class, for optimizers of TensorFlow 1 and of Keras."""

import tensorflow as tf


class Mine(tf.train.experimental.DynamicLossScale):
    def update(self, grads):
        print("updating")
        return super().update(grads)


old = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), Mine(64)
)
new = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), Mine(32)
)
weight = tf.Variable(1.0)
old.minimize(lambda: weight * weight, var_list=[weight])
print(weight.numpy())
new.minimize(lambda: weight * weight, [weight])
print(weight.numpy())

# %% own_scale_for_v1
"""A loss scale of a program's own class, which an optimizer of TensorFlow 1 multiplies with."""

import tensorflow as tf


class Halving(tf.compat.v1.mixed_precision.experimental.LossScale):
    def __init__(self, value):
        super().__init__()
        self.value = value
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return tf.constant(self.value / self.calls)

    def update(self, grads):
        raise AssertionError("it is not asked")

    def get_config(self):
        return {"value": self.value}


scale = Halving(64.0)
opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), scale
)
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), scale.calls, scale.get_config())

# %% subclass_of_v1_wrapper
"""A class that inherits from the wrapper of TensorFlow 1, with properties for what it wraps."""

import tensorflow as tf


class Readable(tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer):
    def __init__(self, opt, loss_scale):
        super().__init__(opt, loss_scale)
        self._steps = 0

    @property
    def loss_scale(self):
        return self._loss_scale

    @property
    def wrapped(self):
        return self._optimizer

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        self._steps += 1
        return super().apply_gradients(grads_and_vars, global_step, name)


opt = Readable(tf.compat.v1.train.MomentumOptimizer(0.25, 0.5), "dynamic")
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), opt.loss_scale().numpy(), opt._steps)
print(type(opt.wrapped).__name__, opt.get_name(), len(opt.variables()))
print(isinstance(opt, tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer))

# %% tf_train_gradient_descent
"""An optimizer of TensorFlow 1 through tf.train.experimental."""

import tensorflow as tf

opt = tf.compat.v1.train.GradientDescentOptimizer(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for factor in (1.0, 2.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy())

# %% tf_train_keras_adam
"""A Keras optimizer (adam) through tf.train.experimental."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% tf_train_keras_named
"""A Keras optimizer (named) through tf.train.experimental."""

import tensorflow as tf

optimizers = tf.keras.optimizers
opt = optimizers.SGD(learning_rate=0.25, momentum=0.5)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% tf_train_keras_schedule
"""A Keras optimizer (schedule) through tf.train.experimental."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5))
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% tf_train_keras_sgd
"""A Keras optimizer (sgd) through tf.train.experimental."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% unknown
"""A parameter holds the optimizer, and the function is called with either."""

import tensorflow as tf


def wrap(opt):
    return tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt)


print(type(wrap(tf.keras.optimizers.SGD(0.25))).__name__.startswith("LossScaleOptimizer"))
tf.train.experimental.disable_mixed_precision_graph_rewrite()
print(type(wrap(tf.compat.v1.train.GradientDescentOptimizer(0.25))).__name__)

# %% v1_mixed_precision_gradient_descent
"""An optimizer of TensorFlow 1 through tf.compat.v1.mixed_precision."""

import tensorflow as tf

opt = tf.compat.v1.train.GradientDescentOptimizer(0.25)
opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for factor in (1.0, 2.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy())

# %% v1_mixed_precision_keras_adam
"""A Keras optimizer (adam) through tf.compat.v1.mixed_precision."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.25)
opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% v1_mixed_precision_keras_named
"""A Keras optimizer (named) through tf.compat.v1.mixed_precision."""

import tensorflow as tf

optimizers = tf.keras.optimizers
opt = optimizers.SGD(learning_rate=0.25, momentum=0.5)
opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% v1_mixed_precision_keras_schedule
"""A Keras optimizer (schedule) through tf.compat.v1.mixed_precision."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5))
opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% v1_mixed_precision_keras_sgd
"""A Keras optimizer (sgd) through tf.compat.v1.mixed_precision."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% v1_train_gradient_descent
"""An optimizer of TensorFlow 1 through tf.compat.v1.train.experimental."""

import tensorflow as tf

opt = tf.compat.v1.train.GradientDescentOptimizer(0.25)
opt = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for factor in (1.0, 2.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy())

# %% v1_train_keras_adam
"""A Keras optimizer (adam) through tf.compat.v1.train.experimental."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.25)
opt = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% v1_train_keras_named
"""A Keras optimizer (named) through tf.compat.v1.train.experimental."""

import tensorflow as tf

optimizers = tf.keras.optimizers
opt = optimizers.SGD(learning_rate=0.25, momentum=0.5)
opt = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% v1_train_keras_schedule
"""A Keras optimizer (schedule) through tf.compat.v1.train.experimental."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5))
opt = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% v1_train_keras_sgd
"""A Keras optimizer (sgd) through tf.compat.v1.train.experimental."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% v1_wrapper_class
"""The wrapper of TensorFlow 1 around its own optimizers."""

import tensorflow as tf

opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.MomentumOptimizer(0.25, 0.5), "dynamic"
)
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy())

# %% v1_wrapper_with_object
"""The wrapper of TensorFlow 1 with a loss scale object, which is read."""

import tensorflow as tf

scale = tf.compat.v1.train.experimental.DynamicLossScale(64, 2)
opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), scale
)
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), scale().numpy())

# %% v1_wrapper_with_own_scaling
"""A class that replaces a private method of the wrapper of TensorFlow 1."""

import tensorflow as tf


class Louder(tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer):
    def _scale_loss(self, loss):
        print("scaling")
        return super()._scale_loss(loss)


opt = Louder(tf.compat.v1.train.GradientDescentOptimizer(0.25), 8)
weight = tf.Variable(1.0)
opt.minimize(lambda: weight * weight, var_list=[weight])
print(weight.numpy())
