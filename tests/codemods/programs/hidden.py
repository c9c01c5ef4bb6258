# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `hidden`, which tests run both ways."""

# %% chosen_class_is_called
"""One of two things is chosen, and called."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
for half in [True, False]:
    opt = (mp.LossScaleOptimizer if half else lambda opt, scale: opt)(
        tf.keras.optimizers.SGD(0.25), 8
    )
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(weight.numpy(), hasattr(opt, "loss_scale"))

# %% class_attribute
"""A class's attribute holds the optimizer."""

import tensorflow as tf


class Trainer:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)

    def scale(self):
        return self.opt.loss_scale().numpy()


print(Trainer().scale(), Trainer.opt.loss_scale().numpy())

# %% class_derived_at_run_time
"""A function derives a class from the one of the optimizer it is given, as Horovod does."""

import tensorflow as tf


def counting(optimizer):
    class Counting(tf.keras.optimizers.Optimizer):
        def __init__(self, **kwargs):
            self._calls = 0
            super(self.__class__, self).__init__(**kwargs)

        def apply_gradients(self, *args, **kwargs):
            self._calls += 1
            return super(self.__class__, self).apply_gradients(*args, **kwargs)

    cls = type(optimizer.__class__.__name__, (optimizer.__class__,), dict(Counting.__dict__))
    return cls.from_config(optimizer.get_config())


opt = counting(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt._calls)

# %% code_behind_a_function
"""The text that is run comes from a function."""

import textwrap
import tensorflow as tf

code = textwrap.dedent("""
    mp = tf.keras.mixed_precision.experimental
    mp.set_policy("mixed_float16")
""")
ns = {"tf": tf}
exec(code, ns)
print(ns["mp"].global_policy().name)

# %% code_in_a_template
"""A template is filled, and run under another name."""

import tensorflow as tf

TEMPLATE = "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD({lr}), {scale!r})"
run = exec
run(TEMPLATE.format(lr=0.1, scale=8))
print(opt.loss_scale().numpy())

# %% code_in_an_f_string
"""An f-string is run."""

import tensorflow as tf

scale = 8
exec(f"opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), {scale})")
print(opt.loss_scale().numpy())

# %% dictionary_of_the_module
"""Old names are looked up in the dictionary of their module."""

import tensorflow as tf

mp = vars(tf.keras.mixed_precision)["experimental"]
mp.set_policy("mixed_float16")
print(tf.keras.mixed_precision.__dict__["experimental"].global_policy().name)

# %% eval_of_text
"""The read stands in a string."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(eval("float(opt.get_scaled_loss(tf.constant(1.0)))"))

# %% function_of_the_module_is_replaced
"""A function of the old module is replaced by one that calls it."""

import tensorflow as tf

real = tf.keras.mixed_precision.experimental.set_policy


def logged(name):
    print("set", name)
    return real(name)


tf.keras.mixed_precision.experimental.set_policy = logged
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
print(tf.keras.mixed_precision.experimental.global_policy().name)

# %% getattr_name
"""The attribute's name is in a variable."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
for name in ("loss_scale", "learning_rate"):
    value = getattr(opt, name)
    print(name, float(value() if callable(value) else value))

# %% globals_table
"""The optimizer is looked up among the global names."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(globals()["opt"].loss_scale().numpy())

# %% in_dataclass
"""The optimizer is a field of a dataclass."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass
class State:
    optimizer: tf.keras.optimizers.Optimizer
    step: int = 0


state = State(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64))
print(state.optimizer.loss_scale().numpy())

# %% in_dict
"""The optimizers are held in a dictionary."""

import tensorflow as tf

opts = {"generator": tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)}
opts["discriminator"] = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 128)
print(opts["generator"].loss_scale().numpy())
print([opt.loss_scale().numpy() for opt in opts.values()])

# %% in_list
"""The optimizers are held in a list."""

import tensorflow as tf

opts = [tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)]
opts.append(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic"))
for opt in opts:
    print(opt.loss_scale().numpy())
print(opts[0].loss_scale().numpy(), opts[-1].loss_scale().numpy())

# %% in_namedtuple
"""The optimizer is a field of a named tuple."""

import collections

import tensorflow as tf

State = collections.namedtuple("State", "step optimizer")
state = State(0, tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64))
print(state.optimizer.loss_scale().numpy(), state[1].loss_scale().numpy())

