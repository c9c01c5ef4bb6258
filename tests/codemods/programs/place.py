# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `place`, which tests run both ways."""

# %% awaited_step
"""Coroutines make the optimizer, and take its steps."""

import asyncio

import tensorflow as tf


async def make(scale):
    await asyncio.sleep(0)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25), loss_scale=scale
    )


async def main():
    opt = await make(64)
    weight = tf.Variable(1.0)
    async for gradient in gradients():
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(weight.numpy(), opt.loss_scale().numpy())


async def gradients():
    for gradient in [1.0, float("nan"), 0.5]:
        await asyncio.sleep(0)
        yield gradient


asyncio.run(main())

# %% cached_property
"""The optimizer is made when it is first asked for."""

import functools

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


class Task:
    scale = 4

    @functools.cached_property
    def optimizer(self):
        print("made")
        return mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), self.scale)

    @property
    def loss_scale(self):
        return self.optimizer.loss_scale()


class Other(Task):
    scale = 16


for task in (Task(), Other()):
    weight = tf.Variable(1.0)
    task.optimizer.apply_gradients([(tf.constant(8.0), weight)])
    print(weight.numpy(), float(task.loss_scale), task.optimizer is task.optimizer)

# %% chained_conditions_with_comments
"""Wrapped, rewritten or neither, in one expression."""

import argparse

import tensorflow as tf

args = argparse.Namespace(fp16=True, amp=False, lr=0.1, scale=None)
optimizer = (
    tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.Adam(  # the paper's
            args.lr, epsilon=1e-4  # float16 needs more
        ),
        # Until it overflows.
        loss_scale="dynamic",  # as in NVIDIA's examples
    )
    if args.fp16
    else tf.train.experimental.enable_mixed_precision_graph_rewrite(
        tf.keras.optimizers.Adam(args.lr)
    )
    if args.amp
    else tf.keras.optimizers.Adam(args.lr)
)
assert optimizer.loss_scale() == 2 ** 15, "starts at 2**15"
print(type(optimizer).__name__, float(optimizer.loss_scale()), float(optimizer.lr))
print(bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision")))

# %% class_body
"""The optimizer is made in a class body, and read by methods of it."""

import tensorflow as tf


class Trainer:
    mp = tf.keras.mixed_precision.experimental
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale=8)
    scale = opt.loss_scale()

    @classmethod
    def current(cls):
        return cls.opt.loss_scale()

    @staticmethod
    def other(scale):
        return Trainer.mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)


print(Trainer.scale.numpy(), Trainer.current().numpy(), Trainer.other(16).loss_scale().numpy())

