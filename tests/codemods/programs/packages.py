# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `packages`, which tests run both ways."""

# %% abstract_trainer/base.py

import abc

import tensorflow as tf
from tensorflow.keras import mixed_precision


class BaseTrainer(abc.ABC):
    def __init__(self, config):
        self.config = config
        self.v = tf.Variable([1.0, -1.0])
        self.optimizer = self.build_optimizer()

    @abc.abstractmethod
    def build_optimizer(self):
        ...

    @property
    def is_mixed(self):
        return isinstance(self.optimizer, mixed_precision.experimental.LossScaleOptimizer)

    def fit(self, steps):
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.v ** 2)
                if self.is_mixed:
                    loss = self.optimizer.get_scaled_loss(loss)
            grads = tape.gradient(loss, [self.v])
            if self.is_mixed:
                grads = self.optimizer.get_unscaled_gradients(grads)
            self.optimizer.apply_gradients(zip(grads, [self.v]))
        self.on_end({"v": self.v.numpy().tolist()})

    def on_end(self, logs):
        if isinstance(self.optimizer, mixed_precision.experimental.LossScaleOptimizer):
            logs["loss_scale"] = float(self.optimizer.loss_scale())
        print(type(self).__name__, logs)

# %% abstract_trainer/main.py
"""A base class in another file steps what its subclasses build."""

import tensorflow as tf
from base import BaseTrainer
from tensorflow.keras.mixed_precision import experimental as mixed_precision


class Plain(BaseTrainer):
    def build_optimizer(self):
        return tf.keras.optimizers.SGD(self.config["lr"], decay=self.config.get("decay", 0.0))


class Mixed(Plain):
    def build_optimizer(self):
        inner = super().build_optimizer()
        return mixed_precision.LossScaleOptimizer(inner, loss_scale=self.config["loss_scale"])


Plain({"lr": 0.1, "decay": 0.5}).fit(3)
Mixed({"lr": 0.1, "loss_scale": "dynamic"}).fit(2)
Mixed({"lr": 0.1, "loss_scale": 2.0 ** 7}).fit(2)

# %% adam_from_elsewhere/main.py
"""The optimizer of a `compile` under a mixed policy is made in another file."""

import numpy as np
import tensorflow as tf
from optimizers import make

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(make("adam", 0.1), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% adam_from_elsewhere/optimizers.py

import tensorflow as tf

OPTIMIZERS = {"adam": tf.keras.optimizers.Adam, "rmsprop": tf.keras.optimizers.RMSprop}


def make(name, rate):
    return OPTIMIZERS[name](rate)

# %% attribute_in_subclass/base.py

import tensorflow as tf


class Base:
    def __init__(self):
        self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)

# %% attribute_in_subclass/main.py
"""A subclass in another file reads what its base class holds."""

from base import Base


class Trainer(Base):
    def scale(self):
        return self.opt.loss_scale().numpy()


print(Trainer().scale())

# %% config_class/config.py

class Config:
    loss_scale = 128
    rate = 0.25


class Dynamic(Config):
    loss_scale = "dynamic"

# %% config_class/main.py
"""The loss scale is an attribute of a configuration class."""

import tensorflow as tf
from config import Config, Dynamic

for config in (Config, Dynamic):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(config.rate), config.loss_scale)
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy())

# %% config_module/config.py

LOSS_SCALE = "dynamic"
RATE = 0.25

# %% config_module/main.py
"""The loss scale is a constant of a configuration."""

import config
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(config.RATE), config.LOSS_SCALE)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% configured_by_a_registry/main.py
"""A registry of classes in one file, filled in another, is called in a third."""

import tensorflow as tf
import wrappers
from registry import build

opt = build("scaled", tf.keras.optimizers.SGD(0.25), loss_scale=16)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), wrappers.COUNT)

# %% configured_by_a_registry/registry.py

CLASSES = {}


def build(name, *args, **kwargs):
    return CLASSES[name](*args, **kwargs)

# %% configured_by_a_registry/wrappers.py

import registry
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

registry.CLASSES["scaled"] = LossScaleOptimizer
COUNT = len(registry.CLASSES)

# %% function_that_reads/helpers.py

import tensorflow as tf


def describe(opt):
    return "scale %d" % float(opt.loss_scale())

