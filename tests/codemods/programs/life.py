# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `life`, which tests run both ways."""

# %% arrays_of_numpy
"""The loss scale goes into functions of NumPy."""

import numpy as np
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(np.float32(opt.loss_scale()), np.asarray(opt.loss_scale()).dtype, np.log2(opt.loss_scale()))
print(np.isfinite(opt.loss_scale()), np.multiply(2, opt.loss_scale()), round(float(opt.loss_scale())))

# %% as_live_tensor
"""What was kept of 2.4's attribute stays as it was."""

import tensorflow as tf

opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), initial_scale=64, dynamic_growth_steps=1)
before = float(opt.loss_scale)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(before, float(opt.loss_scale))

# %% as_tensor
"""The scale is kept as a tensor before a step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 1))
before = opt.loss_scale()
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(before.numpy(), opt.loss_scale().numpy())

# %% assigned
"""The loss scale object is replaced."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
opt._loss_scale = tf.train.experimental.DynamicLossScale(4, 2)
print(opt.get_scaled_loss(tf.constant(1.0)).numpy())

# %% called_each_step
"""The scale is read by a call after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(opt.loss_scale().numpy(), weight.numpy())

# %% called_in_function
"""The scale is read by a call in a traced function."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)


@tf.function
def step(gradient):
    opt.apply_gradients([(gradient, weight)])
    return opt.loss_scale()


for gradient in [1.0, 1.0, float("nan"), 1.0]:
    print(step(tf.constant(gradient)).numpy(), weight.numpy())

# %% chains_of_calls
"""The loss scale is read of what an expression makes or looks up."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def make(scale=8):
    return mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)


opts = [make(), make(16)]
table = {"a": make(32)}
print(mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64).loss_scale().numpy())
print(make().loss_scale().numpy(), (None or opts[1]).loss_scale().numpy())
print(opts[0].loss_scale().numpy(), opts[-1].loss_scale().numpy(), table["a"].loss_scale().numpy())
print(next(iter(opts)).loss_scale().numpy(), (last := make(4)).loss_scale().numpy())
print([opt.loss_scale().numpy() for opt in opts], *map(lambda o: o.loss_scale().numpy(), opts))
print(sorted(opts, key=lambda o: -o.loss_scale().numpy())[0].loss_scale().numpy())

# %% compared
"""Compares the optimizer's object with the one that was given."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
print(opt.loss_scale is scale)

# %% compared_by_identity
"""The loss scale object is compared with itself, and is a key."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(32, 1)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
names = {id(scale): "mine"}
print(opt.loss_scale is scale, names.get(id(opt.loss_scale), "another"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan")]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(scale()), float(opt.loss_scale()))

# %% config_in_json
"""The config of a loss scale goes to a file."""

import json

import tensorflow as tf


def save_state(optimizer):
    state = {"iterations": int(optimizer.iterations)}
    if hasattr(optimizer, "loss_scale"):
        state["loss_scale"] = {
            "class": type(optimizer.loss_scale).__name__, **optimizer.loss_scale.get_config()}
    return json.dumps(state, sort_keys=True)


print(save_state(tf.keras.optimizers.SGD()))
print(save_state(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 4.0)))

# %% config_keys
"""Reads the keys of the optimizer's configuration."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
config = opt.get_config()
inner = config["optimizer"] if "optimizer" in config else config["inner_optimizer"]
print(inner["class_name"], inner["config"]["learning_rate"])