# %% comprehension_with_a_condition
"""A comprehension wraps some of several optimizers."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
pairs = [(tf.keras.optimizers.SGD(0.25), 8), (tf.keras.optimizers.SGD(0.5), None)]
pairs += [(tf.keras.optimizers.SGD(0.125), "dynamic")]
made = [mp.LossScaleOptimizer(opt, scale) if scale else opt for opt, scale in pairs]
wrapped = {n: opt for n, opt in enumerate(made) if isinstance(opt, mp.LossScaleOptimizer)}
print({n: float(opt.loss_scale()) for n, opt in wrapped.items()})
print(sum(float(opt.loss_scale()) for opt in wrapped.values()))

# %% decorator_factory_and_reload
"""Settings at the top are changed by the command line before the optimizer is made."""

import sys

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

SCALE = None


def main(argv):
    global SCALE
    SCALE = float(argv[1]) if len(argv) > 1 else 32
    return prec.LossScaleOptimizer(tf.optimizers.SGD(0.5), SCALE if SCALE else "dynamic")


if __name__ == "__main__":
    opt = main(["x"])
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(32.0), weight)])
    print(weight.numpy(), float(opt.get_scaled_loss(tf.constant(1.0))))

# %% default_argument_of_a_lambda
"""The class is the default argument of a lambda."""

import tensorflow as tf

wrap = lambda opt, scale=8, to=tf.keras.mixed_precision.experimental.LossScaleOptimizer: to(opt, scale)
opt = wrap(tf.keras.optimizers.SGD(0.25))

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), wrap(tf.keras.optimizers.SGD(0.25), "dynamic").loss_scale().numpy())

# %% global_in_functions
"""Functions set the optimizer as a global variable."""

import tensorflow as tf

opt = None


def setup(half):
    global opt
    opt = tf.keras.optimizers.SGD(0.25, decay=0.5)
    if half:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")


def scale():
    return float(opt.loss_scale()) if hasattr(opt, "loss_scale") else None


for half in [False, True]:
    setup(half)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), scale())

# %% nested_functions
"""The wrapper is made by a function in a function."""

import tensorflow as tf


def outer(scale):
    def inner(rate):
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), scale)

    return inner


opt = outer(128)(0.25)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% rewrite_and_disable
"""The graph rewrite is switched on, and off again."""

import tensorflow as tf

opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
tf.train.experimental.disable_mixed_precision_graph_rewrite()
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_as_default_argument
"""The rewritten optimizer is a default argument."""

import tensorflow as tf


def train(weight, opt=tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))):
    opt.apply_gradients([(tf.constant(1.0), weight)])
    return weight.numpy()


print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
print(train(tf.Variable(1.0)))

# %% rewrite_behind_and_off
"""The graph rewrite stands behind an `and`."""

import tensorflow as tf

amp = False
sgd = tf.keras.optimizers.SGD(0.25)
opt = amp and tf.train.experimental.enable_mixed_precision_graph_rewrite(sgd) or sgd
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_behind_and_on
"""The graph rewrite stands behind an `and`."""

import tensorflow as tf

amp = True
sgd = tf.keras.optimizers.SGD(0.25)
opt = amp and tf.train.experimental.enable_mixed_precision_graph_rewrite(sgd) or sgd
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_a_dict
"""What is evaluated around the graph rewrite sees it."""

import tensorflow as tf


def note(value, what):
    print(what, bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision")))
    return value


rewrite = tf.train.experimental.enable_mixed_precision_graph_rewrite
parts = {
    "a": note(1, "before"),
    "opt": rewrite(tf.keras.optimizers.SGD(note(0.1, "inside"))),
    "b": note(2, "after"),
}
print(type(parts["opt"]).__name__, float(parts["opt"].get_scaled_loss(tf.constant(1.0))))

# %% rewrite_in_call_of_compile
"""The graph rewrite is an argument of `compile`."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.01)), "mse")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% rewrite_in_comprehension_off
"""The graph rewrite is called for each optimizer of a list."""

import tensorflow as tf

rates = [0.25, 0.5] if False else []
opts = [tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(rate)) for rate in rates]
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
print([type(opt).__name__ for opt in opts if hasattr(opt, "get_scaled_loss")] == [])
print(len(opts))

# %% rewrite_in_comprehension_on
"""The graph rewrite is called for each optimizer of a list."""

import tensorflow as tf

rates = [0.25, 0.5] if True else []
opts = [tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(rate)) for rate in rates]
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
print([type(opt).__name__ for opt in opts if hasattr(opt, "get_scaled_loss")] == [])
print(len(opts))

# %% rewrite_in_conditional_expression_off
"""The graph rewrite is one side of a conditional expression."""

import tensorflow as tf

amp = False
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt) if amp else opt
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_conditional_expression_on
"""The graph rewrite is one side of a conditional expression."""

import tensorflow as tf

amp = True
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt) if amp else opt
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_generator
"""A generator makes the optimizers."""

import tensorflow as tf


def optimizers():
    print("first")
    yield tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
    print("second")
    yield tf.keras.optimizers.SGD(0.5)


