# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `arguments`, which tests run both ways."""

# %% chosen_in_every_way
"""Chooses the loss scale by an index, a key, a condition and `or`."""

import os

import tensorflow as tf

LSO = tf.keras.mixed_precision.experimental.LossScaleOptimizer


def scale_of(opt):
    return float(opt.get_scaled_loss(tf.constant(1.0)))


dynamic = True
print(scale_of(LSO(tf.keras.optimizers.SGD(), [128, "dynamic"][dynamic])))
print(scale_of(LSO(tf.keras.optimizers.SGD(), {"dynamic": "dynamic", "fixed": 64}["fixed"])))
print(scale_of(LSO(tf.keras.optimizers.SGD(), "dynamic" if not dynamic else 32)))
print(scale_of(LSO(tf.keras.optimizers.SGD(), int(os.environ.get("NO_SUCH_SCALE", 0)) or "dynamic")))
print(scale_of(LSO(tf.keras.optimizers.SGD(), str("dynamic"))))
print(scale_of(LSO(tf.keras.optimizers.SGD(), max(2, 2 ** 4))))

# %% comments_inside
"""Comments at every argument."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
opt = mp.LossScaleOptimizer(
    # the optimizer
    tf.keras.optimizers.SGD(  # plain
        0.1,  # rate
        # no momentum
    ),
    # the scale:
    loss_scale=tf.mixed_precision.experimental.DynamicLossScale(
        # where it starts
        2 ** 10,  # small
        increment_period=100,  # soon
        multiplier=2.0,  # the default
    ),  # end of scale
)
print(float(opt.loss_scale(  # now
)))
opt2 = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1),  # first
                             "dynamic")  # second
print(float(opt2.loss_scale()))

# %% conditional
"""The loss scale is a conditional expression."""

import os

import tensorflow as tf

fixed = os.environ.get("FIXED_LOSS_SCALE")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), float(fixed) if fixed else "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% config_class_in_another_file/config.py

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float = 0.25
    loss_scale: typing.Union[float, str] = "dynamic"


def parse(text):
    name, value = text.split("=")
    return dataclasses.replace(Config(), **{name: int(value)})

# %% config_class_in_another_file/main.py
"""A dataclass in another file says the loss scale, as a number or a word."""

import tensorflow as tf
from config import Config, parse

for config in [Config(), Config(loss_scale=128.0), parse("loss_scale=64")]:
    opt = tf.keras.optimizers.SGD(config.rate)
    if config.loss_scale != 1:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, config.loss_scale)
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(opt.loss_scale().numpy(), weight.numpy())

# %% config_dynamic_object_keywords
"""The loss scale is read from a configuration: dynamic object keywords."""

import argparse

import tensorflow as tf

config = argparse.Namespace(loss_scale=tf.train.experimental.DynamicLossScale(initial_loss_scale=64, increment_period=2, multiplier=2), rate=0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(config.rate), config.loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% config_dynamic_word
"""The loss scale is read from a configuration: dynamic word."""

import argparse

import tensorflow as tf

config = argparse.Namespace(loss_scale="dynamic", rate=0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(config.rate), config.loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% config_fixed_object
"""The loss scale is read from a configuration: fixed object."""

import argparse

import tensorflow as tf

config = argparse.Namespace(loss_scale=tf.train.experimental.FixedLossScale(32), rate=0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(config.rate), config.loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% config_number
"""The loss scale is read from a configuration: number."""

import argparse

import tensorflow as tf

config = argparse.Namespace(loss_scale=128, rate=0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(config.rate), config.loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% dataclass_config
"""A config class makes optimizers by their names."""

import dataclasses
from typing import Optional, Union

import tensorflow as tf


@dataclasses.dataclass
class OptimizerConfig:
    name: str = "Adam"
    learning_rate: float = 1e-3
    decay: float = 0.0
    loss_scale: Optional[Union[str, float]] = None


def build(config: OptimizerConfig):
    cls = getattr(tf.keras.optimizers, config.name)
    optimizer = cls(learning_rate=config.learning_rate, decay=config.decay)
    if config.loss_scale is not None:
        optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            optimizer, config.loss_scale
        )
    return optimizer


for config in (
    OptimizerConfig(),
    OptimizerConfig("SGD", 0.1, 0.5, "dynamic"),
    OptimizerConfig("RMSprop", decay=0.1, loss_scale=128.0),
):
    optimizer = build(config)
    scale = float(optimizer.loss_scale()) if config.loss_scale else None
    v = tf.Variable([1.0, -2.0])
    for _ in range(2):
        optimizer.apply_gradients([(v * 0.5, v)])
    print(config.name, scale, float(optimizer.decay), v.numpy().tolist(), int(optimizer.iterations))

# %% dynamic_below_one
"""A dynamic scale that starts below one."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(0.5, 2))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% flags_of_a_trainer
"""Trains with and without float16, as flags say."""

