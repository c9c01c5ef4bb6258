# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `imports`, which tests run both ways."""

# %% alias_offered_by_a_package/main.py
"""A package offers the old module under a short name."""

import mypackage
import tensorflow as tf
from mypackage.training import make

mypackage.mp.set_policy("float32")
opt = make(mypackage.mp.LossScaleOptimizer, tf.keras.optimizers.SGD(0.25))

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), mypackage.mp.global_policy().name)

# %% alias_offered_by_a_package/mypackage/__init__.py

from tensorflow.keras.mixed_precision import experimental as mp

# %% alias_offered_by_a_package/mypackage/training.py

from . import mp


def make(wrapper, opt):
    return wrapper(opt, 16) if wrapper is not mp.Policy else None

# %% alias_on_self
"""The module is an attribute of an object."""

import tensorflow as tf


class Precision:
    def __init__(self):
        self._mp = tf.keras.mixed_precision.experimental

    def wrap(self, opt):
        return self._mp.LossScaleOptimizer(opt, 64)


opt = Precision().wrap(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% aligned_in_brackets
"""Names in brackets are aligned, and classes wrap what a method makes."""

import abc
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import (LossScaleOptimizer as _LSO,
                                                           set_policy as _set,
                                                           Policy)


class Base(abc.ABC):
    policy: "Policy" = Policy("mixed_float16")
    opt_cls: "type[_LSO]"

    @property
    @abc.abstractmethod
    def optimizer(self) -> "_LSO": ...

    @staticmethod
    def wrap(o: "tf.keras.optimizers.Optimizer", s: "str | float" = "dynamic") -> "_LSO":
        return _LSO(o, s)


class Impl(Base):
    @property
    def optimizer(self):
        if not hasattr(self, "_o"):
            self._o = self.wrap(tf.keras.optimizers.Nadam(0.5), 4.0)
        return self._o


i = Impl()
_set(i.policy)
v = tf.Variable(1.0)
i.optimizer.apply_gradients([(tf.constant(1.0), v)])
print(v.numpy(), i.optimizer.loss_scale().numpy(), isinstance(i.optimizer, _LSO))

# %% annotations
"""The classes stand in annotations."""

from typing import Optional

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, Policy


def step(opt: LossScaleOptimizer, policy: Optional[Policy] = None) -> "LossScaleOptimizer":
    print(opt.get_scaled_loss(tf.constant(2.0)).numpy(), policy is None)
    return opt


step(LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8))

# %% assigned_module_policy
"""A policy, by one way to import it: assigned module."""

import tensorflow as tf
mp = tf.keras.mixed_precision.experimental

mp.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% assigned_module_wrapper
"""The wrapper, by one way to import it: assigned module."""

import tensorflow as tf
mp = tf.keras.mixed_precision.experimental

opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% assigned_names_policy
"""A policy, by one way to import it: assigned names."""

import tensorflow as tf
Wrapper = tf.keras.mixed_precision.experimental.LossScaleOptimizer
set_policy = tf.keras.mixed_precision.experimental.set_policy

set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% assigned_names_wrapper
"""The wrapper, by one way to import it: assigned names."""

import tensorflow as tf
Wrapper = tf.keras.mixed_precision.experimental.LossScaleOptimizer
set_policy = tf.keras.mixed_precision.experimental.set_policy

opt = Wrapper(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% built_in_import
"""The module comes from `__import__`, and names from `globals`."""

tf = __import__("tensorflow")
mp = __import__("tensorflow.keras.mixed_precision", fromlist=["experimental"]).experimental
opt = globals()["mp"].LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
print(float(opt.loss_scale()))

# %% chosen_by_the_environment
"""What is imported is chosen by a variable of the environment."""

import os

import tensorflow as tf

if os.environ.get("NO_HALF_PRECISION"):
    mp = None
else:
    import tensorflow.keras.mixed_precision.experimental as mp

opt = tf.keras.optimizers.SGD(0.25)
if mp is not None:
    mp.set_policy("float32")
    opt = mp.LossScaleOptimizer(opt, "dynamic")

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy() if mp else None)

# %% compat_v1_keras_policy
"""A policy, by one way to import it: compat v1 keras."""