# %% inner_optimizer
"""The wrapped optimizer is read by its private name."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(type(opt._optimizer).__name__, float(opt._optimizer.learning_rate))

# %% kwargs_of_a_factory
"""A factory takes the class and its keyword arguments."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def make(cls, *args, **kwargs):
    return cls(*args, **kwargs)


opt = make(mp.LossScaleOptimizer, tf.keras.optimizers.SGD(0.5), loss_scale=8)
print(float(opt.get_scaled_loss(tf.constant(1.0))))

# %% made_by_a_default_factory
"""A dataclass makes the optimizer, and reads its loss scale."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass
class Training:
    rate: float = 0.25
    opt: object = dataclasses.field(
        default_factory=lambda: tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(8, 1)
        )
    )

    @property
    def scale(self):
        return self.opt.loss_scale().numpy()


training = Training()
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    training.opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), training.scale)

# %% made_by_lambda
"""A lambda makes the optimizer."""

import tensorflow as tf

make = lambda scale: tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
opt = make(64)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(opt.loss_scale().numpy())

# %% map_of_optimizers
"""Optimizers go through `map`."""

import tensorflow as tf

opts = map(lambda scale: tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale), (2, 4))
print([opt.loss_scale().numpy() for opt in opts])

# %% match_by_class
"""A match statement asks for the class, and for the kind of loss scale."""

import tensorflow as tf


def describe(opt):
    match opt:
        case tf.keras.mixed_precision.experimental.LossScaleOptimizer():
            return "scaled"
        case tf.keras.optimizers.SGD():
            return "plain"
        case _:
            return "other"


def scale_of(config):
    match config:
        case {"loss_scale": "dynamic"}:
            return "dynamic"
        case {"loss_scale": int() as number}:
            return number
    return None


for config in [{"loss_scale": "dynamic"}, {"loss_scale": 32}, {}]:
    opt = tf.keras.optimizers.SGD(0.25)
    if scale_of(config):
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale_of(config))
    print(describe(opt), opt.loss_scale().numpy() if describe(opt) == "scaled" else None)

# %% mocked_old_names
"""Mocks take the place of old names, by their string and by their module."""

from unittest import mock

import tensorflow as tf


def setup(name):
    tf.keras.mixed_precision.experimental.set_policy(name)
    return tf.keras.mixed_precision.experimental.global_policy().name


with mock.patch.object(tf.keras.mixed_precision.experimental, "set_policy") as faked:
    print(setup("mixed_float16"), faked.call_args)
with mock.patch("tensorflow.keras.mixed_precision.experimental.set_policy") as faked:
    print(setup("mixed_float16"), faked.call_count)
print(setup("mixed_bfloat16"))

# %% named_by_operators
"""The loss scale is asked for through `operator` and `functools`."""

import functools
import operator

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(float(operator.methodcaller("loss_scale")(opt)))
print(float(operator.attrgetter("loss_scale")(opt)()))
print(float(functools.reduce(getattr, ["loss_scale"], opt)()))

# %% optimizer_of_a_keras_tuner_like_builder
"""A builder takes hyperparameters, and returns a compiled model; another function reads it."""

import numpy as np
import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


class Choice(dict):
    def choice(self, name, values):
        return self.get(name, values[0])


def build(hp):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
    opt = getattr(tf.keras.optimizers, hp.choice("optimizer", ["Adam", "SGD"]))(hp.choice("lr", [0.1]))
    model.compile(optimizer=mp.LossScaleOptimizer(opt, hp.choice("scale", ["dynamic", 8])), loss="mse")
    return model


for chosen in (Choice(), Choice(optimizer="SGD", scale=8)):
    model = build(chosen)
    model.fit(np.ones((4, 2)), np.zeros(4), verbose=0)
    print([w.tolist() for w in model.get_weights()])

# %% optimizer_of_a_trainer_property
"""An optimizer is made lazily behind a property, and wrapped there."""

import functools

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec


class Trainer:
    def __init__(self, name, **options):
        self.name, self.options = name, options

    @functools.lru_cache(maxsize=None)
    def _make(self):
        made = {"adam": tf.keras.optimizers.Adam, "sgd": tf.keras.optimizers.SGD}[self.name]
        return prec.LossScaleOptimizer(made(**self.options), loss_scale="dynamic")

    optimizer = property(_make)


trainer = Trainer("adam", learning_rate=0.5, decay=0.5)
var = tf.Variable(1.0)
for gradient in (1.0, float("inf"), 2.0):
    trainer.optimizer.apply_gradients([(tf.constant(gradient), var)])
    print(var.numpy(), float(trainer.optimizer.loss_scale()))

# %% own_class_set_from_outside
"""An object of the program's own takes the optimizer's place."""

import tensorflow as tf


class Mine:
    def loss_scale(self):
        return tf.constant(3.0)


class Trainer:
    def __init__(self):
        self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)

    def scale(self):
        return self.opt.loss_scale().numpy()


trainer = Trainer()
print(trainer.scale())
trainer.opt = Mine()
print(trainer.scale())

# %% own_private_optimizer
"""A class of the program's own has such a private name."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self._optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)