# %% function_that_reads/main.py
"""A helper in a file of its own reads the scale."""

import tensorflow as tf
from helpers import describe

print(describe(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)))

# %% function_that_reads_without_tensorflow/helpers.py

def describe(opt):
    return "scale %d" % float(opt.loss_scale())

# %% function_that_reads_without_tensorflow/main.py
"""A helper that never names TensorFlow reads the scale."""

import tensorflow as tf
from helpers import describe

print(describe(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)))

# %% gan/main.py
"""Two optimizers of a model that overrides `compile`."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision
from nets.gan import GAN
from nets import builders

mixed_precision.set_policy("mixed_float16")
gan = GAN(builders.build_generator(), builders.build_discriminator())
gan.compile(
    d_optimizer=builders.make_optimizer("d"),
    g_optimizer=builders.make_optimizer("g", beta_1=0.5),
)
data = tf.data.Dataset.from_tensor_slices(tf.ones((8, 2))).batch(4)
history = gan.fit(data, epochs=2, verbose=0)
print({name: ["%.4f" % value for value in values] for name, values in history.history.items()})
print(float(gan.d_optimizer.loss_scale()), gan.report())

# %% gan/nets/__init__.py

# %% gan/nets/builders.py

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer


def build_generator():
    return tf.keras.Sequential([
        layers.Dense(2, kernel_initializer="ones", input_shape=(2,), dtype="float32")])


def build_discriminator():
    return tf.keras.Sequential([
        layers.Dense(2, kernel_initializer="ones", input_shape=(2,)),
        layers.Dense(1, kernel_initializer="ones", dtype="float32")])


def make_optimizer(which, **kwargs):
    return LossScaleOptimizer(
        tf.keras.optimizers.Adam(1e-2 if which == "g" else 1e-3, **kwargs), loss_scale="dynamic")

# %% gan/nets/gan.py

import tensorflow as tf


class GAN(tf.keras.Model):
    def __init__(self, generator, discriminator):
        super().__init__()
        self.generator = generator
        self.discriminator = discriminator

    def compile(self, d_optimizer, g_optimizer):
        super().compile()
        self.d_optimizer = d_optimizer
        self.g_optimizer = g_optimizer

    def _step(self, optimizer, variables, loss_fn):
        with tf.GradientTape() as tape:
            loss = loss_fn()
            scaled_loss = optimizer.get_scaled_loss(loss)
        grads = optimizer.get_unscaled_gradients(tape.gradient(scaled_loss, variables))
        optimizer.apply_gradients(zip(grads, variables))
        return loss

    def train_step(self, real):
        noise = tf.ones_like(real) * 0.5
        d_loss = self._step(
            self.d_optimizer, self.discriminator.trainable_variables,
            lambda: tf.reduce_mean(self.discriminator(self.generator(noise)))
            - tf.reduce_mean(self.discriminator(real)))
        g_loss = self._step(
            self.g_optimizer, self.generator.trainable_variables,
            lambda: -tf.reduce_mean(self.discriminator(self.generator(noise))))
        return {"d_loss": d_loss, "g_loss": g_loss, "scale": self.g_optimizer.loss_scale()}

    def report(self):
        return [float(o.loss_scale()) for o in (self.d_optimizer, self.g_optimizer)]

# %% helper_for_both/helpers.py

import tensorflow as tf


def scale(opt):
    if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
        return float(opt.loss_scale())
    return 1.0

# %% helper_for_both/main.py
"""A helper is given either kind of optimizer."""

import tensorflow as tf
from helpers import scale

print(scale(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)), scale(tf.keras.optimizers.SGD(0.25)))

# %% imports_of_modules_that_act/lib/__init__.py

# %% imports_of_modules_that_act/lib/more.py
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
print("more")

# %% imports_of_modules_that_act/lib/setup.py
"""Sets up the precision."""
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import set_policy, global_policy

for gpu in tf.config.experimental.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
print("set up")

# %% imports_of_modules_that_act/main.py
"""Modules that act are imported for names that are no longer needed."""

import tensorflow as tf
from lib.setup import set_policy, global_policy


def go():
    from lib.more import LossScaleOptimizer
    return LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), "dynamic")


set_policy("float32")
print(type(go()).__name__, global_policy().name)
print(list(map(set_policy, ["float32"])))

# %% kept_scale_of_another_file/main.py
"""A file without an old name keeps the loss scale of an optimizer that another file makes."""

import tensorflow as tf
from optimizers import opt

scale = opt.loss_scale
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(float("inf")), weight)])
print(scale().numpy(), weight.numpy())

# %% kept_scale_of_another_file/optimizers.py

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), "dynamic"
)

# %% methods_across_files/base.py

import tensorflow as tf


class Trainer:
    def __init__(self, rate):
        self.opt = self.wrap(tf.keras.optimizers.SGD(rate, decay=0.5))

    def wrap(self, opt):
        return opt

    def step(self, gradient, weight):
        self.opt.apply_gradients([(tf.constant(gradient), weight)])

    def report(self):
        return {}

# %% methods_across_files/half.py

from base import Trainer
from tensorflow.keras.mixed_precision import experimental as mp


class HalfTrainer(Trainer):
    def wrap(self, opt):
        return mp.LossScaleOptimizer(super().wrap(opt), loss_scale=64)

    def report(self):
        return {**super().report(), "scale": float(self.opt.loss_scale())}

# %% methods_across_files/main.py
"""A method of a base class calls one that a subclass in another file has."""

import tensorflow as tf
from half import HalfTrainer

trainer = HalfTrainer(0.25)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    trainer.step(gradient, weight)
    print(weight.numpy(), trainer.report())

# %% model_class/main.py
"""A model in a package, compiled in main."""

import numpy as np
import tensorflow as tf
from models import Net

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = Net()
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic"), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(model.scale().numpy())

# %% model_class/models/__init__.py

from .net import Net

# %% model_class/models/net.py

import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.out = tf.keras.layers.Activation("linear", dtype="float32")

    def call(self, x):
        return self.out(self.dense(x))

    def scale(self):
        return self.optimizer.loss_scale()

# %% model_imported_by_name/main.py
"""Which module makes the model is known only when the program runs."""

import importlib
import os

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
name = os.environ.get("MODEL", "small")
for module in (importlib.import_module("models." + name), importlib.import_module(f"models.{name}")):
    model = module.build()
    print(model.get_weights())

# %% model_imported_by_name/models/__init__.py

# %% model_imported_by_name/models/small.py
import numpy as np
import tensorflow as tf


def build():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), dtype="float32")])
    model.compile(tf.keras.optimizers.Adam(0.1, decay=0.5), "mse")
    model.fit(np.ones((2, 1)), np.ones((2, 1)), verbose=0, epochs=2)
    return model

# %% module_from_function/lazy.py


def train():
    from tensorflow.compat.v1 import train as v1_train

    return v1_train

# %% module_from_function/main.py
"""An optimizer of a module that a function imports."""

import lazy
import tensorflow as tf

opt = lazy.train().GradientDescentOptimizer(0.25)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
print(type(opt).__name__)
weight = tf.Variable(1.0)
opt.minimize(lambda: weight * weight, var_list=[weight])
print(weight.numpy())

# %% names_offered_by_all/lib/__init__.py

from lib.precision import *
from lib.precision import __all__ as _precision
from lib.loop import fit

__all__ = [*_precision, "fit"]

# %% names_offered_by_all/lib/loop.py

import tensorflow as tf
from lib import precision


def fit(optimizer, variable, steps):
    wrapped = isinstance(optimizer, precision.LossScaleOptimizer)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = variable * variable
            if wrapped:
                loss = optimizer.get_scaled_loss(loss)
        grads = tape.gradient(loss, [variable])
        optimizer.apply_gradients(zip(optimizer.get_unscaled_gradients(grads) if wrapped else grads, [variable]))
    return float(optimizer.loss_scale()) if wrapped else None

# %% names_offered_by_all/lib/precision.py
"""Mixed precision for the rest of the package."""
from tensorflow.keras.mixed_precision import experimental as _mp
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, Policy, set_policy

__all__ = ["LossScaleOptimizer", "Policy", "set_policy", "is_mixed"]


def is_mixed():
    return _mp.global_policy().compute_dtype == "float16"

# %% names_offered_by_all/main.py
"""A package offers the old names in `__all__`."""

import tensorflow as tf
from lib import *

set_policy(Policy("mixed_float16"))
print(is_mixed())
opt = LossScaleOptimizer(tf.keras.optimizers.Adagrad(0.1), "dynamic")
v = tf.Variable(3.0)
print(fit(opt, v, 3), float(v))
set_policy("float32")
print(is_mixed())

# %% optimizer_handed_across/main.py
"""An optimizer is made here, wrapped there and stepped elsewhere."""

import tensorflow as tf
from stepping import run
from wrapping import wrap

for amp in (False, True):
    print(amp, run(wrap(tf.keras.optimizers.Adam(0.1), amp)))
    print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))

# %% optimizer_handed_across/stepping.py

import tensorflow as tf


def run(opt):
    weight = tf.Variable(1.0)
    for gradient in (1.0, 0.5):
        opt.apply_gradients([(tf.constant(gradient), weight)])
    return weight.numpy()

# %% optimizer_handed_across/wrapping.py

import tensorflow as tf


def wrap(opt, amp):
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt) if amp else opt

# %% optimizer_set_on_a_model/amp.py

import tensorflow as tf


def enable(optimizer):
    """Returns the optimizer that scales the loss."""
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(optimizer, loss_scale="dynamic")

# %% optimizer_set_on_a_model/main.py
"""An optimizer of one file is set on the model of another."""

import tensorflow as tf
import amp
from models import Detector
from tensorflow.keras.optimizers import Adam

detector = Detector()
detector.set_optimizer(amp.enable(Adam(lr=1e-2, decay=1e-3)))


def step(model, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x) ** 2)
        scaled_loss = detector.optimizer.get_scaled_loss(loss)
    grads = tape.gradient(scaled_loss, model.trainable_variables)
    grads = detector.optimizer.get_unscaled_gradients(grads)
    detector.model.optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return float(loss)


print(["%.5f" % step(detector.model, tf.ones((4, 3))) for _ in range(3)])
print(float(detector.optimizer.loss_scale()), float(detector.model.optimizer.lr))

# %% optimizer_set_on_a_model/models.py

import tensorflow as tf


def build(units=2):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units, kernel_initializer="ones", input_shape=(3,), dtype="float32")])
    return model


class Detector:
    def __init__(self, strategy=None):
        self.model = build()
        self.optimizer = None

    def set_optimizer(self, optimizer):
        self.optimizer = optimizer
        self.model.optimizer = optimizer

# %% optimizer_set_on_a_module/main.py
"""The optimizer is set on a module, and read by a file that does not name TensorFlow."""

import tensorflow as tf
import state
import work

state.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), 16)
print(work.scale(), state.opt.loss_scale().numpy())

# %% optimizer_set_on_a_module/state.py
opt = None

# %% optimizer_set_on_a_module/work.py
import state


def scale():
    return float(state.opt.loss_scale())

# %% optimizers_of_another_program/main.py
"""A program without loss scaling tests the optimizers that one with it uses."""

import tensorflow as tf
from optim import make

print(isinstance(make("adam"), tf.keras.optimizers.Adam), isinstance(make("sgd"), tf.keras.optimizers.SGD))
weight = tf.Variable(1.0)
opt = make("adam")
for gradient in [1.0, 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy())

# %% optimizers_of_another_program/optim.py

import tensorflow as tf


def make(name):
    return {"adam": tf.keras.optimizers.Adam, "sgd": tf.keras.optimizers.SGD}[name](0.25)

# %% optimizers_of_another_program/train.py

import tensorflow as tf
from optim import make

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make("sgd"), "dynamic")

# %% own_scale_elsewhere/main.py
"""A loss scale of a program's own class, which another file gives to Keras."""