# %% config_round_trip
"""An optimizer is made again from its configuration."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
again = tf.keras.mixed_precision.experimental.LossScaleOptimizer.from_config(opt.get_config())
print(again.get_scaled_loss(tf.constant(1.0)).numpy(), float(again.learning_rate))

# %% config_without_scale
"""The optimizer is built again from its config with another inner optimizer."""

import tensorflow as tf

LossScaleOptimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer
opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 64)
config = opt.get_config()
config["optimizer"] = tf.keras.optimizers.serialize(tf.keras.optimizers.Adam(0.25))
again = LossScaleOptimizer.from_config(config)
var = tf.Variable(1.0)
again.apply_gradients([(tf.constant(1.0), var)])
print(var.numpy(), again.loss_scale().numpy())

# %% deleted
"""The variable is deleted after use."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
del scale
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% evaluated_at_definition
"""The loss scale is read for a default argument and by a decorator."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)


def times(factor):
    return lambda function: lambda value: factor * function(value)


def scaled(value, scale=opt.loss_scale()):
    return value * scale


@times(opt.loss_scale())
def unchanged(value):
    return value


print(scaled(2.0).numpy(), unchanged(2.0).numpy())

# %% get_config_of_scale
"""Reads the loss scale's configuration."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
print(sorted(opt.loss_scale.get_config()))

# %% getattr_call
"""The loss scale is read by `getattr`."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(float(getattr(opt, "loss_scale")()))

# %% getattr_with_default
"""The loss scale of an optimizer that may have none."""

import tensorflow as tf

for opt in (tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8), tf.keras.optimizers.SGD(0.25)):
    loss_scale = getattr(opt, "loss_scale", None)
    print(1.0 if loss_scale is None else float(loss_scale()))

# %% given_object_is_called
"""The object that was given is called."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(scale().numpy(), weight.numpy())

# %% global_statement
"""A function binds the object globally."""

import tensorflow as tf

scale = None


def set_up():
    global scale
    scale = tf.train.experimental.DynamicLossScale(64, 2)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)


opt = set_up()
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(float(scale()))

# %% hasattr_loss_scale
"""Code that takes any optimizer asks for its parts by hasattr."""

import tensorflow as tf


def describe(opt):
    found = [n for n in ("loss_scale", "_loss_scale", "_optimizer", "get_scaled_loss") if hasattr(opt, n)]
    if hasattr(opt, "_optimizer"):
        opt = opt._optimizer
    return found, type(opt).__name__, float(opt.lr)


for make in (lambda o: o, lambda o: tf.keras.mixed_precision.experimental.LossScaleOptimizer(o, 8)):
    print(describe(make(tf.keras.optimizers.SGD(0.5))))

# %% identity
"""The scale goes through `tf.identity` and arithmetic."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 512)
print(tf.identity(opt.loss_scale(), name="loss_scale").numpy())
print(tf.math.log(opt.loss_scale()).numpy(), (1.0 / opt.loss_scale()).numpy())

# %% in_every_text
"""The loss scale object in texts."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), 128)
print("loss scale: %s" % opt.loss_scale)
print("loss scale:", opt.loss_scale)
print("loss scale: {}".format(opt.loss_scale()))
print("loss scale: " + str(opt.loss_scale))
print(opt.loss_scale.__class__.__name__)

# %% in_summaries_and_metrics
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

# %% isinstance_chooses
"""What is printed depends on the loss scale's class."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
if isinstance(opt.loss_scale, tf.train.experimental.DynamicLossScale):
    print("grows after", opt.loss_scale.increment_period)
else:
    print("fixed", opt.loss_scale())

# %% isinstance_dynamiclossscale
"""Asks whether the loss scale is a DynamicLossScale."""

import tensorflow as tf

for loss_scale in ("dynamic", 8):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale)
    print(isinstance(opt.loss_scale, tf.train.experimental.DynamicLossScale))

# %% isinstance_fixedlossscale
"""Asks whether the loss scale is a FixedLossScale."""

import tensorflow as tf

for loss_scale in ("dynamic", 8):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale)
    print(isinstance(opt.loss_scale, tf.train.experimental.FixedLossScale))

# %% isinstance_lossscale
"""Asks whether the loss scale is a LossScale."""

import tensorflow as tf

for loss_scale in ("dynamic", 8):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale)
    print(isinstance(opt.loss_scale, tf.train.experimental.LossScale))

# %% isinstance_of_class_of_today
"""The class that the loss scale is tested for has the name of today."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(isinstance(opt.loss_scale, tf.compat.v1.mixed_precision.DynamicLossScale))