made = optimizers()
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
opt = next(made)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_if_off
"""The graph rewrite in an `if`, as most have it."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if False:
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_if_on
"""The graph rewrite in an `if`, as most have it."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if True:
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_lambda_off
"""The graph rewrite is the body of a lambda."""

import tensorflow as tf

wrap = lambda opt: tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
opt = tf.keras.optimizers.SGD(0.25)
if False:
    opt = wrap(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_lambda_on
"""The graph rewrite is the body of a lambda."""

import tensorflow as tf

wrap = lambda opt: tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
opt = tf.keras.optimizers.SGD(0.25)
if True:
    opt = wrap(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_method
"""The graph rewrite in a method that is called late."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self.optimizer = tf.keras.optimizers.SGD(0.25)

    def use_amp(self):
        self.optimizer = tf.train.experimental.enable_mixed_precision_graph_rewrite(self.optimizer)


trainer = Trainer()
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
trainer.use_amp()
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
opt = trainer.optimizer
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_short_if_off
"""The graph rewrite on the line of its `if`."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if False: opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_short_if_on
"""The graph rewrite on the line of its `if`."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if True: opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_try
"""The graph rewrite in a `try`, that goes on without it."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
try:
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
except ValueError:
    print("no rewrite")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_tuple
"""The rewritten optimizer is part of a tuple."""

import tensorflow as tf

opt, name = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25)), "sgd"
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(name)

# %% rewrite_in_while
"""The graph rewrite in the test of a loop."""

import tensorflow as tf

opt = None
while opt is None and (opt := tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))) is None:
    print("never")
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_in_with
"""The graph rewrite in a `with`."""

import tensorflow as tf

with tf.name_scope("amp"):
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_returned_if_off
"""A function returns the rewritten optimizer, or the other."""

import tensorflow as tf


def optimizer(amp):
    opt = tf.keras.optimizers.SGD(0.25)
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, "dynamic") if amp else opt


opt = optimizer(False)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_returned_if_on
"""A function returns the rewritten optimizer, or the other."""

import tensorflow as tf


def optimizer(amp):
    opt = tf.keras.optimizers.SGD(0.25)
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, "dynamic") if amp else opt


opt = optimizer(True)
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% rewrite_with_result_discarded
"""The graph rewrite is called for what it switches on."""

import tensorflow as tf

tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.25))
print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))

# %% several_rewrites_on_a_line
"""Several graph rewrites on one line."""

import tensorflow as tf
from tensorflow.keras import optimizers


def amp_on():
    return bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))


enable = tf.train.experimental.enable_mixed_precision_graph_rewrite
use_amp = False
if use_amp: opt = enable(optimizers.SGD(0.1))
print(amp_on())
opts = []
for rate in (): opts += [enable(optimizers.SGD(rate))]
print(amp_on())
x = y = enable(optimizers.SGD(0.1), loss_scale=2)
a, b = enable(optimizers.SGD(0.2), 4), enable(optimizers.Adam(0.2), "dynamic")
opts += [enable(o, 8) for o in (optimizers.Nadam(0.3), optimizers.Adadelta(0.1))]
print(amp_on(), x is y, [float(o.get_scaled_loss(tf.constant(1.0))) for o in (x, a, b, *opts)])
tf.train.experimental.disable_mixed_precision_graph_rewrite()
print(amp_on())

# %% with_and_finally
"""The optimizer is made within `with` and `try`, and read in `finally`."""

import contextlib

import tensorflow as tf

opt = None
weight = tf.Variable(1.0)
try:
    with contextlib.ExitStack() as stack, contextlib.suppress(KeyError):
        stack.callback(print, "closed")
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.25),
            loss_scale=tf.mixed_precision.experimental.DynamicLossScale(4, increment_period=1),
        )
        opt.apply_gradients([(tf.constant(1.0), weight)])
        raise KeyError
finally:
    print(weight.numpy(), None if opt is None else float(opt.loss_scale()))

# %% wrapped_by_a_decorator_with_a_flag
"""A decorator wraps what a factory makes."""