import tensorflow as tf


tf.compat.v1.keras.mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% compat_v1_keras_wrapper
"""The wrapper, by one way to import it: compat v1 keras."""

import tensorflow as tf


opt = tf.compat.v1.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% compat_v2
"""TensorFlow is imported as compat.v2."""

import tensorflow.compat.v2 as tf
import tensorflow.keras as K

K.mixed_precision.experimental.set_policy("float32")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(K.optimizers.SGD(0.25, decay=0.5), 8)
weight = tf.Variable(1.0)
for gradient in [1.0, 2.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
print(weight.numpy(), opt.loss_scale().numpy(), K.mixed_precision.experimental.global_policy().name)

# %% compat_v2_and_future
"""The spelling of the official models: compat.v2 under the name tf, and imports from the future."""

from __future__ import absolute_import, division, print_function

import tensorflow.compat.v2 as tf

tf.compat.v2.keras.mixed_precision.experimental.set_policy("mixed_float16")
opt = tf.compat.v1.mixed_precision
print(opt is not None)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.compat.v2.keras.optimizers.Adam(0.1), 8)
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(8.0), weight)])
print(weight.numpy(), tf.keras.mixed_precision.experimental.global_policy().name)
tf.keras.backend.clear_session()

# %% dynamic_import
"""The module is imported by its name in a string."""

import importlib

import tensorflow as tf

mp = importlib.import_module("tensorflow.keras.mixed_precision.experimental")
opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% from_keras_policy
"""A policy, by one way to import it: from keras."""

import tensorflow as tf
from tensorflow import keras

keras.mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% from_keras_wrapper
"""The wrapper, by one way to import it: from keras."""

import tensorflow as tf
from tensorflow import keras

opt = keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% import_as_policy
"""A policy, by one way to import it: import as."""

import tensorflow as tf
import tensorflow.keras.mixed_precision.experimental as mp

mp.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% import_as_wrapper
"""The wrapper, by one way to import it: import as."""

import tensorflow as tf
import tensorflow.keras.mixed_precision.experimental as mp

opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% in_function_under_try
"""The import is in a function, under a name that the module has already."""

import tensorflow as tf
from tensorflow.keras import mixed_precision


def enable(name):
    try:
        from tensorflow.keras.mixed_precision import experimental as mixed_precision
    except ImportError:
        mixed_precision = None
    if mixed_precision is not None:
        mixed_precision.set_policy(mixed_precision.Policy(name))
        return True
    return False


print(enable("mixed_float16"), mixed_precision.experimental.global_policy().name)

# %% inside_function
"""The import stands in the function that needs it."""

import tensorflow as tf


def wrapped(opt, precision):
    if precision == 16:
        from tensorflow.keras.mixed_precision import experimental as prec

        opt = prec.LossScaleOptimizer(opt, "dynamic")
    return opt


opt = wrapped(tf.keras.optimizers.SGD(0.25), 16)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% laid_out_by_black
"""A file that Black has laid out."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import (
    LossScaleOptimizer,
    Policy,
    global_policy,
    set_policy,
)


def make_the_optimizer_of_the_model(learning_rate, momentum, clipnorm, nesterov=False):
    """Returns the optimizer."""
    return LossScaleOptimizer(
        tf.keras.optimizers.SGD(
            learning_rate, momentum, nesterov=nesterov, clipnorm=clipnorm
        ),
        loss_scale=tf.mixed_precision.experimental.DynamicLossScale(
            initial_loss_scale=2 ** 15, increment_period=2000
        ),
    )


set_policy(
    Policy("mixed_float16", loss_scale="dynamic")
)  # The global one, for all the layers.
optimizer = make_the_optimizer_of_the_model(0.1, 0.9, clipnorm=1.0)
print(global_policy().name, float(optimizer.loss_scale()), optimizer._optimizer.clipnorm)
short = LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.1), loss_scale="dynamic"
)
print(type(short).__name__)

# %% lazy_attribute_of_a_module/lazy.py

import importlib


def __getattr__(name):
    if name == "precision":
        return importlib.import_module("tensorflow.keras.mixed_precision.experimental")
    raise AttributeError(name)

# %% lazy_attribute_of_a_module/main.py
"""A module of the project imports the old module when it is asked for."""

import tensorflow as tf
import lazy

lazy.precision.set_policy("float32")
opt = lazy.precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy())

# %% look_alike
"""A library of the program's own has classes of these names."""

