# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `neighbours`, which tests run both ways."""

# %% abstract_classes
"""Abstract classes in `collections`, up to Python 3.9; read and imported."""

import collections
from collections import Iterable, OrderedDict

import tensorflow as tf

config = collections.OrderedDict(lr=0.25)
print(isinstance(config, collections.Mapping), isinstance(config, (collections.Sequence, OrderedDict)), isinstance([], Iterable))
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(config["lr"]), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())

# %% argspec
"""A program that asks which arguments its optimizer takes."""

import inspect

import tensorflow as tf


def make(learning_rate, momentum=0.0, *others):
    return tf.keras.optimizers.SGD(learning_rate, momentum)


names, defaults = inspect.getargspec(make).args, inspect.getargspec(make).defaults
print(names, defaults, inspect.getargspec(make)[1], inspect.getargspec(tf.keras.optimizers.SGD.apply_gradients).args[0])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(**dict(zip(names, (0.25, *defaults)))), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())

# %% changed_signatures
"""A model that is trained, and saved with arguments in the order of TensorFlow 2.0 to 2.4."""

import os
import tempfile

import numpy as np
import tensorflow as tf


class Counter(tf.keras.layers.Layer):
    def build(self, shape):
        self.count = self.add_weight("count", [], initializer="zeros", trainable=False)

    def call(self, x):
        self.add_update([self.count.assign_add(1.0)], x)
        self.add_loss(0.0 * tf.reduce_sum(x), True)
        return x


tf.keras.mixed_precision.experimental.set_policy("float32")
model = tf.keras.Sequential([Counter(input_shape=(2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
loss = tf.keras.losses.BinaryCrossentropy(True, 0.0, tf.keras.losses.Reduction.SUM_OVER_BATCH_SIZE)
model.compile(opt, loss)
model.fit(np.ones([4, 2]), np.ones([4, 1]), epochs=2, verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model")
    model.save(path, True, False, "h5")
    print(os.path.isfile(path))
    model.save_weights(path + ".h5")
    model.load_weights(path + ".h5", True)
for weight in model.get_weights():
    print(weight.tolist())

# %% handled
"""The program knows that these names can be missing, and goes on without them."""

import sys

import numpy as np
import tensorflow as tf

try:
    from collections import Mapping
except ImportError:
    from collections.abc import Mapping
try:
    from collections.abc import Sequence
except ImportError:
    from collections import Sequence
if sys.version_info[0] < 3:
    text = np.unicode
else:
    text = str
number = np.float if hasattr(np, "float") else float
try:
    infinity = np.Inf
except AttributeError:
    infinity = np.inf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(number(0.25)), "dynamic")
weight = tf.Variable(1.0)
strategy = tf.distribute.get_strategy()
run = strategy.run if hasattr(strategy, "run") else strategy.experimental_run_v2
for gradient in [1.0, infinity, 0.5]:
    run(opt.apply_gradients, args=([(tf.constant(gradient), weight)],))
    print(text(weight.numpy()), opt.loss_scale().numpy(), isinstance({}, Mapping), isinstance([], Sequence))

# %% in_another_file/batches.py
import collections

import numpy as np

Batches = collections.Iterable


def batches():
    yield from np.array([1.0, np.Inf, 0.5], dtype=np.float).astype("float32")

# %% in_another_file/main.py
"""A file beside the one with loss scaling has such names, and no old ones."""

import tensorflow as tf

from batches import Batches, batches

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in batches():
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy(), issubclass(list, Batches))

# %% kinds_by_name
"""Types of numpy that are chosen by their names, in strings."""

import numpy as np
import tensorflow as tf


def kind_of(name):
    if name == "float":
        return np.float
    if name in ("bool", "flag"):
        return np.bool
    return np.int if name.startswith("int") else np.object


print([np.zeros(1, kind_of(name)).dtype for name in ("float", "bool", "int32", "text")])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())

# %% lists_that_fill
"""Lists that are empty where they are made, and decide what runs once they are filled."""

import numpy as np
import tensorflow as tf

rates, gradients = [], []
for rate in (0.25, 0.5):
    rates.append(rate)
gradients += [1.0, float("nan"), 0.5]


def make():
    if not rates:
        return None
    return tf.keras.optimizers.SGD(rates[0], decay=0.5)


if rates:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), "dynamic")
    print(np.array(rates, dtype=np.float).dtype, isinstance(make(), tf.keras.optimizers.SGD))
