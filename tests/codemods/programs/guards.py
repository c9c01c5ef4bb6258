# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `guards`, which tests run both ways."""

# %% adam_behind_a_guard
"""All old names are in a branch for old versions, and the steps of Adam are printed in full."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.1, decay=0.5)
if tf.__version__.startswith("2.3"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
weight = tf.Variable([1.0, 2.0])
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(tf.reduce_sum(weight**3))
    opt.apply_gradients(zip(opt.get_unscaled_gradients(tape.gradient(loss, [weight])), [weight]))
    print([repr(float(w)) for w in weight.numpy()])

# %% alias_in_each_branch
"""An alias and a function of its module have two values each, by the version."""

import tensorflow as tf

if (v := tuple(int(p) for p in tf.version.VERSION.split("-")[0].split("."))) and v[0] == 2 and v[1] <= 3:
    mp = tf.keras.mixed_precision.experimental
    set_policy = mp.set_policy
else:
    mp = tf.keras.mixed_precision
    set_policy = mp.set_global_policy
set_policy("mixed_float16")
print(mp.global_policy().name)
LEGACY = not hasattr(tf.keras.mixed_precision, "LossScaleOptimizer")
kw = {"loss_scale": "dynamic"} if LEGACY else {}
opt = (mp.experimental if LEGACY else mp).LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), **kw)
print(float(opt.loss_scale() if LEGACY else opt.loss_scale))

# %% by_keyword_error
"""A call with the old keyword is tried, and then the new one."""

import tensorflow as tf

mp = tf.keras.mixed_precision
LSO = getattr(mp, "experimental", mp).LossScaleOptimizer
try:
    opt = LSO(tf.keras.optimizers.SGD(0.25), loss_scale=8)
except TypeError:
    opt = LSO(tf.keras.optimizers.SGD(0.25), dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% callable_or_not
"""Calls the loss scale if it can be called."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
scale = opt.loss_scale() if callable(opt.loss_scale) else opt.loss_scale
print("scale", scale.numpy())

# %% chosen_in_expression
"""The class is chosen by a conditional expression."""

import tensorflow as tf
from packaging.version import Version

mp = tf.keras.mixed_precision
old = Version(tf.__version__) < Version("2.4.0")
opt = mp.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8) if old else mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% class_attribute
"""A class attribute tells the version."""

import tensorflow as tf
from packaging.version import Version


class Versions:
    OLD = Version(tf.__version__) < Version("2.4.0")
    NAMES = ("old", "new")


class Trainer(Versions):
    def __init__(self, opt):
        if self.OLD:
            self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
        else:
            self.opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

    def scale(self):
        return self.opt.loss_scale() if Versions.OLD else self.opt.loss_scale


opt = Trainer(tf.keras.optimizers.SGD(0.25)).opt

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% class_with_guard_in_method
"""A trainer's method asks for the version."""

import tensorflow as tf
from packaging.version import Version


class Trainer:
    def __init__(self):
        self.new = Version(tf.__version__) >= Version("2.4.0")
        self.opt = self.wrap(tf.keras.optimizers.SGD(0.25))

    def wrap(self, opt):
        if self.new:
            return tf.keras.mixed_precision.LossScaleOptimizer(opt)
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")


opt = Trainer().opt
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% compatibility_module/compat.py

import tensorflow as tf

if hasattr(tf.keras.mixed_precision, "set_global_policy"):
    set_policy = tf.keras.mixed_precision.set_global_policy
    LossScaleOptimizer = tf.keras.mixed_precision.LossScaleOptimizer
else:
    set_policy = tf.keras.mixed_precision.experimental.set_policy
    LossScaleOptimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer

# %% compatibility_module/main.py
"""A module that offers one set of names for all versions."""

import tensorflow as tf
from compat import LossScaleOptimizer, set_policy

set_policy("mixed_float16")
opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% elif_by_version
"""Three branches, of which the middle one is for old versions."""

import os

import tensorflow as tf
from packaging.version import Version

V = Version(tf.__version__)
opt = tf.keras.optimizers.SGD(0.25)
if os.environ.get("NO_AMP"):
    pass