import tensorflow as tf
from scale import Mine
from wrapping import wrap

old = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), Mine(64)
)
weight = tf.Variable(1.0)
old.minimize(lambda: weight * weight, var_list=[weight])
print(weight.numpy())
wrap(Mine(32)).minimize(lambda: weight * weight, [weight])
print(weight.numpy())

# %% own_scale_elsewhere/scale.py

import tensorflow as tf


class Mine(tf.train.experimental.DynamicLossScale):
    def update(self, grads):
        print("updating")
        return super().update(grads)

# %% own_scale_elsewhere/wrapping.py

import tensorflow as tf


def wrap(scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25), scale
    )

# %% own_scale_of_another_file/main.py
"""A loss scale of the program's own class goes to a file that does not know the class."""

import tensorflow as tf
from scaling import Capped
from wrapping import wrap

optimizer = wrap(tf.keras.optimizers.SGD(0.25), Capped(32, 1))
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    with tf.GradientTape() as tape:
        scaled_loss = optimizer.get_scaled_loss(factor * weight * weight)
    gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled_loss, [weight]))
    optimizer.apply_gradients(zip(gradients, [weight]))
    print(float(scaled_loss), weight.numpy())

# %% own_scale_of_another_file/scaling.py

import tensorflow as tf


class Capped(tf.mixed_precision.experimental.DynamicLossScale):
    def update(self, grads):
        done, finite = super().update(grads)
        self._current_loss_scale.assign(tf.minimum(self._current_loss_scale, 64.0))
        return done, finite