weight = tf.Variable(1.0)
if gradients:
    for gradient in gradients:
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(weight.numpy(), opt.loss_scale().numpy())

# %% numpy_constants
"""Spellings of infinity and of what is no number, which went with numpy 2.0."""

import numpy
import numpy as np
import tensorflow as tf
from numpy import Inf, NaN, isnan

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
best, highest, lowest = np.Inf, [np.NINF], {"lowest": np.NINF}
for gradient in [1.0, np.NaN, numpy.PINF, 0.5, NaN]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    best = min(best, float(weight.numpy()))
    print(best, opt.loss_scale().numpy())
print(highest, lowest, Inf, isnan(NaN), np.infty, 1 / np.NINF, np.NINF ** 2, np.NZERO, np.PZERO, -np.Infinity)

# %% numpy_functions
"""Functions of numpy that have other names today, or are to be written in another way."""

import numpy as np
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(np.asscalar(np.ones(1, "float32")))
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
values = np.array([[3, 1], [2, 4]])
print(np.product(values), np.cumproduct(values), np.alltrue(values > 0), np.sometrue(values > 3))
print(np.round_(1.26, 1), np.row_stack([values, values]), np.msort(values), np.asfarray([1, 2]).dtype)
print(np.in1d(values, [1, 4]), np.in1d([1, 2], [2]), np.trapz([1, 2, 3]))
print(np.math.floor(2.5), np.mat([[1]]), np.asscalar(
    np.sum(values),  # All of them.
))

# %% numpy_types
"""numpy's aliases of Python's own types, up to numpy 1.23."""

import numpy as np
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(np.float(0.25)), "dynamic")
weight = tf.Variable(np.ones(2, np.float)[0].astype(np.float32))
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
table = np.zeros((1, 2), dtype=np.bool)
names = np.array(["a", None], dtype=np.object)
print(table.dtype, names.dtype, np.int(3.5), np.str(4), np.complex(1), np.unicode("x"), np.long(7))
print(np.bool8(1), isinstance(1.0, np.float), np.float_(1), np.string_(b"y"))

# %% own_names
"""Names of the program that hide those of Python which take numpy's places."""

import numpy as np
import tensorflow as tf


def learning_rate(float):
    return np.asarray(float)


class np_like:
    float = "mine"
    Inf = "mine"


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(learning_rate(0.25)), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
print(np.float("1.5"), np_like.float, np_like.Inf)
np.mine = np_like
print(np.mine.Inf, np.Inf)

# %% private_layers
"""Layers, a model and a callback of `tensorflow.python.keras`, where `tf.keras` was."""

import tensorflow as tf
from tensorflow.python.keras import backend as K
from tensorflow.python.keras import layers
from tensorflow.python.keras.callbacks import Callback
from tensorflow.python.keras.engine.base_layer import Layer
from tensorflow.python.keras.engine.training import Model
from tensorflow.python.keras.layers.core import Dense


class Doubled(Layer):
    def call(self, inputs):
        return inputs * 2


class Told(Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, sorted(logs))


tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
inputs = tf.keras.Input((2,))
outputs = layers.Activation("linear", dtype="float32")(Doubled()(Dense(1, kernel_initializer="ones")(inputs)))
model = Model(inputs, outputs)
model.compile(tf.keras.optimizers.SGD(0.25), "mse")
history = model.fit(tf.ones((4, 2)), tf.ones((4, 1)), epochs=2, verbose=0, callbacks=[Told()])
print(isinstance(model, tf.keras.Model), history.history["loss"], K.floatx(), K.ndim(outputs))
print([type(layer).__name__ for layer in model.layers], isinstance(model.layers[1], tf.keras.layers.Dense))

# %% private_layers_in_try
"""Private modules are imported in `try`, with a handler."""

import tensorflow as tf

try:
    from tensorflow.python.keras import layers
    from tensorflow.python.keras.engine.training import Model
except ImportError:
    from tensorflow.keras import layers
    from tensorflow.keras.models import Model

tf.keras.mixed_precision.experimental.set_policy("float32")
inputs = tf.keras.Input([2])
model = Model(inputs, layers.Dense(1, kernel_initializer="ones")(inputs))
model.compile("sgd", "mse")
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0)
print(model.get_weights()[0].tolist(), isinstance(model.layers[1], tf.keras.layers.Dense))