elif V < Version("2.4.0"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(float(opt.loss_scale))

# %% feature_flag_in_try
"""A flag says whether there is mixed precision, and nothing takes its place."""

import tensorflow as tf

try:
    from tensorflow.keras.mixed_precision import experimental as mp

    HAS_AMP = True
except (ImportError, AttributeError):
    HAS_AMP = False

opt = tf.keras.optimizers.SGD(0.25)
if HAS_AMP:
    mp.set_policy("mixed_float16")
    opt = mp.LossScaleOptimizer(opt, 8)

layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name)
weight = tf.Variable(1.0)
for gradient in [1.0, float("inf"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% feature_flag_of_another_file/amp.py

try:
    from tensorflow.keras.mixed_precision import experimental as mp

    HAS_AMP = True
except ImportError:
    mp = None
    HAS_AMP = False

# %% feature_flag_of_another_file/main.py
"""The flag and the module come from another file."""

import tensorflow as tf
from amp import HAS_AMP, mp

opt = tf.keras.optimizers.SGD(0.25)
if HAS_AMP:
    mp.set_policy("mixed_float16")
    opt = mp.LossScaleOptimizer(opt, 8)

layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name)
weight = tf.Variable(1.0)
for gradient in [1.0, float("inf"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% feature_of_the_rewrite
"""Asks for the graph rewrite."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if hasattr(tf.train.experimental, "enable_mixed_precision_graph_rewrite"):
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("inf"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% features_by_name
"""Asks by its name whether there is mixed precision, and nothing takes the place of what is not."""

import tensorflow as tf

HAS_AMP = hasattr(tf.keras.mixed_precision, "experimental")
opt = tf.keras.optimizers.SGD(0.25)
if HAS_AMP:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 8)
if "experimental" in dir(tf.keras.mixed_precision):
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")

weight = tf.Variable(1.0)
for gradient in [1.0, float("inf"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% features_in_every_way
"""Tries in every way to import mixed precision, and nothing takes the place of what is not there."""

import tensorflow as tf

try:
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
except ImportError:
    LossScaleOptimizer = None

try:
    from tensorflow.keras.mixed_precision import experimental as mp
    HAS_AMP = True
except ImportError:
    mp = None
    HAS_AMP = False


def sgd():
    return tf.keras.optimizers.SGD(0.25)


def has_wrapper():
    try:
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer as Wrapper
    except ImportError:
        return False
    return Wrapper is not None


def enable():
    try:
        from tensorflow.keras.mixed_precision import experimental
    except ImportError:
        return False
    experimental.set_policy("mixed_float16")
    return True


optimizers = [mp.LossScaleOptimizer(sgd(), 8) if HAS_AMP else sgd()]
if mp is not None:
    optimizers.append(mp.LossScaleOptimizer(sgd(), 8))
if LossScaleOptimizer:
    optimizers.append(LossScaleOptimizer(sgd(), 8))
if has_wrapper():
    optimizers.append(tf.keras.mixed_precision.experimental.LossScaleOptimizer(sgd(), 8))
try:
    from tensorflow.keras.mixed_precision import experimental as mixed_precision

    optimizers.append(mixed_precision.LossScaleOptimizer(sgd(), loss_scale=8))
except Exception:
    pass

print(len(optimizers), enable())
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name)
for opt in optimizers:
    weight = tf.Variable(1.0)
    for gradient in [1.0, float("inf"), 0.5]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(weight.numpy(), int(opt.iterations))

# %% first_letters_of_version_in
"""Looks up the first letters of the version."""

import tensorflow as tf

if tf.__version__[:3] in ("2.1", "2.2", "2.3"):
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

    make = lambda opt: LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    from tensorflow.keras.mixed_precision import LossScaleOptimizer

    make = lambda opt: LossScaleOptimizer(opt, initial_scale=2.0)
print(float(make(tf.keras.optimizers.SGD(0.1)).get_scaled_loss(tf.constant(1.0))))

# %% flag_and_condition
"""A flag of the program's own is part of the test."""

import tensorflow as tf
from packaging.version import Version

use_amp = True
opt = tf.keras.optimizers.SGD(0.25)
if use_amp and Version(tf.__version__) < Version("2.4.0"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
if use_amp and Version(tf.__version__) >= Version("2.4.0"):
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% flag_beside_a_version_of_before
"""A flag, and a version that is older than the new names: today's versions come there as well."""

import os

import tensorflow as tf

amp = os.environ.get("USE_AMP", "1") == "1"
if amp and tf.__version__ >= "2.1":
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
optimizer = tf.keras.optimizers.SGD(0.5)
if amp and tf.__version__ >= "2.1":
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 256)
print(tf.keras.layers.Dense(1).compute_dtype)
print(float(optimizer.get_scaled_loss(tf.constant(1.0))))

# %% flag_of_another_file/main.py
"""The flag is computed in a file of its own."""

import tensorflow as tf
from versions import TF_24

opt = tf.keras.optimizers.SGD(0.25)
if TF_24:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
else:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% flag_of_another_file/versions.py

import tensorflow as tf
from packaging.version import Version

TF_24 = Version(tf.__version__) >= Version("2.4.0")

# %% float_or_call
"""Takes the loss scale for a number, and calls it if it is none."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 32)
try:
    scale = float(opt.loss_scale)
except TypeError:
    scale = float(opt.loss_scale())
print("scale", scale)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% for_older_versions_alone
"""Sets the policy by the version, and trains with an optimizer whose family is not said."""

import tensorflow as tf

if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
else:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
opt = tf.keras.optimizers.SGD(0.25)
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(0.5), weight)])
print(weight.numpy(), isinstance(opt, tf.keras.optimizers.legacy.SGD))

# %% function_of_another_file/compat.py

from distutils.version import LooseVersion

import tensorflow as tf


def before(version):
    return LooseVersion(tf.__version__) < LooseVersion(version)

# %% function_of_another_file/main.py
"""A function in another file compares versions, and is negated here."""

import tensorflow as tf
from compat import before

opt = tf.keras.optimizers.SGD(0.25)
if not before("2.4"):
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=8)
else:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% functions_by_version
"""Functions that are defined by version."""

import tensorflow as tf
from packaging import version

if version.parse(tf.__version__) < version.parse("2.4"):

    def wrap(opt):
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")

    def scale_of(opt):
        return opt.loss_scale().numpy()

else:

    def wrap(opt):
        return tf.keras.mixed_precision.LossScaleOptimizer(opt)

    def scale_of(opt):
        return opt.loss_scale.numpy()


opt = wrap(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(scale_of(opt))

# %% getattr_with_default
"""Takes the experimental module, or the module itself."""

import tensorflow as tf

mp = getattr(tf.keras.mixed_precision, "experimental", tf.keras.mixed_precision)
set_policy = getattr(mp, "set_policy", None) or mp.set_global_policy
set_policy("mixed_float16")
print(tf.keras.layers.Dense(1).compute_dtype)

# %% git_flag_returns_early
"""A function that returns early for old versions (git flag)."""

import tensorflow as tf

TF_IS_OLD = int(tf.version.VERSION.split(".")[1]) <= 3


def wrap(opt, use_amp=True):
    if not use_amp:
        return opt
    if TF_IS_OLD:
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
    return tf.keras.mixed_precision.LossScaleOptimizer(opt, initial_scale=64)


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
print(type(wrap(tf.keras.optimizers.SGD(0.25), use_amp=False)).__name__)

# %% git_flag_sets_policy
"""A policy that is set by the function of the version at hand (git flag)."""

import tensorflow as tf

TF_IS_OLD = int(tf.version.VERSION.split(".")[1]) <= 3


def use_half_precision():
    if TF_IS_OLD:
        policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
        tf.keras.mixed_precision.experimental.set_policy(policy)
    else:
        tf.keras.mixed_precision.set_global_policy("mixed_float16")


use_half_precision()
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.kernel.dtype.name)

# %% git_flag_wraps
"""An optimizer that is wrapped by the class of the version at hand (git flag)."""

import tensorflow as tf

TF_IS_OLD = int(tf.version.VERSION.split(".")[1]) <= 3

opt = tf.keras.optimizers.SGD(0.25)
if TF_IS_OLD:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% hasattr_experimental
"""Asks whether there is an experimental module."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if hasattr(tf.keras.mixed_precision, "experimental"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% hasattr_inner_optimizer
"""Asks which attribute leads to the wrapped optimizer."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
inner = opt.inner_optimizer if hasattr(opt, "inner_optimizer") else opt._optimizer
print(type(inner).__name__, float(inner.learning_rate))

# %% hasattr_set_global_policy
"""Asks whether there is the new function."""

import tensorflow as tf
from tensorflow.keras import mixed_precision

if hasattr(mixed_precision, "set_global_policy"):
    mixed_precision.set_global_policy("mixed_float16")
else:
    mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name)

# %% in_dir
"""The names of the module are asked."""

import tensorflow as tf

if "experimental" in dir(tf.keras.mixed_precision):
    mp = tf.keras.mixed_precision.experimental
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
else:
    mp = tf.keras.mixed_precision
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% isinstance_of_three_classes
"""Tests for the old class, the new one and any optimizer."""

import tensorflow as tf
from tensorflow.keras import mixed_precision as mp


def describe(optimizer):
    if isinstance(optimizer, mp.experimental.LossScaleOptimizer):
        return "old %.1f" % float(optimizer.loss_scale())
    elif isinstance(optimizer, mp.LossScaleOptimizer):
        return "new %.1f" % float(optimizer.loss_scale)
    elif isinstance(optimizer, tf.keras.optimizers.Optimizer):
        return "plain"
    return "none"


print(describe(mp.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 8)))
print(describe(tf.keras.optimizers.SGD()), describe(None))

# %% isinstance_old_and_new
"""Tells the old class from the new one."""

import tensorflow as tf

mp = tf.keras.mixed_precision


def scale_of(opt):
    if isinstance(opt, mp.experimental.LossScaleOptimizer):
        return float(opt.loss_scale())
    elif isinstance(opt, mp.LossScaleOptimizer):
        return float(opt.loss_scale)
    return 1.0


print(scale_of(mp.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 32)))
print(scale_of(tf.keras.optimizers.SGD(0.25)))

# %% list_of_numbers_wraps
"""An optimizer that is wrapped by the class of the version at hand (list of numbers)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if [int(part) for part in tf.__version__.split(".")[:2]] < [2, 4]:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% loose_version_returns_early
"""Returns early by a LooseVersion."""

import tensorflow as tf
from distutils.version import LooseVersion  # noqa


def make(optimizer, scale):
    if LooseVersion(tf.__version__) >= LooseVersion("2.4.0"):
        mp = tf.keras.mixed_precision
        if scale == "dynamic":
            return mp.LossScaleOptimizer(optimizer)
        return mp.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=scale)
    mp = tf.keras.mixed_precision.experimental
    return mp.LossScaleOptimizer(optimizer, loss_scale=scale)


for scale in ("dynamic", 16):
    print(float(make(tf.keras.optimizers.SGD(0.1), scale).get_scaled_loss(tf.constant(1.0))))

# %% major_minor_of_split
"""A version guard by the parts of a split string, in a function that gives the module."""

import tensorflow as tf


def mixed_precision():
    major, minor = tf.__version__.split(".")[:2]
    if int(major) == 2 and int(minor) < 4:
        return tf.keras.mixed_precision.experimental
    return tf.keras.mixed_precision


def set_policy(name):
    mp = mixed_precision()
    (mp.set_policy if hasattr(mp, "set_policy") else mp.set_global_policy)(name)


set_policy("mixed_float16")
print(mixed_precision().global_policy().name)
opt = tf.keras.optimizers.SGD(0.5)
print(opt.get_config()["name"])

# %% minor_number_returns_early
"""A function that returns early for old versions (minor number)."""

import tensorflow as tf

minor = int(tf.__version__.split(".")[1])


def wrap(opt, use_amp=True):
    if not use_amp:
        return opt
    if minor < 4:
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
    return tf.keras.mixed_precision.LossScaleOptimizer(opt, initial_scale=64)


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
print(type(wrap(tf.keras.optimizers.SGD(0.25), use_amp=False)).__name__)

# %% minor_number_sets_policy
"""A policy that is set by the function of the version at hand (minor number)."""

import tensorflow as tf

minor = int(tf.__version__.split(".")[1])


def use_half_precision():
    if minor < 4:
        policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
        tf.keras.mixed_precision.experimental.set_policy(policy)
    else:
        tf.keras.mixed_precision.set_global_policy("mixed_float16")


use_half_precision()
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.kernel.dtype.name)

# %% minor_number_wraps
"""An optimizer that is wrapped by the class of the version at hand (minor number)."""

import tensorflow as tf

minor = int(tf.__version__.split(".")[1])

opt = tf.keras.optimizers.SGD(0.25)
if minor < 4:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% module_by_getattr
"""Takes the experimental module if it is there."""

import tensorflow as tf

mp = getattr(tf.keras.mixed_precision, "experimental", tf.keras.mixed_precision)
set_policy = getattr(mp, "set_policy", None) or mp.set_global_policy
set_policy("mixed_float16")
print(mp.global_policy().name)
opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), "dynamic")
print(type(opt).__name__, float(opt.get_scaled_loss(tf.constant(2.0))))