# %% kept_attribute_then_arithmetic
"""The loss scale is kept, and divided by later."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 1))
s = opt.loss_scale
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print((1.0 / s()).numpy(), (s() * 2.0).numpy())

# %% kept_in_bound
"""The loss scale object is kept in a bound, and called after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
read = opt.loss_scale
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(read().numpy() * 1), weight.numpy())

# %% kept_in_dict
"""The loss scale object is kept in a dict, and called after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
kept = {"scale": opt.loss_scale}
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(kept["scale"]()), weight.numpy())

# %% kept_in_lambda
"""The loss scale object is kept in a lambda, and called after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
read = lambda: opt.loss_scale()
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(read()), weight.numpy())

# %% kept_in_list
"""The loss scale object is kept in a list, and called after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
kept = [opt.loss_scale]
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(kept[0]()), weight.numpy())

# %% kept_in_tuple
"""The loss scale object is kept in a tuple, and called after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
_, ls = (opt, opt.loss_scale)
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(ls()), weight.numpy())

# %% kept_in_variable
"""The loss scale object is kept in a variable, and called after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
ls = opt.loss_scale
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(ls()), weight.numpy())

# %% kept_on_self
"""A trainer keeps the loss scale object."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
        self.loss_scale = self.opt.loss_scale
        self.weight = tf.Variable(1.0)

    def step(self, gradient):
        self.opt.apply_gradients([(tf.constant(gradient), self.weight)])
        return float(self.loss_scale())


trainer = Trainer()
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    print(trainer.step(gradient), trainer.weight.numpy())

# %% kept_on_self_if_mixed
"""A trainer keeps the loss scale if it has one."""

import tensorflow as tf


class Trainer:
    def __init__(self, fp16):
        self.fp16 = fp16
        self.optimizer = tf.keras.optimizers.SGD(0.5)
        if fp16:
            self.optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
                self.optimizer,
                loss_scale=tf.mixed_precision.experimental.DynamicLossScale(64, increment_period=1))
        self.loss_scale = self.optimizer.loss_scale if self.fp16 else None
        self.history = []

    def step(self, v):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
            if self.fp16:
                loss = self.optimizer.get_scaled_loss(loss)
        grads = tape.gradient(loss, [v])
        if self.fp16:
            grads = self.optimizer.get_unscaled_gradients(grads)
        self.optimizer.apply_gradients(zip(grads, [v]))
        if self.loss_scale is not None:
            self.history.append(float(self.loss_scale()))


for fp16 in (True, False):
    v = tf.Variable([1.0, 3.0])
    trainer = Trainer(fp16)
    for _ in range(3):
        trainer.step(v)
    print(fp16, trainer.history, v.numpy().tolist())

# %% kept_scale_for_later_steps
"""The loss scale object is kept, and called after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), "dynamic")
scale = opt.loss_scale
weight = tf.Variable(1.0)
for grad in (float("inf"), 1.0, float("inf")):
    opt.apply_gradients([(tf.constant(grad), weight)])
    print(scale().numpy(), scale.initial_loss_scale, scale.increment_period)

# %% mixin_of_optimizer
"""A class of one's own adds clipping in front of the wrapper."""

import tensorflow as tf

prec = tf.keras.mixed_precision.experimental


class Clipping(tf.keras.optimizers.Adam):
    def __init__(self, *args, clip=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.clip = clip

    def apply_gradients(self, grads_and_vars, *args, **kwargs):
        pairs = [(tf.clip_by_value(g, -self.clip, self.clip), v) for g, v in grads_and_vars]
        return super().apply_gradients(pairs, *args, **kwargs)


var = tf.Variable(1.0)
opt = prec.LossScaleOptimizer(Clipping(0.5, clip=0.25), loss_scale=1024)
for gradient in (1024.0, 4096.0):
    grads = opt.get_unscaled_gradients([tf.constant(gradient)])
    opt.apply_gradients(zip(grads, [var]))
    print(var.numpy(), opt._optimizer.clip, opt.iterations.numpy())

# %% named_tuple_of_state
"""A state that holds the loss scale of this step, read after the next."""

import collections

import tensorflow as tf

State = collections.namedtuple("State", "step scale")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), "dynamic")
weight = tf.Variable(1.0)
states = []
for step in range(3):
    states.append(State(step, opt.loss_scale()))
    opt.apply_gradients([(tf.constant(float("nan")), weight)])