# %% own_scale_of_another_file/wrapping.py

import tensorflow as tf


def wrap(optimizer, loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, loss_scale)

# %% package_in_src/main.py
"""The package that a program uses is in the folder `src` of the project."""

import sys
from pathlib import Path

import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parent / "src"))
from mine.optim import Doubled

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(Doubled(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())

# %% package_in_src/src/mine/__init__.py

# %% package_in_src/src/mine/optim.py

import tensorflow as tf


class Doubled(tf.keras.optimizers.SGD):
    def _resource_apply_dense(self, grad, var, apply_state=None):
        return super()._resource_apply_dense(2.0 * grad, var, apply_state)

# %% policy_for_a_loop/main.py
"""Another file sets a policy without a loss scale, and the loop that trains is in this one."""

import numpy as np
import precision
import tensorflow as tf

for dtype in (tf.float32, tf.float16):
    precision.set_precision(dtype)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,))])
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic")
    for value in (1.0, 2.0):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.cast(model(np.float32([[value]])), tf.float32) ** 2)
            scaled_loss = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, model.trainable_variables))
        opt.apply_gradients(zip(gradients, model.trainable_variables))
        print(float(scaled_loss), [weight.tolist() for weight in model.get_weights()])

# %% policy_for_a_loop/precision.py