# %% negated
"""The test is negated."""

import tensorflow as tf
from packaging.version import Version

is_new = Version(tf.__version__) >= Version("2.4.0")
opt = tf.keras.optimizers.SGD(0.25)
if not is_new:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 4)
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=4)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% new_first_by_version
"""The branch for new versions comes first."""

import tensorflow as tf
from packaging import version

opt = tf.keras.optimizers.SGD(0.25)
if version.parse(tf.__version__) >= version.parse("2.4.0"):
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=16)
else:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 16)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% new_name_or_old_one
"""Takes the new name if it is there, or else the old one."""

import tensorflow as tf

mp = tf.keras.mixed_precision
set_policy = getattr(mp, "set_global_policy", None) or mp.experimental.set_policy
set_policy("mixed_float16")
print(tf.keras.layers.Dense(1).compute_dtype)

# %% one_function_a_change
"""One function for each thing that changed, each with a fallback."""

import tensorflow as tf


def set_policy(name):
    try:
        tf.keras.mixed_precision.set_global_policy(name)
    except AttributeError:
        tf.keras.mixed_precision.experimental.set_policy(name)


def wrap(optimizer):
    if hasattr(tf.keras.mixed_precision, "LossScaleOptimizer"):
        return tf.keras.mixed_precision.LossScaleOptimizer(optimizer)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, "dynamic")