import argparse

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--loss_scale", default="dynamic", help="'dynamic' or a number")
    parser.add_argument("--learning_rate", type=float, default=0.1)
    return parser.parse_args(argv)


def get_loss_scale(args):
    if args.loss_scale == "dynamic":
        return args.loss_scale
    return float(args.loss_scale)


def train(args):
    optimizer = tf.keras.optimizers.SGD(args.learning_rate, momentum=0.9)
    if args.fp16:
        mixed_precision.set_policy(mixed_precision.Policy("mixed_float16"))
        optimizer = mixed_precision.LossScaleOptimizer(
            optimizer, loss_scale=get_loss_scale(args))
    w = tf.Variable([3.0, -1.0])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(w ** 2)
            scaled = optimizer.get_scaled_loss(loss) if args.fp16 else loss
        grads = tape.gradient(scaled, [w])
        if args.fp16:
            grads = optimizer.get_unscaled_gradients(grads)
        optimizer.apply_gradients(zip(grads, [w]))
        return loss

    for _ in range(3):
        loss = step()
    scale = float(optimizer.loss_scale()) if args.fp16 else 1.0
    print(args.fp16, args.loss_scale, "%.6f" % loss, scale, w.numpy().tolist())
    mixed_precision.set_policy("float32")


for argv in ([], ["--fp16"], ["--fp16", "--loss_scale", "64"], ["--fp16", "--learning_rate=1e-3"]):
    train(parse_args(argv))

# %% from_environment
"""The loss scale comes from the environment as text."""

import os

import tensorflow as tf

text = os.environ.get("LOSS_SCALE", "256")
loss_scale = "dynamic" if text == "dynamic" else int(text)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% from_flags
"""The loss scale of a command's option."""

import argparse

import tensorflow as tf


def loss_scale(text):
    return text if text == "dynamic" else float(text)


parser = argparse.ArgumentParser()
parser.add_argument("--loss_scale", type=loss_scale, default="dynamic")
for given in ([], ["--loss_scale", "64"]):
    flags = parser.parse_args(given)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale=flags.loss_scale)
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy())

# %% getter_returns_dynamic_or_number
"""The getter of flags as in the official models, and its caller."""

import types

import tensorflow as tf


def get_loss_scale(flags_obj, default_for_fp16):
    dtype = flags_obj.dtype
    if flags_obj.loss_scale == "dynamic":
        return flags_obj.loss_scale
    elif flags_obj.loss_scale is not None:
        return float(flags_obj.loss_scale)
    elif dtype in ("fp32", "bf16"):
        return 1
    else:
        return default_for_fp16


for given in (None, "dynamic", "64"):
    flags = types.SimpleNamespace(dtype="fp16", loss_scale=given)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.1), loss_scale=get_loss_scale(flags, default_for_fp16=128)
    )
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(float("inf")), weight)])
    print(given, float(opt.get_scaled_loss(tf.constant(1.0))), weight.numpy())

# %% half_migrated
"""The new class with the old argument, behind a test that is never true."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
if opt is None:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% helper_called_once
"""A function with an effect returns the loss scale."""

import tensorflow as tf

asked = []


def get_loss_scale():
    asked.append(len(asked))
    return 2.0 ** (3 + len(asked))


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), get_loss_scale())
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(asked)

# %% helper_returns_any_kind
"""A function returns a word, a number, or an object."""

import tensorflow as tf


def get_loss_scale(kind):
    if kind == "fixed":
        return 128
    if kind == "object":
        return tf.train.experimental.DynamicLossScale(512, 3)
    return "dynamic"


for kind in ("fixed", "object", "dynamic"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), get_loss_scale(kind))
    weight = tf.Variable(1.0)
    for gradient in (1.0, 1.0, 1.0, float("nan")):
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(kind, opt.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())

# %% initial_scale_of_default
"""Defaults that are written out."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(initial_loss_scale=2**15, increment_period=2000, multiplier=2.0))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% keyword_dynamic_object_keywords
"""The loss scale by keyword: dynamic object keywords."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(loss_scale=tf.train.experimental.DynamicLossScale(initial_loss_scale=64, increment_period=2, multiplier=2), optimizer=tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% keyword_dynamic_word
"""The loss scale by keyword: dynamic word."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(loss_scale="dynamic", optimizer=tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% keyword_fixed_object
"""The loss scale by keyword: fixed object."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(loss_scale=tf.train.experimental.FixedLossScale(32), optimizer=tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% keyword_number
"""The loss scale by keyword: number."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(loss_scale=128, optimizer=tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% keywords_in_another_order
"""The loss scale is made before the optimizer."""