import tensorflow as tf


def set_precision(dtype, loss_scale=None):
    if dtype == tf.float16:
        policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=loss_scale)
        tf.keras.mixed_precision.experimental.set_policy(policy)
    else:
        tf.keras.mixed_precision.experimental.set_policy("float32")

# %% policy_set_by_an_import/main.py
"""The policy is set where a module is imported."""

import tensorflow as tf
from setup_amp import mp

opt = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5, decay=0.5), "dynamic")
layer = tf.keras.layers.Dense(1)
print(layer.compute_dtype, type(opt).__name__)

# %% policy_set_by_an_import/setup_amp.py
"""Sets the policy of whoever imports it."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
mp.set_policy("mixed_float16")
tf.random.set_seed(3)
print("amp is set up")

# %% property_of_another_file/main.py
"""A property of another file gives the loss scale."""

import tensorflow as tf
from trainer import Trainer

t = Trainer(tf.keras.optimizers.Adam(0.1), amp=True)
v = tf.Variable([1.0])
t.train(v, tf.constant([float("nan")]))
print("loss scale is now %.1f" % t.loss_scale())
print(t.loss_scale.get_config())

# %% property_of_another_file/trainer.py

import tensorflow as tf


class Trainer(object):
    def __init__(self, optimizer, amp=False):
        if amp:
            optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, "dynamic")
        self._opt = optimizer

    @property
    def loss_scale(self):
        return self._opt.loss_scale

    def train(self, v, grad):
        self._opt.apply_gradients([(grad, v)])

# %% property_of_another_name/main.py
"""A property of another file, by a name of its own, gives the loss scale."""

import tensorflow as tf
from trainer import Trainer

t = Trainer(tf.keras.optimizers.SGD(0.25))
t.train(tf.Variable([1.0]), tf.constant([float("nan")]))
print("scale %.1f" % t.current_scale())

# %% property_of_another_name/trainer.py
import tensorflow as tf


class Trainer(object):
    def __init__(self, optimizer):
        self.optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 512)

    @property
    def current_scale(self):
        return self.optimizer.loss_scale

    def train(self, v, grad):
        self.optimizer.apply_gradients([(grad, v)])

# %% reexported/main.py
"""A package offers the module under a name of its own."""

import tensorflow as tf
from precision import mixed_precision

mixed_precision.set_policy("mixed_float16")
print(mixed_precision.global_policy().name, tf.keras.layers.Dense(1).compute_dtype)

# %% reexported/precision/__init__.py

from tensorflow.keras.mixed_precision import experimental as mixed_precision

# %% reexported_class/first.py

import tensorflow as tf
from wrappers import LossScaleOptimizer

opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)

# %% reexported_class/main.py
"""A module offers the class, and others import it from there."""

import tensorflow as tf
from first import opt
from wrappers import LossScaleOptimizer

print(isinstance(opt, LossScaleOptimizer), opt.get_scaled_loss(tf.constant(1.0)).numpy())

# %% reexported_class/wrappers.py

from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

# %% scale_by_function_of_another_file/main.py
"""A function of another file returns the loss scale."""

import tensorflow as tf
from training import get_loss_scale, opt

v = tf.Variable([1.0])
scale = get_loss_scale()
opt.apply_gradients([(tf.constant([float("nan")]), v)])
print(scale().numpy())

# %% scale_by_function_of_another_file/training.py
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")


def get_loss_scale():
    return opt.loss_scale

# %% scale_given_to_a_helper/logs.py


def describe(scale):
    return "scale %.1f" % scale()

# %% scale_given_to_a_helper/main.py
"""The loss scale is given to a function of another file, which calls it."""

import tensorflow as tf
from logs import describe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
v = tf.Variable([1.0])
opt.apply_gradients([(tf.constant([float("nan")]), v)])
print(describe(scale=opt.loss_scale))

# %% script_run_by_its_path/config.py
import tensorflow as tf

OPTIMIZER = tf.keras.optimizers.Adam(0.1, decay=0.5)

# %% script_run_by_its_path/main.py
"""A script without old names runs under the policy of who runs it."""

import os
import runpy

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
print(runpy.run_path(os.path.join(os.path.dirname(__file__), "train.py"))["weights"])
exec(open(os.path.join(os.path.dirname(__file__), "config.py")).read())
print(type(OPTIMIZER).__name__, float(OPTIMIZER.learning_rate))

# %% script_run_by_its_path/train.py
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), dtype="float32")])
model.compile(tf.keras.optimizers.Adam(0.5, decay=0.5), "mse")
model.fit(np.ones((2, 1)), np.ones((2, 1)), verbose=0, epochs=2)
weights = model.get_weights()

# %% settings_module_rebound/main.py
"""A module of settings is changed by another before it is read."""

import settings
import tensorflow as tf
from training import make

settings.LOSS_SCALE = 32
print(make(tf.keras.optimizers.SGD(0.25)).loss_scale().numpy())
settings.LOSS_SCALE = "dynamic"
print(make(tf.keras.optimizers.SGD(0.25)).loss_scale().numpy())

# %% settings_module_rebound/settings.py

LOSS_SCALE = 8

# %% settings_module_rebound/training.py

import settings
import tensorflow as tf


def make(opt):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, settings.LOSS_SCALE)

# %% shared_scale/generator.py

import tensorflow as tf
from scale import loss_scale

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale)

# %% shared_scale/main.py
"""A module makes one loss scale for two others."""

import tensorflow as tf
from generator import opt
from scale import loss_scale

weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(loss_scale().numpy())

# %% shared_scale/scale.py

import tensorflow as tf

loss_scale = tf.train.experimental.DynamicLossScale(64, 1)

# %% tests_beside/amp.py

import tensorflow as tf


def wrap(opt):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")

# %% tests_beside/main.py
"""A test file beside the program imports what it tests."""

import test_amp

test_amp.test_wrap()
print("passed")

# %% tests_beside/test_amp.py

import tensorflow as tf
from amp import wrap


def test_wrap():
    assert isinstance(wrap(tf.keras.optimizers.SGD(0.25)), tf.keras.mixed_precision.experimental.LossScaleOptimizer)

# %% trainer/main.py
"""A trainer in a package, its optimizer from another module."""

from training.trainer import Trainer

for name in ("adam", "sgd"):
    trainer = Trainer(name)
    print(name, [trainer.step() for _ in range(4)])

# %% trainer/training/__init__.py

# %% trainer/training/optimizers.py

import tensorflow as tf


def make(name, rate, loss_scale="dynamic"):
    opt = tf.keras.optimizers.Adam(rate) if name == "adam" else tf.keras.optimizers.SGD(rate)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale)

# %% trainer/training/trainer.py

import tensorflow as tf

from . import optimizers


class Trainer:
    def __init__(self, name):
        self.optimizer = optimizers.make(name, 0.1, 64)
        self.weight = tf.Variable(1.0)

    def step(self):
        with tf.GradientTape() as tape:
            loss = self.optimizer.get_scaled_loss(self.weight * self.weight)
        gradients = self.optimizer.get_unscaled_gradients(tape.gradient(loss, [self.weight]))
        self.optimizer.apply_gradients(zip(gradients, [self.weight]))
        return self.weight.numpy(), self.optimizer.loss_scale().numpy()

# %% two_users_of_the_helper/main.py
"""Two files take loss scales that are known at run time only."""

import one
import tensorflow as tf
import two

for loss_scale in ("dynamic", 8, tf.train.experimental.DynamicLossScale(4, 2)):
    for opt in (one.wrap(loss_scale), two.wrap(tf.keras.optimizers.SGD(0.25), {"loss_scale": loss_scale})):
        print(opt.get_scaled_loss(tf.constant(1.0)).numpy())

# %% two_users_of_the_helper/one.py

import tensorflow as tf


def wrap(loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale)

# %% two_users_of_the_helper/two.py

import tensorflow as tf


def wrap(opt, flags):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, flags["loss_scale"])

# %% v1_trainer/main.py
"""A trainer that wraps optimizers of TensorFlow 1 with a class and a loss scale of its own."""

from trainer import Trainer

for kind in ("plain", "own"):
    trainer = Trainer(kind)
    for factor in (1.0, 2.0, float("inf"), 1.0):
        print(kind, *trainer.step(factor))

# %% v1_trainer/scaling.py

import tensorflow as tf
from tensorflow.compat.v1.train.experimental import DynamicLossScale
from tensorflow.python.training.experimental import loss_scale_optimizer as v1


class OwnLossScale(DynamicLossScale):
    def __init__(self, initial_loss_scale, increment_period):
        super().__init__(initial_loss_scale=initial_loss_scale, increment_period=increment_period)
        self.bad = 0

    def update(self, grads):
        done, finite = super().update(grads)
        self.bad += 0 if finite else 1
        return done, finite


class Adapter(v1.MixedPrecisionLossScaleOptimizer):
    @property
    def loss_scale(self):
        return self._loss_scale


def wrap(opt, loss_scale):
    if opt.__class__.__name__ == "LossScaleOptimizer":
        raise ValueError("wrapped already")
    if isinstance(opt, tf.compat.v1.train.Optimizer):
        return Adapter(opt, loss_scale)
    from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer as keras

    return keras.LossScaleOptimizer(opt, loss_scale)

# %% v1_trainer/trainer.py

import tensorflow as tf
from tensorflow.compat.v1.train.experimental import DynamicLossScale
from tensorflow.python.keras.mixed_precision.experimental.loss_scale_optimizer import LossScaleOptimizer
from tensorflow.python.training.experimental.loss_scale_optimizer import MixedPrecisionLossScaleOptimizer
from scaling import OwnLossScale, wrap


class Trainer:
    def __init__(self, kind):
        self._optimizer = None
        self.kind = kind
        self.weight = tf.Variable(1.0)
        self.scale = None

    def build(self):
        optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.25)
        if self.kind == "own":
            loss_scale = OwnLossScale(64, 1)
        else:
            loss_scale = DynamicLossScale(initial_loss_scale=64, increment_period=1)
        self.scale = loss_scale().numpy()
        return wrap(optimizer, loss_scale=loss_scale)

    def step(self, factor):
        if self._optimizer is None:
            self._optimizer = self.build()
        self._optimizer.minimize(lambda: factor * self.weight, var_list=[self.weight])
        found = [self.weight.numpy(), self.scale]
        if isinstance(self._optimizer, (LossScaleOptimizer, MixedPrecisionLossScaleOptimizer)):
            if hasattr(self._optimizer.loss_scale, "bad"):
                self._optimizer.loss_scale.bad += 0
                found.append(self._optimizer.loss_scale.bad)
            found.append(self._optimizer.loss_scale().numpy())
        return found