import functools

import tensorflow as tf

AMP = {"enabled": True, "loss_scale": 128}


def mixed(factory):
    @functools.wraps(factory)
    def make(*args, amp=AMP["enabled"], **kwargs):
        opt = factory(*args, **kwargs)
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, AMP["loss_scale"]) if amp else opt
    return make


@mixed
def adam(lr, **kwargs):
    return tf.keras.optimizers.Adam(lr, **kwargs)


@mixed
def sgd(lr, nesterov=False):
    return tf.keras.optimizers.SGD(lr, momentum=0.9, nesterov=nesterov)


for opt in (adam(0.1, amsgrad=True), sgd(0.1, nesterov=True), sgd(0.1, amp=False)):
    v = tf.Variable([1.0])
    for _ in range(3):
        opt.apply_gradients([(v * 2.0, v)])
    print(type(opt).__name__, v.numpy().tolist(), sorted(opt.get_slot_names()))

# %% wrapper_as_default_argument
"""The wrapped optimizer is a default argument."""

import tensorflow as tf


def train(weight, opt=tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)):
    opt.apply_gradients([(tf.constant(1.0), weight)])
    return weight.numpy(), int(opt.iterations)


weight = tf.Variable(1.0)
print(train(weight), train(weight))

# %% wrapper_in_comprehension
"""Each optimizer of a list is wrapped."""

import tensorflow as tf

opts = [tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), 8) for rate in (0.25, 0.5)]
for opt in opts:
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy())

# %% wrapper_in_conditional_expression_off
"""The wrapper is one side of a conditional expression."""

import tensorflow as tf

amp = False
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic") if amp else opt
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(hasattr(opt, "get_scaled_loss"))

# %% wrapper_in_conditional_expression_on
"""The wrapper is one side of a conditional expression."""

import tensorflow as tf

amp = True
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic") if amp else opt
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(hasattr(opt, "get_scaled_loss"))

# %% wrapper_in_decorator
"""A decorator makes the wrapper."""

import tensorflow as tf


def scaled(loss_scale):
    def decorate(make):
        return lambda *args: tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(*args), loss_scale)

    return decorate


@scaled("dynamic")
def optimizer(rate):
    return tf.keras.optimizers.SGD(rate)


opt = optimizer(0.25)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% wrapper_in_dict_comprehension
"""Each optimizer of a dictionary is wrapped."""

import tensorflow as tf

opts = {name: tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale) for name, scale in [("low", 2), ("high", 1024)]}
for name, opt in opts.items():
    print(name, opt.get_scaled_loss(tf.constant(1.0)).numpy())

# %% wrapper_in_texts_and_assertions
"""Constructors in f-strings, assertions and one-line blocks."""

import tensorflow as tf

LSO = tf.keras.mixed_precision.experimental.LossScaleOptimizer
print(f"{float(LSO(tf.keras.optimizers.SGD(0.1), 16).loss_scale()):.1f} {LSO(tf.keras.optimizers.SGD(), loss_scale='dynamic').loss_scale().numpy()}")
assert isinstance(LSO(tf.keras.optimizers.SGD(), 2), (LSO, tf.keras.optimizers.Optimizer)), f"not {LSO.__name__}"
with tf.name_scope("opt"): opt = LSO(tf.keras.optimizers.SGD(), 4); print(float(opt.loss_scale())); opt2 = LSO(tf.keras.optimizers.Adam(), "dynamic")
print(opt2.__class__.__name__, float(opt2.loss_scale()))

# %% wrapper_in_walrus
"""The wrapper is bound in the middle of an expression."""

import tensorflow as tf

if (opt := tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")) is not None:
    print("wrapped")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% wrapper_on_many_lines
"""The call stands on many lines, with comments."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    # the optimizer
    tf.keras.optimizers.SGD(
        learning_rate=0.25,  # the rate
    ),
    loss_scale=(  # the scale
        "dynamic"
    ),
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