import tensorflow as tf


def log(what, value):
    print("make", what)
    return value


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    loss_scale=tf.train.experimental.DynamicLossScale(
        multiplier=2, increment_period=log("period", 3), initial_loss_scale=log("scale", 32.0)
    ),
    optimizer=log("optimizer", tf.keras.optimizers.SGD(0.1)),
)
print(float(opt.get_scaled_loss(tf.constant(1.0))))

# %% made_in_a_loop_and_shared
"""Loss scales of their own, and a shared one, in a loop."""

import tensorflow as tf
from tensorflow.keras import mixed_precision, optimizers

experimental = mixed_precision.experimental
own, shared = [], []
one = tf.mixed_precision.experimental.DynamicLossScale(2.0 ** 4, 1)
for rate in (0.1, 0.2):
    own.append(
        experimental.LossScaleOptimizer(
            optimizers.SGD(rate),
            loss_scale=tf.mixed_precision.experimental.DynamicLossScale(2.0 ** 4, 1),
        )
    )
    shared.append(experimental.LossScaleOptimizer(optimizers.SGD(rate), loss_scale=one))
v = tf.Variable([1.0])
for group in (own, shared):
    for optimizer in group:
        optimizer.apply_gradients([(tf.constant([1.0]), v)])
    print([float(optimizer.get_scaled_loss(tf.constant(1.0))) for optimizer in group])

# %% multiplier_with_effect
"""A multiplier of two that is computed with an effect."""

import tensorflow as tf

calls = []


def two():
    calls.append(1)
    return 2


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2, multiplier=two()))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(calls)

# %% nested_constructor
"""The wrapped optimizer is made in the call, with a schedule."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5), momentum=0.5),
    "dynamic",
)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% none
"""`None` fails, and the program goes on without."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
try:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, None)
except (ValueError, TypeError, AttributeError):
    print("no loss scale")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(weight.numpy())

# %% none_or_dynamic
"""`None` stands for the default."""

import tensorflow as tf


def wrapped(loss_scale=None):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale or "dynamic")


opt = wrapped()
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(wrapped(4).get_scaled_loss(tf.constant(1.0)).numpy())

# %% own_class_for_a_parameter
"""A function wraps optimizers with the loss scales that it is given, one of the program's own class."""

import tensorflow as tf


class Capped(tf.mixed_precision.experimental.DynamicLossScale):
    def __call__(self):
        return tf.minimum(super().__call__(), 4.0)


def wrap(opt, loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale)


for scale in (8.0, Capped(16.0)):
    opt = wrap(tf.keras.optimizers.SGD(0.25), scale)
    weight = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(3.0 * weight)
    gradients = opt.get_unscaled_gradients(tape.gradient(loss, [weight]))
    opt.apply_gradients(zip(gradients, [weight]))
    print(float(loss), weight.numpy())

# %% own_function_of_that_name
"""A function of the program's own is named as the codemod's helper."""

import tensorflow as tf


def _loss_scale_arguments(loss_scale):
    return loss_scale * 2


def wrapped(loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), _loss_scale_arguments(loss_scale))


opt = wrapped(16)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% own_parameters_named_new
"""Variables that are named as the new keywords."""

import tensorflow as tf

dynamic, initial_scale, dynamic_growth_steps = False, 32, 2
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(initial_scale, dynamic_growth_steps))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(dynamic)

# %% own_variable_of_that_name
"""A variable of the program's own is named as the codemod's helper."""

import os

import tensorflow as tf

_loss_scale_arguments = {"value": 8}
loss_scale = os.environ.get("LOSS_SCALE") or "dynamic"
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale)
print(_loss_scale_arguments)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% parameter_dynamic_object_keywords
"""The loss scale is a function's parameter: dynamic object keywords."""