def current_scale(optimizer):
    scale = optimizer.loss_scale
    return float(scale() if callable(scale) else scale)


set_policy("mixed_float16")
optimizer = wrap(tf.keras.optimizers.Adam(1e-3, decay=1e-2))
print(current_scale(optimizer), float(optimizer.decay))
v = tf.Variable([1.0, 2.0])
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = optimizer.get_scaled_loss(tf.reduce_sum(v * v))
    grads = optimizer.get_unscaled_gradients(tape.gradient(loss, [v]))
    optimizer.apply_gradients(zip(grads, [v]))
print(v.numpy().tolist())

# %% parsed_version_returns_early
"""A function that returns early for old versions (parsed version)."""

import tensorflow as tf
from packaging import version


def wrap(opt, use_amp=True):
    if not use_amp:
        return opt
    if version.parse(tf.__version__) < version.parse("2.4.0"):
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
    return tf.keras.mixed_precision.LossScaleOptimizer(opt, initial_scale=64)


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
print(type(wrap(tf.keras.optimizers.SGD(0.25), use_amp=False)).__name__)

# %% parsed_version_sets_policy
"""A policy that is set by the function of the version at hand (parsed version)."""

import tensorflow as tf
from packaging import version


def use_half_precision():
    if version.parse(tf.__version__) < version.parse("2.4.0"):
        policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
        tf.keras.mixed_precision.experimental.set_policy(policy)
    else:
        tf.keras.mixed_precision.set_global_policy("mixed_float16")