import types

import tensorflow as tf


class LossScaleOptimizer:
    def __init__(self, opt, loss_scale):
        self.loss_scale = lambda: loss_scale


apex = types.SimpleNamespace(experimental=types.SimpleNamespace(LossScaleOptimizer=LossScaleOptimizer))
print(apex.experimental.LossScaleOptimizer(None, 8).loss_scale())
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 16)
print(opt.loss_scale().numpy())

# %% module_as_mixed_precision_policy
"""A policy, by one way to import it: module as mixed precision."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

mixed_precision.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% module_as_mixed_precision_wrapper
"""The wrapper, by one way to import it: module as mixed precision."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

opt = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% module_as_prec_policy
"""A policy, by one way to import it: module as prec."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

prec.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% module_as_prec_wrapper
"""The wrapper, by one way to import it: module as prec."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

opt = prec.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% module_by_a_joined_name
"""The name of the module is put together."""

import importlib
import tensorflow as tf

ROOT = "tensorflow.keras.mixed_precision"
mp = importlib.import_module(ROOT + ".experimental")
mp.set_policy("mixed_bfloat16")
print(mp.global_policy().compute_dtype)

# %% module_by_an_f_string
"""The name of the module is an f-string."""

import importlib
import tensorflow as tf

part = "mixed_precision"
mp = importlib.import_module(f"tensorflow.keras.{part}.experimental")
mp.set_policy("mixed_bfloat16")
print(mp.global_policy().compute_dtype)

# %% modules_by_importlib
"""The module is imported by its name."""

import importlib

import tensorflow as tf

mp = importlib.import_module("tensorflow.keras.mixed_precision.experimental")
opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), "dynamic")
print(float(opt.loss_scale()))

# %% names_in_type_hints
"""Old names stand in type variables, casts and annotations that are strings."""

from __future__ import annotations

import typing

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

T = typing.TypeVar("T", bound="tf.keras.mixed_precision.experimental.LossScaleOptimizer")
Scales = typing.Dict[str, "tf.train.experimental.LossScale"]


def wrap(opt: tf.keras.optimizers.Optimizer, scale: typing.Union[int, str]) -> "LossScaleOptimizer":
    made: typing.Optional["LossScaleOptimizer"] = None
    made = LossScaleOptimizer(opt, scale)
    return typing.cast("LossScaleOptimizer", made)


def same(opt: T) -> T:
    return opt


opt = same(wrap(tf.keras.optimizers.SGD(0.25), 8))
print(sorted(wrap.__annotations__), T.__bound__ is not None)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy())

# %% names_policy
"""A policy, by one way to import it: names."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, set_policy

set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% names_renamed_policy
"""A policy, by one way to import it: names renamed."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer as LSO
from tensorflow.keras.mixed_precision.experimental import set_policy as use

use("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% names_renamed_wrapper
"""The wrapper, by one way to import it: names renamed."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer as LSO
from tensorflow.keras.mixed_precision.experimental import set_policy as use

opt = LSO(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% names_wrapper
"""The wrapper, by one way to import it: names."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, set_policy

opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% parent_module_policy
"""A policy, by one way to import it: parent module."""

import tensorflow as tf
from tensorflow.keras import mixed_precision

mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% parent_module_wrapper
"""The wrapper, by one way to import it: parent module."""

import tensorflow as tf
from tensorflow.keras import mixed_precision

opt = mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% private_and_public_together
"""Private and public names of the same classes."""

import tensorflow as tf
from tensorflow.keras import mixed_precision
from tensorflow.keras.mixed_precision import experimental as prec
from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer as lso
from tensorflow.python.training.experimental.loss_scale import DynamicLossScale, FixedLossScale

prec.set_policy("mixed_float16")
opt = lso.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), FixedLossScale(64))
other = prec.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), DynamicLossScale())
print(isinstance(opt, prec.LossScaleOptimizer), isinstance(other, lso.LossScaleOptimizer))
print(float(opt.loss_scale()), float(other.loss_scale()), mixed_precision.experimental.global_policy().name)
prec.set_policy("float32")