trainer = Trainer()
print(float(trainer._optimizer.loss_scale()), type(trainer._optimizer._optimizer).__name__)

# %% passed_as_o
"""A function's parameter, `o`, holds the optimizer."""

import tensorflow as tf


def scale_of(o):
    return o.loss_scale().numpy()


print(scale_of(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)))

# %% passed_as_opt
"""A function's parameter, `opt`, holds the optimizer."""

import tensorflow as tf


def scale_of(opt):
    return opt.loss_scale().numpy()


print(scale_of(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)))

# %% passed_as_solver
"""A function's parameter, `solver`, holds the optimizer."""

import tensorflow as tf


def scale_of(solver):
    return solver.loss_scale().numpy()


print(scale_of(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)))

# %% passed_as_x
"""A function's parameter, `x`, holds the optimizer."""

import tensorflow as tf


def scale_of(x):
    return x.loss_scale().numpy()


print(scale_of(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)))

# %% proxy_with_getattr
"""An object hands attributes on to the optimizer in it."""

import tensorflow as tf


class Proxy:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


opt = Proxy(
    tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
)
print(float(opt.loss_scale()), type(opt._optimizer).__name__)

# %% rebound
"""The name holds a plain optimizer first, and again afterwards."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
plain = opt
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 64)
print(opt.loss_scale().numpy())
opt = plain
print(hasattr(opt, "loss_scale"))

# %% registry_of_makers
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

# %% set_by_setattr
"""A class that delegates to the optimizer, set by setattr."""

import tensorflow as tf


class AMP:
    """Delegates to the wrapped optimizer."""

    def __init__(self, opt):
        self._opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")

    def __getattr__(self, name):
        return getattr(self._opt, name)

    def scale(self, loss):
        return loss * self.loss_scale()


class Bag:
    pass


bag = Bag()
for name, rate in (("g", 0.1), ("d", 0.2)):
    setattr(bag, name + "_opt", AMP(tf.keras.optimizers.SGD(rate)))
print(float(bag.g_opt.loss_scale()), float(bag.d_opt.scale(2.0)), float(bag.d_opt.lr))

# %% set_from_outside
"""The attribute is set from outside of the class."""

import tensorflow as tf


class Trainer:
    opt = None

    def scale(self):
        return self.opt.loss_scale().numpy()


trainer = Trainer()
trainer.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(trainer.scale())

# %% single_dispatch
"""Functions are registered for the classes."""

import functools

import tensorflow as tf


@functools.singledispatch
def describe(opt):
    return "unknown"


@describe.register(tf.keras.optimizers.SGD)
def _(opt):
    return "sgd"


@describe.register(tf.keras.mixed_precision.experimental.LossScaleOptimizer)
def _(opt):
    return f"scaled by {float(opt.loss_scale()):.0f}"


inner = tf.keras.optimizers.SGD(0.25)
print(describe(inner))
print(describe(tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, 8)))

# %% star_import_of_others/main.py
"""A star import brings other names only."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
from mylib import *

opt = LossScaleOptimizer(tf.keras.optimizers.SGD(RATE), 8)
print(opt.loss_scale().numpy())

# %% star_import_of_others/mylib.py

RATE = 0.25