import tensorflow as tf


def wrapped(rate, loss_scale="dynamic"):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), loss_scale)


opt = wrapped(0.25, tf.train.experimental.DynamicLossScale(initial_loss_scale=64, increment_period=2, multiplier=2))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(wrapped(0.5).get_scaled_loss(tf.constant(1.0)).numpy())

# %% parameter_dynamic_word
"""The loss scale is a function's parameter: dynamic word."""

import tensorflow as tf


def wrapped(rate, loss_scale="dynamic"):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), loss_scale)


opt = wrapped(0.25, "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(wrapped(0.5).get_scaled_loss(tf.constant(1.0)).numpy())

# %% parameter_fixed_object
"""The loss scale is a function's parameter: fixed object."""

import tensorflow as tf


def wrapped(rate, loss_scale="dynamic"):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), loss_scale)


opt = wrapped(0.25, tf.train.experimental.FixedLossScale(32))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(wrapped(0.5).get_scaled_loss(tf.constant(1.0)).numpy())

# %% parameter_named_tf
"""A parameter has the name of the module."""

import tensorflow


class Fake:
    class keras:
        class mixed_precision:
            class experimental:
                @staticmethod
                def LossScaleOptimizer(opt, scale):
                    return ("fake", scale)


def build(tf, scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), scale)


def build_fake(tf, scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(None, scale)


tf = tensorflow
print(type(build(tf, "dynamic")).__name__)
print(build_fake(Fake, 3))

# %% parameter_number
"""The loss scale is a function's parameter: number."""

import tensorflow as tf


def wrapped(rate, loss_scale="dynamic"):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), loss_scale)


opt = wrapped(0.25, 128)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(wrapped(0.5).get_scaled_loss(tf.constant(1.0)).numpy())

# %% partial
"""The wrapper with one argument fixed by `functools.partial`."""

import functools

import tensorflow as tf

wrap = functools.partial(tf.keras.mixed_precision.experimental.LossScaleOptimizer, loss_scale=16)
opt = wrap(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% partial_dynamic
"""A loss scale class with arguments fixed by `functools.partial`."""

import functools

import tensorflow as tf

make = functools.partial(tf.train.experimental.DynamicLossScale, increment_period=2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), make(64))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% partial_of_a_class_attribute
"""A class has a partial call of the wrapper as an attribute."""

import functools

import tensorflow as tf


class Trainer:
    wrap = staticmethod(
        functools.partial(tf.keras.mixed_precision.experimental.LossScaleOptimizer, loss_scale=32)
    )

    def __init__(self):
        self.opt = self.wrap(tf.keras.optimizers.SGD(0.25))


opt = Trainer().opt

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy())

# %% popped_from_a_list
"""Arguments that are popped off a list."""

import tensorflow as tf

values = [2, 64, 0.25]
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(values.pop()), tf.train.experimental.DynamicLossScale(values.pop(), values.pop()))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(values)

# %% positional_dynamic_object
"""The loss scale as second argument: dynamic object."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale())
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_dynamic_object_keywords
"""The loss scale as second argument: dynamic object keywords."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(initial_loss_scale=64, increment_period=2, multiplier=2))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_dynamic_object_positional
"""The loss scale as second argument: dynamic object positional."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.mixed_precision.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_dynamic_object_swapped
"""The loss scale as second argument: dynamic object swapped."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(increment_period=2, initial_loss_scale=64))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_dynamic_word
"""The loss scale as second argument: dynamic word."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_fixed_object
"""The loss scale as second argument: fixed object."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.FixedLossScale(32))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_fixed_object_keyword
"""The loss scale as second argument: fixed object keyword."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.mixed_precision.experimental.FixedLossScale(loss_scale_value=32.0))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_float
"""The loss scale as second argument: float."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 128.0)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_multiplier_float
"""The loss scale as second argument: multiplier float."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2, multiplier=2.0))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_multiplier_four
"""The loss scale as second argument: multiplier four."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2, 4))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_negative_power_product
"""The loss scale as second argument: negative power product."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 0.5 * 2**4)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_number
"""The loss scale as second argument: number."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 128)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_numpy_float
"""The loss scale as second argument: numpy float."""