print([(s.step, float(s.scale)) for s in states])

# %% object_saved_in_checkpoint
"""The object is saved in a checkpoint of its own."""

import os
import tempfile

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 1)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(scale=scale).save(os.path.join(folder, "scale"))
    again = tf.train.experimental.DynamicLossScale(8, 1)
    tf.train.Checkpoint(scale=again).restore(path)
print(again().numpy())

# %% object_updated_by_hand
"""A loop without a wrapper, that scales by an object."""

import tensorflow as tf

scale = tf.mixed_precision.experimental.DynamicLossScale(initial_loss_scale=64, increment_period=2)
opt = tf.keras.optimizers.SGD(0.25)
weight = tf.Variable(1.0)
for factor in (1.0, 1.0, float("inf"), 1.0):
    with tf.GradientTape() as tape:
        loss = factor * weight * weight * scale()
    gradient = tape.gradient(loss, weight) / scale()
    _, good = scale.update([gradient])
    if good:
        opt.apply_gradients([(gradient, weight)])
    print(scale().numpy(), weight.numpy())

# %% object_without_optimizer
"""A loss scale object without any optimizer."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 2)
weight = tf.constant(3.0)
print((weight * scale()).numpy())
for gradient in (1.0, 1.0, float("inf")):
    _, finite = scale.update([tf.constant(gradient)])
    print(bool(finite), scale().numpy())

# %% own_property_of_that_name
"""A class has a property `loss_scale` of its own, with a setter."""

import tensorflow as tf


class Trainer:
    def __init__(self, scale):
        self._scale = None
        self.loss_scale = scale
        self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.25), self.loss_scale
        )

    @property
    def loss_scale(self):
        return self._scale

    @loss_scale.setter
    def loss_scale(self, value):
        self._scale = value * 2 if isinstance(value, int) else value


for scale in [8, "dynamic"]:
    trainer = Trainer(scale)
    weight = tf.Variable(1.0)
    trainer.opt.apply_gradients([(tf.constant(1.0), weight)])
    print(trainer.loss_scale, trainer.opt.loss_scale().numpy(), weight.numpy())

# %% parenthesized_call
"""The read stands in parentheses."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(float((opt.loss_scale)()))

# %% passed_to_function
"""The loss scale object is passed to a function."""

import tensorflow as tf


def describe(scale):
    return float(scale())


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(describe(opt.loss_scale))

# %% popped_from_a_dict
"""The loss scale is kept in a dictionary."""

import tensorflow as tf


def make(rate):
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(rate), tf.mixed_precision.experimental.DynamicLossScale(16, 1))
    return {"optimizer": optimizer, "ls": optimizer.loss_scale, "rate": rate}


state = make(0.1)
v = tf.Variable([1.0])
ls = state.pop("ls")
state["optimizer"].apply_gradients([(tf.constant([1.0]), v)])
print(float(ls()), float(state["optimizer"].loss_scale()))

# %% printed
"""The scale goes into a formatted text."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 512)
print("loss scale: {:.1f}".format(opt.loss_scale().numpy()))
print(f"loss scale: {opt.loss_scale().numpy():.0f}")
print("loss scale: %d" % opt.loss_scale())

# %% read_by_functions
"""attrgetter, map, max and comprehensions read loss scales."""

import operator

import tensorflow as tf

experimental = tf.keras.mixed_precision.experimental
g_opt = experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1, beta_1=0.5), 32)
d_opt = experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1, beta_1=0.5), "dynamic")
read = operator.attrgetter("loss_scale")
print(float(read(g_opt)()), [float(o.loss_scale()) for o in (g_opt, d_opt)])
print(list(map(lambda o: float(o.loss_scale()), [g_opt, d_opt])))
print(max((g_opt, d_opt), key=lambda o: float(o.loss_scale())) is d_opt)
print({n: float(o.loss_scale()) for n, o in dict(g=g_opt, d=d_opt).items()})

# %% read_in_every_way
"""The loss scale is read in f-strings, arithmetic, calls and comparisons."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
loss = tf.constant(2.0)
print(f"{opt.loss_scale():.1f} {opt.loss_scale().numpy()!r:>8} {float(opt.loss_scale()) + 1=}")
print((opt.loss_scale() * loss).numpy(), (loss / opt.loss_scale()).numpy())
print(int(opt.loss_scale()), opt.loss_scale() == 64, bool(opt.loss_scale() > 1))
print([round(float(scale()), 1) for scale in [opt.loss_scale]], max(opt.loss_scale(), 1).numpy())
print(tf.cast(opt.loss_scale(), tf.float16).dtype.name, opt.loss_scale().dtype.name)
print(opt.loss_scale().numpy().item() if opt.loss_scale() is not None else None)