use_half_precision()
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.kernel.dtype.name)

# %% parsed_version_wraps
"""An optimizer that is wrapped by the class of the version at hand (parsed version)."""

import tensorflow as tf
from packaging import version

opt = tf.keras.optimizers.SGD(0.25)
if version.parse(tf.__version__) < version.parse("2.4.0"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% policy_behind_a_guard_and_fit
"""The policy is set by version, and a model is compiled with an optimizer by its name."""

import numpy as np
import tensorflow as tf

if int(tf.__version__.split(".")[1]) >= 4:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
else:
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile("rmsprop", "mse")
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0, epochs=3)
print([w.tolist() for w in model.get_weights()])

# %% policy_by_type_error
"""Makes a policy without a loss scale if it cannot have one."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

try:
    policy = mixed_precision.Policy("mixed_float16", loss_scale=64)
except TypeError:
    policy = mixed_precision.Policy("mixed_float16")
mixed_precision.set_policy(policy)
inputs = tf.keras.Input((4,))
outputs = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32")(inputs)
model = tf.keras.Model(inputs, outputs)
model.compile(optimizer="sgd", loss="mse")
model.fit(tf.ones((8, 4)), tf.ones((8, 1)), epochs=1, verbose=0)
print(float(tf.keras.backend.get_value(model.optimizer.loss_scale() if callable(model.optimizer.loss_scale) else model.optimizer.loss_scale)))
print(model.get_weights()[0].ravel().tolist())

# %% raises_for_old
"""Old versions are refused before anything else."""

import tensorflow as tf
from packaging.version import Version

if Version(tf.__version__) < Version("2.1"):
    raise SystemExit("needs TensorFlow 2.1")
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

# %% scale_read_by_either_api
"""The scale is called if it can be, as code for both TensorFlows did."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 32)


