# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `graph_rewrite`, which tests run both ways."""

# %% alias
"""The function has a short name."""

import tensorflow as tf

amp = tf.train.experimental.enable_mixed_precision_graph_rewrite
opt = amp(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% already_wrapped
"""The graph rewrite refuses what is wrapped already."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
try:
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
    print("taken")
except ValueError:
    print("refused")

# %% auto_mixed_precision_option
"""The option that the graph rewrite sets, set by hand beside it."""

import tensorflow as tf

tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True, "constant_folding": True})
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(sorted(tf.config.optimizer.get_experimental_options().items()))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% either_of_two_made
"""The optimizer is made on both sides of a condition, and wrapped on one."""

import tensorflow as tf


def amp(wanted):
    print("asked", wanted)
    return wanted


weight = tf.Variable(1.0)
for wanted in [True, False]:
    opt = (
        tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
        if amp(wanted)
        else tf.keras.optimizers.SGD(0.5)
    )
    print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
    opt.apply_gradients([(tf.constant(0.5), weight)])
    print(weight.numpy(), "loss scale" if hasattr(opt, "get_scaled_loss") else "none")

# %% environment_decides
"""The rewrite in a function with an early return, whose flag is a variable of the environment."""

import os

import tensorflow as tf


def maybe_mixed(opt):
    if os.environ.get("TF_ENABLE_AUTO_MIXED_PRECISION", "1") != "1":
        return opt
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, float(os.environ.get("SCALE", 256)))


opt = maybe_mixed(tf.keras.optimizers.Adagrad(0.5))
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(256.0), weight)])
print(weight.numpy(), float(opt.loss_scale()))

# %% fit_adam
"""`fit` with the graph rewrite."""

import numpy as np
import tensorflow as tf

opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.Adam(0.1))
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(optimizer=opt, loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% fit_by_flag
"""`fit` with the graph rewrite, if a flag says so."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--no_amp", dest="amp", action="store_false")
flags = parser.parse_args([])
opt = tf.keras.optimizers.SGD(0.01)
if flags.amp:
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(opt, "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(tf.config.optimizer.get_experimental_options())

# %% horovod_like_wrapper
"""A distributed optimizer of its own, made by a subclass at run time, and the rewrite around it."""

import tensorflow as tf


def distributed(optimizer):
    class Distributed(optimizer.__class__):
        def apply_gradients(self, grads_and_vars, *args, **kwargs):
            return super().apply_gradients([(g / 2, v) for g, v in grads_and_vars], *args, **kwargs)

    return Distributed.from_config(optimizer.get_config())


opt = distributed(tf.keras.optimizers.SGD(0.5, momentum=0.5))
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
weight = tf.Variable(1.0)
for _ in range(2):
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(weight**2)
    opt.apply_gradients(zip(opt.get_unscaled_gradients(tape.gradient(loss, [weight])), [weight]))
    print(weight.numpy())

# %% imported_name
"""The function is imported."""

import tensorflow as tf
from tensorflow.train.experimental import enable_mixed_precision_graph_rewrite

opt = enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% in_a_boolean_operation
"""The rewrite runs only where a flag is set, by `and` and `or`."""

import tensorflow as tf

for amp in (False, True):
    tf.config.optimizer.set_experimental_options({"auto_mixed_precision": False})
    opt = tf.keras.optimizers.SGD(0.5)
    opt = amp and tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 4) or opt
    print(hasattr(opt, "get_scaled_loss"), tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))

# %% in_post_init
"""A dataclass turns on the graph rewrite for the optimizer that it is given."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass
class Training:
    opt: tf.keras.optimizers.Optimizer
    half: bool = False
    opt_name: str = dataclasses.field(init=False, default="")

    def __post_init__(self):
        if self.half:
            self.opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(self.opt, 16)
        self.opt_name = type(self.opt).__name__


for half in [False, True]:
    training = Training(tf.keras.optimizers.SGD(0.25), half)
    weight = tf.Variable(1.0)
    training.opt.apply_gradients([(tf.constant(1.0), weight)])
    print(weight.numpy(), training.opt_name)

# %% in_try_and_with
"""The graph rewrite is turned on within `try` and `with`."""

import contextlib

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
with contextlib.suppress(ValueError):
    try:
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=8)
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=8)
    finally:
        print(type(opt).__name__)
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(weight.numpy(), tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))

# %% keeps_other_options
"""Other options of the graph optimizer stay."""

import tensorflow as tf

tf.config.optimizer.set_experimental_options({"constant_folding": False})
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
print(sorted(tf.config.optimizer.get_experimental_options().items()))

# %% loop_default_adam
"""A loop with the graph rewrite: default, Adam(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_default_sgd
"""A loop with the graph rewrite: default, SGD(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_dynamic_adam
"""A loop with the graph rewrite: dynamic, Adam(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_dynamic_sgd
"""A loop with the graph rewrite: dynamic, SGD(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_keyword_adam
"""A loop with the graph rewrite: keyword, Adam(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_keyword_number_adam
"""A loop with the graph rewrite: keyword_number, Adam(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=128.0)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_keyword_number_sgd
"""A loop with the graph rewrite: keyword_number, SGD(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=128.0)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_keyword_sgd
"""A loop with the graph rewrite: keyword, SGD(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_number_adam
"""A loop with the graph rewrite: number, Adam(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 128)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_number_sgd
"""A loop with the graph rewrite: number, SGD(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 128)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_object_adam
"""A loop with the graph rewrite: object, Adam(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loop_object_sgd
"""A loop with the graph rewrite: object, SGD(0.25)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% mapped
"""The function is handed to `map`."""

import tensorflow as tf

opts = list(map(tf.train.experimental.enable_mixed_precision_graph_rewrite, [tf.keras.optimizers.SGD(0.25), tf.keras.optimizers.SGD(0.5)]))
print(len(opts), opts[0].get_scaled_loss(tf.constant(1.0)).numpy())

# %% other_options_set_behind
"""Options of the graph optimizer are set behind the rewrite."""

import tensorflow as tf

opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
tf.config.optimizer.set_experimental_options({"constant_folding": False})
options = tf.config.optimizer.get_experimental_options()
print(options.get("constant_folding"), options.get("auto_mixed_precision"))
tf.train.experimental.disable_mixed_precision_graph_rewrite()
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))

# %% policy_afterwards
"""A mixed policy after the graph rewrite is refused."""

import tensorflow as tf

opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
try:
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
    print("set")
except ValueError:
    print("refused")

# %% reads_scale_afterwards
"""The rewritten optimizer is unwrapped again, for its learning rate."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.5, decay=0.5)
opt = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt)
var = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), var)])
base = getattr(opt, "_optimizer", opt)
print(var.numpy(), float(base.lr), float(base._decayed_lr(tf.float32)), float(opt.loss_scale()))

# %% twice
"""Two optimizers, each through the graph rewrite."""

import tensorflow as tf

generator = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25), "dynamic")
discriminator = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.5), 16)
weight = tf.Variable(1.0)
for opt in (generator, discriminator):
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())

# %% wrapped_by_function_of_opt
"""A function turns the rewrite on for any optimizer, and reads the scale of it."""

import tensorflow as tf


def amp(optimizer, enabled=True, loss_scale="dynamic"):
    if not enabled:
        return optimizer
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(optimizer, loss_scale)


var = tf.Variable(1.0)
for opt in (amp(tf.keras.optimizers.Adam(0.5), loss_scale=16.0), amp(tf.keras.optimizers.SGD(0.5), False)):
    opt.apply_gradients([(tf.constant(1.0), var)])
    print(var.numpy(), hasattr(opt, "get_scaled_loss"))