import numpy as np
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), np.float64(16))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% positional_power
"""The loss scale as second argument: power."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 2**10)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% printing_arguments
"""Arguments that say when they are evaluated."""

import tensorflow as tf


def said(value):
    print("evaluated", value if isinstance(value, (str, int)) else "an optimizer")
    return value


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(loss_scale=said("dynamic"), optimizer=said(tf.keras.optimizers.SGD(0.25)))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% rebound_between
"""The value that a loss scale was made from is another one later."""

import tensorflow as tf

n = 4.0
scale = tf.mixed_precision.experimental.DynamicLossScale(initial_loss_scale=n, increment_period=2)
n = 8.0
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), scale)
print(float(opt.get_scaled_loss(tf.constant(1.0))), n)

# %% scale_by_environment_or_word
"""The loss scale is a word, or a number in the environment."""

import os

import tensorflow as tf

scale = os.environ.get("LOSS_SCALE", "1024")
scale = scale if scale == "dynamic" else float(scale)
make = lambda inner, s=scale: tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, s)
opt = make(tf.keras.optimizers.SGD(0.25))
print(opt.get_scaled_loss(tf.constant(1.0)).numpy(), make(tf.keras.optimizers.SGD(0.25), "dynamic").loss_scale().numpy())

# %% scale_from_a_config_dict
"""Settings of a JSON file, with a scale that is popped, and defaults."""

import json

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
for text in ('{"lr": 0.5, "loss_scale": 16}', '{"lr": 0.5}', '{"lr": 0.5, "loss_scale": "dynamic"}'):
    config = json.loads(text)
    scale = config.pop("loss_scale", "dynamic")
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(config["lr"]), scale)
    print(scale, sorted(config), opt.get_config()["loss_scale"] if scale == "never" else "", float(opt.get_scaled_loss(tf.constant(1.0))))

# %% scale_of_a_nested_constructor
"""A constructor nested in the argument of another one."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def wrap(opt, scale=None):
    return mp.LossScaleOptimizer(opt, scale or "dynamic")


optimizer = wrap(
    tf.keras.optimizers.SGD(
        learning_rate=tf.keras.optimizers.schedules.ExponentialDecay(
            0.5, decay_steps=1, decay_rate=0.5), momentum=0.0),
    scale=float(mp.LossScaleOptimizer(tf.keras.optimizers.SGD(), 4).loss_scale()))
v = tf.Variable([1.0])
for _ in range(3):
    optimizer.apply_gradients([(tf.constant([1.0]), v)])
print(v.numpy().tolist(), float(optimizer.loss_scale()))

# %% scale_of_none_by_flag
"""`None` or a word, by a flag: what the old class did with each."""

import tensorflow as tf

for scale in ("dynamic", 2**10, True):
    try:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), scale)
        print(scale, float(opt.get_scaled_loss(tf.constant(1.0))))
    except (ValueError, TypeError) as error:
        print(scale, type(error).__name__)

# %% several_ways_to_a_scale
"""The loss scale is a variable that several branches set."""

import os

import tensorflow as tf

for kind in ["dynamic", "fixed", "object", "none"]:
    if kind == "object":
        scale = tf.train.experimental.DynamicLossScale(4, 1)
    elif kind == "fixed":
        scale = float(os.environ.get("SCALE", 32))
    elif kind == "none":
        scale = None
    else:
        scale = kind
    opt = tf.keras.optimizers.SGD(0.25)
    if scale is not None:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(kind, weight.numpy(), float(opt.loss_scale()) if scale else None)

# %% small_scale
"""A fixed scale of one."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 1)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% tabs
"""A file with tabs."""

import tensorflow as tf


def build(scale):
	opt = tf.keras.optimizers.SGD(0.1)
	return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)


for s in ("dynamic", 8):
	print(float(build(s).loss_scale()))

# %% true_as_scale
"""`True` is taken for one."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), True)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% two_calls_of_next
"""Arguments that take from one iterator, each its turn."""

import tensorflow as tf

it = iter([3, 64])
scale = tf.train.experimental.DynamicLossScale(increment_period=next(it), initial_loss_scale=next(it))
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% two_calls_of_next_inline
"""Arguments that take from one iterator, inside the wrapper's call."""

import tensorflow as tf

it = iter([3, 64, 0.25])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(loss_scale=tf.train.experimental.DynamicLossScale(increment_period=next(it), initial_loss_scale=next(it)), optimizer=tf.keras.optimizers.SGD(next(it)))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% two_kinds_by_branch
"""A function makes a loss scale object of either kind, or none."""

import tensorflow as tf