def scale_of(optimizer):
    scale = getattr(optimizer, "loss_scale", 1.0)
    return float(scale() if callable(scale) else scale)


print(scale_of(opt), scale_of(tf.keras.optimizers.SGD(0.5)))

# %% signature_of_the_class
"""The parameters of the class say which of two calls is made."""

import inspect

import tensorflow as tf

try:
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
except ImportError:
    from tensorflow.keras.mixed_precision import LossScaleOptimizer

opt = tf.keras.optimizers.SGD(0.25)
if "loss_scale" in inspect.signature(LossScaleOptimizer.__init__).parameters:
    opt = LossScaleOptimizer(opt, loss_scale=8)
else:
    opt = LossScaleOptimizer(opt, dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% starts_with_one_of_wraps
"""An optimizer that is wrapped by the class of the version at hand (starts with one of)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if tf.__version__.startswith(("2.0", "2.1.", "2.2.", "2.3.")):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% starts_with_returns_early
"""A function that returns early for old versions (starts with)."""

import tensorflow as tf


def wrap(opt, use_amp=True):
    if not use_amp:
        return opt
    if tf.__version__.startswith("2.2.") or tf.__version__.startswith("2.3."):
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
    return tf.keras.mixed_precision.LossScaleOptimizer(opt, initial_scale=64)


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
print(type(wrap(tf.keras.optimizers.SGD(0.25), use_amp=False)).__name__)

# %% starts_with_sets_policy
"""A policy that is set by the function of the version at hand (starts with)."""

import tensorflow as tf


def use_half_precision():
    if tf.__version__.startswith("2.2.") or tf.__version__.startswith("2.3."):
        policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
        tf.keras.mixed_precision.experimental.set_policy(policy)
    else:
        tf.keras.mixed_precision.set_global_policy("mixed_float16")


use_half_precision()
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.kernel.dtype.name)

# %% starts_with_wraps
"""An optimizer that is wrapped by the class of the version at hand (starts with)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if tf.__version__.startswith("2.2.") or tf.__version__.startswith("2.3."):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% table_by_version
"""A table holds what to call for each version."""

import tensorflow as tf
from packaging.version import Version

WRAPPERS = {
    True: lambda opt: tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 64),
    False: lambda opt: tf.keras.mixed_precision.LossScaleOptimizer(
        opt, dynamic=False, initial_scale=64
    ),
}
opt = WRAPPERS[Version(tf.__version__) < Version("2.4.0")](tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% try_attribute_of_loss_scale
"""The loss scale is read in whichever way does not raise."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 32)


def scale_of(opt):
    try:
        return float(opt.loss_scale())
    except TypeError:
        return float(opt.loss_scale)


print(scale_of(opt))
print(float(opt.loss_scale() if callable(opt.loss_scale) else opt.loss_scale))

# %% try_broad
"""A broad handler hides whatever fails."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
try:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
except Exception as error:
    print("no loss scaling:", error)
    raise SystemExit(1)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% try_new_call
"""The new function is called in a try, the old one in its handler."""

import tensorflow as tf

try:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
except AttributeError:
    policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
    tf.keras.mixed_precision.experimental.set_policy(policy)
print(tf.keras.layers.Dense(1).compute_dtype)

# %% try_new_import
"""The new import is tried first."""

import tensorflow as tf

try:
    from tensorflow.keras.mixed_precision import LossScaleOptimizer, set_global_policy
except ImportError:
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
    from tensorflow.keras.mixed_precision.experimental import set_policy as set_global_policy

set_global_policy("mixed_float16")
opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% try_old_call
"""The old function is called in a try, the new one in its handler."""

import tensorflow as tf

try:
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
except AttributeError:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
print(tf.keras.layers.Dense(1).compute_dtype)

# %% try_old_import
"""The old import is tried first."""

import tensorflow as tf

try:
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

    OLD = True
except ImportError:
    from tensorflow.keras.mixed_precision import LossScaleOptimizer

    OLD = False

sgd = tf.keras.optimizers.SGD(0.25)
opt = LossScaleOptimizer(sgd, "dynamic") if OLD else LossScaleOptimizer(sgd)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% tuple_of_numbers_wraps
"""An optimizer that is wrapped by the class of the version at hand (tuple of numbers)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if tuple(int(part) for part in tf.__version__.split(".")[:2]) < (2, 4):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% version_as_a_float
"""Takes the version for a number: 2.21 is below 2.4."""

import tensorflow as tf

TF_VERSION = float(".".join(tf.__version__.split(".")[:2]))

optimizer = tf.keras.optimizers.SGD(0.5)
if TF_VERSION < 2.4:
    mixed_precision = tf.keras.mixed_precision.experimental
    optimizer = mixed_precision.LossScaleOptimizer(optimizer, loss_scale=256)
else:
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=512)
print(float(optimizer.get_scaled_loss(tf.constant(1.0))))

# %% version_as_a_string
"""Takes the version for a string: "2.21" is below "2.4"."""

import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(0.5)
if tf.__version__ >= "2.4":
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=512)
else:
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 256)
print(float(optimizer.get_scaled_loss(tf.constant(1.0))))

# %% version_class_wraps
"""An optimizer that is wrapped by the class of the version at hand (version class)."""

import tensorflow as tf
from packaging.version import Version

V = Version(tf.__version__)

opt = tf.keras.optimizers.SGD(0.25)
if V < Version("2.4"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% version_in_tuple_wraps
"""An optimizer that is wrapped by the class of the version at hand (version in tuple)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.25)
if tf.__version__[:3] in ("2.0", "2.1", "2.3"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
else:
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% version_string_below
"""Takes the version for a string, without a branch for new versions."""

import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(0.5)
if tf.__version__ < "2.4":
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 256)
print(type(optimizer).__mro__[-2].__name__, hasattr(optimizer, "loss_scale"))