# %% private_loss_scale
"""The loss scale classes from TensorFlow's private module."""

import tensorflow as tf
from tensorflow.python.training.experimental import loss_scale as loss_scale_module

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale_module.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% private_module_policy
"""A policy, by one way to import it: private module."""

import tensorflow as tf
from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer as lso
from tensorflow.python.keras.mixed_precision.experimental import policy

policy.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)

# %% private_module_wrapper
"""The wrapper, by one way to import it: private module."""

import tensorflow as tf
from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer as lso
from tensorflow.python.keras.mixed_precision.experimental import policy

opt = lso.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale="dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% private_others
"""Other names of the private module."""

import tensorflow as tf
from tensorflow.python.keras.mixed_precision.experimental import autocast_variable

print(hasattr(autocast_variable, "AutoCastVariable"))

# %% rebound_to_its_part
"""The name of the module stands for its part later."""

from tensorflow.keras import mixed_precision as mp, optimizers as opts

mp = mp.experimental
policy = mp.Policy("mixed_float16")
mp.set_policy(policy)
LSO = mp.LossScaleOptimizer
opt = LSO(opts.SGD(0.5), 2.0 ** 4)
print(mp.global_policy().name, opt.loss_scale().numpy())

# %% resolved_by_pkgutil
"""The path of the class has a colon."""

import pkgutil
import tensorflow as tf

Policy = pkgutil.resolve_name("tensorflow.keras.mixed_precision.experimental:Policy")
print(Policy("mixed_float16").name)

# %% star
"""A star import brings the names."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import *

opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% star_of_a_module_with_all/main.py
"""A star import of the project, with `__all__`, brings in the old names."""

import tensorflow as tf
from precision import *

setup()
opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), DynamicLossScale(16, 1))

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), global_policy().name)

# %% star_of_a_module_with_all/precision.py

from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, global_policy, set_policy
from tensorflow.train.experimental import DynamicLossScale

__all__ = ["DynamicLossScale", "LossScaleOptimizer", "global_policy", "setup"]


def setup():
    set_policy("float32")

# %% star_of_tensorflow
"""A star import of TensorFlow brings in keras."""

from tensorflow import *

opt = keras.mixed_precision.experimental.LossScaleOptimizer(keras.optimizers.SGD(0.25, decay=0.5), 8)
weight = Variable(1.0)
for gradient in [1.0, 2.0]:
    opt.apply_gradients([(constant(gradient), weight)])
print(weight.numpy(), opt.loss_scale().numpy())

# %% tensorflow_of_an_installed_package
"""TensorFlow itself comes from a package that is installed elsewhere."""

import sys
import types

import tensorflow

package = types.ModuleType("toolbox")
package.tf = tensorflow
sys.modules["toolbox"] = package

from toolbox import tf  # noqa: E402

var = tf.Variable(1.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.5), loss_scale=8
)
opt.apply_gradients([(tf.constant(8.0), var)])
print(var.numpy(), opt.loss_scale().numpy())

# %% tensorflow_of_another_package/common.py
import tensorflow as tf

__all__ = ["tf"]

# %% tensorflow_of_another_package/main.py
"""TensorFlow itself comes from a file of the program."""

from common import tf

var = tf.Variable(1.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.5), loss_scale=8
)
opt.apply_gradients([(tf.constant(8.0), var)])
print(var.numpy(), opt.loss_scale().numpy())

# %% tf_keras_or_keras
"""tf_keras if it is there, else the Keras of TensorFlow."""

try:
    import tf_keras as keras
except ImportError:
    from tensorflow import keras
import tensorflow as tf

optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(keras.optimizers.legacy.Adam(0.1), "dynamic")
v = tf.Variable([1.0])
optimizer.apply_gradients([(tf.constant([1.0]), v)])
print(v.numpy().tolist(), float(optimizer.loss_scale()))

# %% unused
"""An import that nothing uses."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, Policy, global_policy

print(global_policy().name)