# %% reads_current_loss_scale
"""Reads the loss scale's _current_loss_scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
weight = tf.Variable(1.0)
for gradient in (1.0, float("nan"), 1.0):
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(opt.loss_scale._current_loss_scale))

# %% reads_increment_period
"""Reads the loss scale's increment_period."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
print(float(opt.loss_scale.increment_period))

# %% reads_initial_loss_scale
"""Reads the loss scale's initial_loss_scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
print(float(opt.loss_scale.initial_loss_scale))

# %% reads_multiplier
"""Reads the loss scale's multiplier."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
print(float(opt.loss_scale.multiplier))

# %% reads_num_good_steps
"""Reads the loss scale's _num_good_steps."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
weight = tf.Variable(1.0)
for gradient in (1.0, float("nan"), 1.0):
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(opt.loss_scale._num_good_steps))

# %% reads_private_attribute
"""Reads the optimizer's private attribute."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(float(opt._loss_scale()))

# %% reads_private_value
"""Reads the private value of a fixed scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 16)
print(float(opt.loss_scale._loss_scale_value))

# %% returned_beside_the_optimizer
"""A function returns the optimizer and its loss scale, which is called later."""

import tensorflow as tf


def make(rate, **options):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(rate), tf.train.experimental.DynamicLossScale(**options)
    )
    return opt, opt.loss_scale


opt, scale = make(0.25, initial_loss_scale=8, increment_period=1)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(scale()), scale.increment_period)

# %% returned_by_property
"""A property returns the scale."""

import tensorflow as tf


class Trainer:
    def __init__(self, opt):
        self.opt = opt

    @property
    def scale(self):
        return self.opt.loss_scale()


trainer = Trainer(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic"))
print(float(trainer.scale))

# %% scale_given_to_summary
"""The loss scale goes into a summary, under a conditional expression."""

import tensorflow as tf

mixed = True
opt = tf.keras.optimizers.SGD(0.5)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic") if mixed else opt
logged = {}


def scalar(name, value, step):
    logged.setdefault(name, []).append((step, float(value)))


weight = tf.Variable(1.0)
for step in range(3):
    opt.apply_gradients([(tf.constant(float("nan") if step == 1 else 1.0), weight)])
    scalar("scale", opt.loss_scale() if mixed else 1.0, step=step)
    scalar("rate", opt.lr if hasattr(opt, "lr") else 0.0, step)
print(logged)

# %% scale_in_f_string
"""A log line formats the loss scale in several ways."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), loss_scale="dynamic")
weight = tf.Variable(1.0)
for grad in (1.0, float("inf"), 1.0):
    opt.apply_gradients([(tf.constant(grad), weight)])
    print(f"scale {opt.loss_scale().numpy():.1f}", "scale %d" % opt.loss_scale(), "{0:g}".format(float(opt.loss_scale())))
    print("num", int(opt.loss_scale._num_good_steps), "step", opt.iterations.numpy())