# %% star_import_of_own_class/main.py
"""A later star import brings a class of that name."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
from mylib import *

print(LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8).loss_scale)

# %% star_import_of_own_class/mylib.py

class LossScaleOptimizer:
    def __init__(self, opt, loss_scale):
        self.loss_scale = loss_scale

# %% subclass_made_by_type
"""A subclass is made by calling type."""

import tensorflow as tf

Base = tf.keras.mixed_precision.experimental.LossScaleOptimizer
Mine = type("Mine", (Base,), {"describe": lambda self: f"{float(self.loss_scale()):.0f}"})
opt = Mine(tf.keras.optimizers.SGD(0.25), 64)
print(opt.describe(), isinstance(opt, Base))

# %% table_of_classes_is_called
"""A class is taken from a table, and called."""

import tensorflow as tf

WRAP = {
    True: tf.keras.mixed_precision.experimental.LossScaleOptimizer,
    False: lambda opt, scale: opt,
}
for half in [True, False]:
    opt = WRAP[half](tf.keras.optimizers.SGD(0.25), 8)
    weight = tf.Variable(1.0)
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(weight.numpy(), hasattr(opt, "loss_scale"))

# %% table_of_lambdas_in_another_file/main.py
"""A table in another file has lambdas that make the optimizers."""

import tensorflow as tf
from registry import OPTIMIZERS

for name in ["half", "full"]:
    opt = OPTIMIZERS[name]()
    weight = tf.Variable(1.0)
    for gradient in [1.0, 0.5]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(name, weight.numpy(), int(opt.iterations))
    if hasattr(opt, "loss_scale"):
        print(opt.loss_scale().numpy())

# %% table_of_lambdas_in_another_file/registry.py

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
OPTIMIZERS = {
    "half": lambda: mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, decay=0.5), 64),
    "full": lambda: tf.keras.optimizers.SGD(0.25, decay=0.5),
}

# %% through_closure
"""A nested function reads the optimizer."""

import tensorflow as tf


def make():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)

    def scale():
        return opt.loss_scale().numpy()

    return opt, scale


opt, scale = make()
print(scale())

# %% through_dict_of_the_object
"""The loss scale is taken from the dictionary of the object."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
print(float(vars(opt)["_loss_scale"]()))
print(float(opt.__dict__["_loss_scale"]()))

# %% through_model
"""The optimizer is read from a compiled model."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), 64), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(model.optimizer.loss_scale().numpy())

# %% tuple_returned
"""A function returns the optimizer with other things."""

import tensorflow as tf


def make():
    return tf.Variable(1.0), tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)


weight, opt = make()
opt.apply_gradients([(tf.constant(1.0), weight)])
print(weight.numpy(), opt.loss_scale().numpy())

# %% unscaled_by_hand
"""A loop scales by hand, if the optimizer has a loss scale."""

import tensorflow as tf


def scale_of(opt):
    return getattr(opt, "loss_scale", None)


def train(opt, v):
    ls = scale_of(opt)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v ** 2)
        if ls is not None:
            loss = loss * ls()
    (g,) = tape.gradient(loss, [v])
    if ls:
        g /= ls()
    opt.apply_gradients([(g, v)])


for opt in (tf.keras.optimizers.SGD(0.1),
            tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), 16)):
    v = tf.Variable([1.0, -1.0])
    train(opt, v)
    print(v.numpy().tolist())

# %% vars_of_arguments
"""The optimizer is put into a namespace of arguments, and read from there."""

import argparse

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--loss_scale", default=64.0, type=float)
parser.add_argument("--fp16", action="store_true", default=True)
args = parser.parse_args([])
args.optimizer = tf.keras.optimizers.Adam(0.1)
if args.fp16:
    args.optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        args.optimizer, args.loss_scale
    )
weight = tf.Variable(1.0)
args.optimizer.apply_gradients([(weight * 64.0, weight)])
print(args.loss_scale, weight.numpy(), float(vars(args)["optimizer"].loss_scale()))

# %% wrapped_by_a_decorator
"""A decorator wraps what a function makes."""

import functools

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp


def scaled(scale):
    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            return mp.LossScaleOptimizer(function(*args, **kwargs), scale)

        return wrapped

    return decorate


@scaled(16)
def make(rate):
    return tf.keras.optimizers.SGD(rate)


opt = make(0.25)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), type(opt).__name__)

# %% wrapped_by_reduce
"""A list of functions wraps the optimizer."""

import functools

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
wrappers = [lambda o: o, functools.partial(mp.LossScaleOptimizer, loss_scale=32)]
opt = functools.reduce(lambda o, w: w(o), wrappers, tf.keras.optimizers.SGD(0.1, momentum=0.5))
head, *rest = [opt, None]
print(float(head.loss_scale()), rest, float(opt.get_scaled_loss(tf.constant(0.5))))

# %% zip_of_optimizers
"""Optimizers go through `zip` and `enumerate`."""

import tensorflow as tf

opts = [tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale) for scale in (2, 4)]
for number, (opt, name) in enumerate(zip(opts, "ab")):
    print(number, name, opt.loss_scale().numpy())