def make_loss_scale(params):
    if params["loss_scale"] == "dynamic":
        return tf.mixed_precision.experimental.DynamicLossScale(
            initial_loss_scale=params.get("init", 2 ** 15),  # as Apex
            increment_period=params.get("period", 2000),
        )
    if params["loss_scale"]:
        return tf.mixed_precision.experimental.FixedLossScale(params["loss_scale"])
    return None


def make_optimizer(params):
    optimizer = tf.keras.optimizers.Adam(params["lr"], epsilon=1e-6)
    loss_scale = make_loss_scale(params)
    if loss_scale is not None:
        optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, loss_scale)
    return optimizer


for params in (
    {"lr": 0.1, "loss_scale": "dynamic"},
    {"lr": 0.1, "loss_scale": "dynamic", "init": 8.0, "period": 1},
    {"lr": 0.1, "loss_scale": 100},
    {"lr": 0.1, "loss_scale": None},
):
    optimizer = make_optimizer(params)
    v = tf.Variable([1.0])
    optimizer.apply_gradients([(tf.constant([0.5]), v)])
    if params["loss_scale"]:
        print(type(optimizer).__name__, float(optimizer.loss_scale()), v.numpy().tolist())
    else:
        print(type(optimizer).__name__, v.numpy().tolist())

# %% unpacked_dynamic
"""A loss scale object made from a dictionary."""

import tensorflow as tf

settings = {"initial_loss_scale": 64, "increment_period": 2}
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(**settings))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% unpacked_in_the_object
"""A config file has the arguments of the loss scale object."""

import json

import tensorflow as tf

CONFIG = json.loads("""
{"optimizer": {"name": "adam", "args": {"learning_rate": 0.01, "beta_1": 0.8}},
 "amp": {"enabled": true, "kwargs": {"initial_loss_scale": 1024.0, "increment_period": 2, "multiplier": 2.0}}}
""")


def optimizer_from(config):
    table = {"adam": tf.keras.optimizers.Adam, "sgd": tf.keras.optimizers.SGD}
    optimizer = table[config["optimizer"]["name"]](**config["optimizer"]["args"])
    amp = config["amp"]
    if amp["enabled"]:
        loss_scale = tf.mixed_precision.experimental.DynamicLossScale(**amp["kwargs"])
        optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, loss_scale)
    return optimizer


optimizer = optimizer_from(CONFIG)
v = tf.Variable([1.0, 2.0])
for _ in range(4):
    optimizer.apply_gradients([(tf.constant([1.0, -1.0]), v)])
    print(float(optimizer.loss_scale()))
print(v.numpy().tolist(), float(optimizer.beta_1))

# %% unpacked_keywords
"""Keywords from a dictionary."""

import tensorflow as tf

kwargs = {"loss_scale": 8}
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), **kwargs)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% unpacked_literals
"""Arguments are unpacked from literals that stand in the call."""

import tensorflow as tf

LSO = tf.keras.mixed_precision.experimental.LossScaleOptimizer
first = LSO(**{"optimizer": tf.keras.optimizers.SGD(0.25), "loss_scale": 64})
second = LSO(tf.keras.optimizers.SGD(0.25), *[32])
third = LSO(*(tf.keras.optimizers.SGD(0.25), "dynamic"))
for opt in [first, second, third]:
    print(opt.loss_scale().numpy())

# %% unpacked_positionals
"""Arguments from a tuple."""

import tensorflow as tf

args = (tf.keras.optimizers.SGD(0.25), "dynamic")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(*args)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% variable_dynamic_object_keywords
"""The loss scale in a variable: dynamic object keywords."""

import tensorflow as tf

loss_scale = tf.train.experimental.DynamicLossScale(initial_loss_scale=64, increment_period=2, multiplier=2)
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale=loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% variable_dynamic_word
"""The loss scale in a variable: dynamic word."""

import tensorflow as tf

loss_scale = "dynamic"
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale=loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% variable_fixed_object
"""The loss scale in a variable: fixed object."""

import tensorflow as tf

loss_scale = tf.train.experimental.FixedLossScale(32)
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale=loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% variable_number
"""The loss scale in a variable: number."""

import tensorflow as tf

loss_scale = 128
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale=loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% walrus_in_the_call
"""The loss scale is assigned within the call, and used behind it."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), (scale := 2 ** 6)
)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(scale, opt.loss_scale().numpy() == scale)