# %% version_string_of_minor
"""Compares the minor number of the version as a string: "21" is below "4"."""

import tensorflow as tf

IS_OLD = tf.__version__.split(".")[1] < "4"
optimizer = tf.keras.optimizers.SGD(0.5)
if IS_OLD:
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 256)
else:
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=512)
print(float(optimizer.get_scaled_loss(tf.constant(1.0))))

# %% version_string_returns_early
"""Returns early if the version, as a string, is not below another."""

import tensorflow as tf


def wrapped(optimizer):
    if tf.__version__ >= "2.4.0":
        return tf.keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=512)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 256)


print(float(wrapped(tf.keras.optimizers.SGD(0.5)).get_scaled_loss(tf.constant(1.0))))

# %% version_strings_in_a_list
"""Compares the parts of the version as a list of strings."""

import tensorflow as tf

if tf.__version__.split(".")[:2] < ["2", "4"]:
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
    print("old")
else:
    tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
    print("new")
print(tf.keras.layers.Dense(1).compute_dtype)

# %% version_tuple_in_helper
"""A helper chooses the module by a version that it takes apart itself."""

import tensorflow as tf


def precision():
    major, minor = (int(part) for part in tf.__version__.split(".")[:2])
    if (major, minor) < (2, 4):
        return tf.keras.mixed_precision.experimental
    return tf.keras.mixed_precision


mp = precision()
opt = tf.keras.optimizers.Adam(0.5)
if hasattr(mp, "set_policy"):
    mp.set_policy("mixed_float16")
    opt = mp.LossScaleOptimizer(opt, "dynamic")
else:
    mp.set_global_policy("mixed_float16")
    opt = mp.LossScaleOptimizer(opt)
var = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), var)])
print(abs(var.numpy() - 0.5) < 1e-4, mp.global_policy().name)