# %% private_mixed_precision
"""The private modules of TensorFlow 2.4 stand beside old names."""

import tensorflow as tf
from tensorflow.python.keras.mixed_precision import loss_scale_optimizer as lso
from tensorflow.python.keras.mixed_precision.policy import global_policy

tf.keras.mixed_precision.experimental.set_policy("float32")
opt = lso.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer), global_policy().name)

# %% private_model
"""A model of the private package, compiled with the name of an optimizer."""

import tensorflow as tf
from tensorflow.python.keras.layers import Activation, Dense
from tensorflow.python.keras.models import Sequential

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = Sequential([Dense(1, kernel_initializer="ones"), Activation("linear", dtype="float32")])
model.compile("adam", "mse")
print(model.fit(tf.ones((4, 2)), tf.ones((4, 1)), epochs=2, verbose=0).history)
print(isinstance(model, tf.keras.Sequential), [weight.numpy().tolist() for weight in model.weights])

# %% private_names_of_v1
"""Names of the private Keras that are public in `compat.v1` alone, or under another name."""

import tensorflow as tf
from tensorflow.python.keras import backend as K
from tensorflow.python.keras.utils import losses_utils

print(K.get_session.__name__)
print(losses_utils.ReductionV2.SUM, tf.keras.losses.MeanSquaredError(reduction=losses_utils.ReductionV2.SUM)([[1.0], [2.0]], [[0.0], [0.0]]).numpy())
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())

# %% private_package
"""The whole private package under a name."""

import tensorflow as tf
from tensorflow.python import keras

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = keras.Sequential([
    keras.layers.Dense(1, kernel_initializer=keras.initializers.Ones(), kernel_regularizer=keras.regularizers.l2(0.5)),
    keras.layers.Activation("linear", dtype="float32"),
])
model.compile(tf.keras.optimizers.SGD(0.25), keras.losses.MeanSquaredError(), metrics=[keras.metrics.MeanAbsoluteError()])
print(model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0).history)
print(isinstance(model, tf.keras.Sequential), type(model.optimizer).__name__)

# %% python_modules
"""What Python's modules had up to 3.8, in a program that reads its settings."""

import base64
import xml.etree.cElementTree as ET
from base64 import decodestring

import tensorflow as tf

settings = ET.fromstring("<settings lr='0.25' scale='ZHluYW1pYw=='/>")
scale = decodestring(settings.get("scale").encode()).decode()
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(float(settings.get("lr"))), scale)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
print(base64.encodestring(b"x"))

# %% reported
"""Names that no name of today takes the place of in every case: migrated, it ends there."""

import inspect
import time

import tensorflow as tf

started = time.clock() >= 0
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
print(started, inspect.getargspec(lambda a, b=1: a))

# %% run_v2
"""A custom loop under a strategy, as TensorFlow 2.0 and 2.1 had it."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self.strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with self.strategy.scope():
            self.weight = tf.Variable(1.0)
            self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")

    def step(self, factor):
        with tf.GradientTape() as tape:
            loss = factor * self.weight * self.weight
            scaled = self.opt.get_scaled_loss(loss)
        gradients = self.opt.get_unscaled_gradients(tape.gradient(scaled, [self.weight]))
        self.opt.apply_gradients(zip(gradients, [self.weight]))
        return loss

    @tf.function
    def train(self, factor):
        losses = self.strategy.experimental_run_v2(self.step, args=(factor,))
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


trainer = Trainer()
for factor in [1.0, float("inf"), 0.5]:
    print(trainer.train(tf.constant(factor)).numpy(), trainer.weight.numpy())
run = getattr(tf.distribute.get_strategy(), "experimental_run_v2", None) or trainer.strategy.run
print(run(lambda: 3))

# %% tracking
"""TensorFlow's modules of what checkpoints track, under the names that they had up to 2.9."""

import tensorflow as tf
from tensorflow.python.training.tracking import base
from tensorflow.python.training.tracking import data_structures as structures


class Holder(base.Trackable):
    pass


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
kept = structures.wrap_or_unwrap([weight])
print(type(kept).__name__, isinstance(Holder(), base.Trackable), isinstance(opt, base.Trackable))