# %% set_as_a_default
"""The loss scale object goes into a dictionary, by setdefault and update."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(32, 1)
)
state = {}
state.setdefault("scale", opt.loss_scale)
state.update(opt=opt, **{"again": opt.loss_scale})
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan")]:
    state["opt"].apply_gradients([(tf.constant(gradient), weight)])
    print(float(state["scale"]()), float(state["again"]()), float(state["opt"].loss_scale()))

# %% shared_by_two_optimizers
"""Two optimizers share one object."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 2)
first = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
second = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale)
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    first.apply_gradients([(tf.constant(gradient), weight)])
    print(second.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())

# %% shared_fixed
"""Two optimizers share one fixed scale."""

import tensorflow as tf

scale = tf.train.experimental.FixedLossScale(64)
first = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
second = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale)
weight = tf.Variable(1.0)
for opt in (first, second):
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())

# %% shared_in_loop
"""One object for all optimizers of a loop."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 1)
opts = []
for rate in (0.25, 0.5):
    opts.append(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), scale))
weight = tf.Variable(1.0)
opts[0].apply_gradients([(tf.constant(1.0), weight)])
print([opt.get_scaled_loss(tf.constant(1.0)).numpy() for opt in opts])

# %% shared_through_default_argument
"""One object is the default of two calls."""

import tensorflow as tf


def wrapped(rate, loss_scale=tf.train.experimental.DynamicLossScale(64, 2)):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), loss_scale)


first, second = wrapped(0.25), wrapped(0.5)
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    first.apply_gradients([(tf.constant(gradient), weight)])
    print(second.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())

# %% subclass_logs_the_scale
"""A subclass prints the scale when it steps."""

import tensorflow as tf


class Printing(tf.keras.mixed_precision.experimental.LossScaleOptimizer):
    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        print("scale", float(self.loss_scale()))
        return super().apply_gradients(grads_and_vars, name)


var = tf.Variable(1.0)
opt = Printing(tf.keras.optimizers.SGD(0.5), "dynamic")
opt.apply_gradients([(tf.constant(1.0), var)])
print(var.numpy())

# %% taken_from_other_optimizer
"""An optimizer takes the object of another."""

import tensorflow as tf

first = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 1))
second = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), first.loss_scale)
weight = tf.Variable(1.0)
first.apply_gradients([(tf.constant(1.0), weight)])
print(first.get_scaled_loss(tf.constant(1.0)).numpy(), second.get_scaled_loss(tf.constant(1.0)).numpy())

# %% threads
"""Several threads take steps, and read the loss scale."""

import threading

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(16, 100)
)
weight = tf.Variable(1.0)
lock, seen = threading.Lock(), []


def work(opt=opt):
    with lock:
        opt.apply_gradients([(tf.constant(1.0), weight)])
        seen.append(float(opt.loss_scale()))


threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(seen, weight.numpy())

# %% type_by_its_name
"""The name of the type of the loss scale is compared."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(type(opt.loss_scale).__name__ == "DynamicLossScale")

# %% type_in_classes
"""The class of the loss scale is looked up among others."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(opt.loss_scale.__class__ in (tf.mixed_precision.experimental.FixedLossScale, tf.mixed_precision.experimental.DynamicLossScale))

# %% type_is_dynamic
"""The type of the loss scale is compared."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(type(opt.loss_scale) is tf.mixed_precision.experimental.DynamicLossScale)

# %% updated_in_a_loop
"""A loop asks the loss scale whether to apply."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.1), tf.mixed_precision.experimental.DynamicLossScale(8, 1))
v = tf.Variable([1.0])
for grad in ([1.0], [float("inf")], [2.0]):
    _, should_apply = opt.loss_scale.update([tf.constant(grad)])
    print(bool(should_apply), float(opt.loss_scale()))
    if should_apply:
        opt._optimizer.apply_gradients([(tf.constant(grad), v)])
print(v.numpy().tolist())

# %% weights_of_object
"""Reads the variables of the loss scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
print(sorted(opt.loss_scale._weights))

# %% yielded
"""A generator yields the loss scale object, and others read it later."""

import itertools

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(16, 1)
)
weight = tf.Variable(1.0)


def scales():
    while True:
        yield opt.loss_scale


first, second = itertools.islice(scales(), 2)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(first().numpy(), second().numpy())
