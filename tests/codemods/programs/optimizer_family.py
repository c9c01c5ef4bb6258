# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `optimizer_family`, which tests run both ways."""

# %% accumulating_optimizer
"""An optimizer sums up gradients for another one."""

import tensorflow as tf
from tensorflow.keras.optimizers import SGD, Adam, Optimizer
from typing import Dict, Type


class AccumOptimizer(Optimizer):
    def __init__(self, optimizer: Optimizer, steps=2, name="AccumOptimizer", **kwargs):
        super().__init__(name=name, **kwargs)
        self.base = optimizer
        self.steps = steps

    def _create_slots(self, var_list):
        self.base._create_slots(var_list)
        for var in var_list:
            self.add_slot(var, "accum")

    def _create_hypers(self):
        self.base._create_hypers()

    def _prepare(self, var_list):
        return self.base._prepare(var_list)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        accum = self.get_slot(var, "accum")
        accum.assign_add(grad / self.steps)
        if int(self.iterations) % self.steps == self.steps - 1:
            self.base._resource_apply_dense(accum.read_value(), var, apply_state)
            accum.assign(tf.zeros_like(accum))
        return tf.no_op()

    def get_config(self):
        return super().get_config()


BASES: Dict[str, Type[Optimizer]] = {"sgd": SGD, "adam": Adam}
for name, cls in BASES.items():
    base = cls(0.1)
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(AccumOptimizer(base), 8)
    v = tf.Variable([2.0])
    for _ in range(4):
        optimizer.apply_gradients([(v * 1.0, v)])
    print(name, v.numpy().tolist(), optimizer._optimizer.get_slot_names(), optimizer.get_slot_names())

# %% alias_of_the_module
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
opts = tf.optimizers
make = opts.Adam
model.compile(make(0.1, decay=0.5), "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% argument_adam
"""An argument that one family has, or both: Adam(0.1, decay=0.5)."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.1, decay=0.5)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% argument_clipnorm
"""An argument that one family has, or both: SGD(0.1, clipnorm=1.0)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.1, clipnorm=1.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% argument_clipvalue
"""An argument that one family has, or both: SGD(0.1, clipvalue=0.5)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.1, clipvalue=0.5)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% argument_lr
"""An argument that one family has, or both: SGD(lr=0.1)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(lr=0.1)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% argument_lr_adam
"""An argument that one family has, or both: Adam(lr=0.1, beta_1=0.5)."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(lr=0.1, beta_1=0.5)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% argument_name
"""An argument that one family has, or both: SGD(0.1, name="mine")."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.1, name="mine")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% argument_sgd
"""An argument that one family has, or both: SGD(0.1, decay=0.5)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.1, decay=0.5)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% by_getattr_of_a_name_in_a_string
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model.compile(getattr(tf.keras.optimizers, "Nadam")(0.1), "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% class_attribute
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])


class Config:
    optimizer = "adam"


model.compile(Config.optimizer, "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_a_clone
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
source = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model = tf.keras.models.clone_model(source)
model.compile("adam", "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_adam
"""`compile("adam")` under a mixed policy."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile("adam", loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_adam_class
"""`compile("Adam")` under a mixed policy."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile("Adam", loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_by_default
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model.compile(loss="mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_by_the_class
"""`Model.compile` is called by way of its class."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


model = build()
tf.keras.Model.compile(model, "adam", loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_dict_from_config
"""compile's arguments are a dict, and the optimizer is an instance made from a config."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
settings = dict(optimizer=tf.keras.optimizers.deserialize({"class_name": "Adam", "config": {"learning_rate": 0.5}}), loss="mse")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile(**settings)
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0, epochs=3)
print([[repr(float(v)) for v in w.ravel()] for w in model.get_weights()])

# %% compile_in_a_subclass
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs):
        return self.dense(inputs)

    def compile(self, optimizer, loss):
        super().compile(optimizer=optimizer, loss=loss)


model = Net()
model.compile("adam", "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_in_partial
"""`model.compile` is kept by `functools.partial`."""

import functools

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


model = build()
prepare = functools.partial(model.compile, loss="mse")
prepare("adam")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_of_unknown
"""`compile` of a model that a function gets, with an optimizer that it gets as well."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


def prepare(model, settings):
    model.compile(settings, loss="mse")
    return model


TABLE = {"small": ("adam", build), "large": ("rmsprop", build)}
name, make = TABLE["small"]
model = prepare(make(), name)
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_rmsprop
"""`compile("rmsprop")` under a mixed policy."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile("rmsprop", loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_self_in_init
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.compile("adam", "mse")

    def call(self, inputs):
        return self.dense(inputs)


model = Net()
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_sgd
"""`compile("sgd")` under a mixed policy."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile("sgd", loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_string_from_a_function
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])


def optimizer_name(config):
    return config["optimizer"]


model.compile(optimizer_name({"optimizer": "rmsprop"}), "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_string_from_arguments
import argparse

import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])

parser = argparse.ArgumentParser()
parser.add_argument("--optimizer", default="adam")
args = parser.parse_args([])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model.compile(optimizer=args.optimizer, loss="mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_string_of_a_constant
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
NAME = "adam"
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model.compile(optimizer=NAME, loss="mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_under_another_name
"""`model.compile` has another name when it is called."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


model = build()
prepare = model.compile
prepare(optimizer="adam", loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_what_a_method_builds
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


class Trainer:
    def __init__(self, name):
        self.model = self.build()
        self.model.compile(optimizer=name, loss="mse")

    def build(self):
        return tf.keras.Sequential(
            [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])]
        )


model = Trainer("adam").model
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_with_either
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
optimizer = None
model.compile(optimizer or "rmsprop", "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compile_with_unpacked
"""The optimizer of compile comes out of a dictionary, or through super."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


class Mine(tf.keras.Sequential):
    def compile(self, optimizer="sgd", **options):
        super().compile(optimizer=optimizer, loss=options.pop("loss", "mse"), **options)


options = {"optimizer": "sgd", "loss": "mse"}
for made in [tf.keras.Sequential, Mine]:
    model = made([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(**options) if made is Mine else model.compile("sgd", "mse")
    model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0)
    print(model.get_weights()[0].tolist(), len(model.optimizer.get_weights()))

# %% compiled_in_another_file/main.py
import tensorflow as tf
from training import compiled

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = compiled("adam")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% compiled_in_another_file/training.py
import tensorflow as tf


def compiled(optimizer):
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])]
    )
    model.compile(optimizer=optimizer, loss="mse")
    return model

# %% config_has_decay
"""The decay is read from the config of an optimizer that is wrapped if a flag says so."""

import os

import tensorflow as tf

opt = tf.keras.optimizers.SGD(lr=0.1, decay=0.5)
if not os.environ.get("FLOAT32"):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale=8)
print(float(opt._optimizer.get_config()["decay"]))

# %% config_of_a_file
"""The optimizer is described by JSON, with its class name."""

import json

import tensorflow as tf

text = '{"class_name": "SGD", "config": {"learning_rate": 0.25, "decay": 0.5}}'
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.deserialize(json.loads(text)), loss_scale=8
)
weight = tf.Variable(1.0)
for gradient in [1.0, 2.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
print(weight.numpy(), tf.keras.optimizers.get(json.loads(text)).get_config()["decay"])

# %% config_without_arguments
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
optimizer = tf.keras.optimizers.deserialize({"class_name": "Adam", "config": {}})
optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 8)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model.compile(optimizer, "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% decay_and_exponential_schedule
"""Keyword arguments that only the optimizers of that time took."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5, staircase=True)
made = [
    tf.keras.optimizers.SGD(lr=0.1, decay=0.5, momentum=0.9, nesterov=True),
    tf.keras.optimizers.Adam(rate, clipnorm=1.0),
    tf.keras.optimizers.RMSprop(learning_rate=0.1, rho=0.8, decay=1e-2),
]
for opt in made:
    opt = mp.LossScaleOptimizer(opt, "dynamic")
    weight = tf.Variable([1.0, 3.0])
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = opt.get_scaled_loss(tf.reduce_sum(weight**2))
        grads = opt.get_unscaled_gradients(tape.gradient(loss, [weight]))
        opt.apply_gradients(zip(grads, [weight]))
    print(weight.numpy().tolist(), opt.iterations.numpy(), [w.name for w in opt.weights])

# %% default_argument
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])


def compiled(model, make=tf.keras.optimizers.Adam, **settings):
    model.compile(make(**settings), "mse")


compiled(model, learning_rate=0.1, decay=0.2)
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% deserialized
"""The inner optimizer is made from a configuration."""

import tensorflow as tf

config = {"class_name": "Adam", "config": {"learning_rate": 0.1}}
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.deserialize(config), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% family_in_a_guard
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
if hasattr(tf.keras.mixed_precision, "experimental"):
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
else:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
optimizer = tf.keras.optimizers.Adam(0.1, decay=0.5)
grads = [tf.ones([2, 1]), tf.ones([1])]
optimizer.apply_gradients(zip(grads, model.trainable_variables))
print(optimizer.get_weights()[0])

# %% from_config
"""The inner optimizer is made from another's configuration."""

import tensorflow as tf

adam = tf.keras.optimizers.Adam(0.1)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam.from_config(adam.get_config()), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% get_adam
"""`optimizers.get("adam")`, wrapped."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.get("adam"), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% get_adam_class
"""`optimizers.get("Adam")`, wrapped."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.get("Adam"), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% get_of_config
"""The inner optimizer is got from a configuration."""

import tensorflow as tf

config = {"class_name": "RMSprop", "config": {"learning_rate": 0.1}}
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.get(config), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% get_rmsprop
"""`optimizers.get("rmsprop")`, wrapped."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.get("rmsprop"), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% get_sgd
"""`optimizers.get("sgd")`, wrapped."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.get("sgd"), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% get_updates
"""A graph of TensorFlow 1 with the optimizer's updates."""

import tensorflow as tf

with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    weight = tf.compat.v1.get_variable("weight", initializer=1.0, use_resource=True)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
    updates = opt.get_updates(weight * weight, [weight])
    session.run(tf.compat.v1.global_variables_initializer())
    session.run(updates)
    print(session.run(weight))

# %% getattr_of_getattr
"""The class is looked up by two nested calls of getattr."""

import operator

import tensorflow as tf

first = getattr(getattr(tf.keras, "optimizers"), "SGD")(0.25, decay=0.5)
second = operator.attrgetter("optimizers.Adam")(tf.keras)(0.25, decay=0.5)
for inner in [first, second]:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, 8)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), type(inner).__mro__[1].__name__)

# %% getattr_of_optimizers
"""The optimizer's class by its name."""

import tensorflow as tf

name = "Adam"
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(getattr(tf.keras.optimizers, name)(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% imported_class
"""The optimizer's class is imported."""

import tensorflow as tf
from tensorflow.keras.optimizers import Adam

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(Adam(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% imported_module
"""The optimizers' module is imported."""

import tensorflow as tf
from tensorflow.keras import optimizers

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizers.Adam(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% learning_rate_multipliers_by_subclass
"""A subclass that reads hypers and slots as optimizers of that time did, under the wrapper."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed


class Scaled(tf.keras.optimizers.SGD):
    def __init__(self, factor=1.0, name="Scaled", **kwargs):
        super().__init__(name=name, **kwargs)
        self._set_hyper("factor", factor)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        return super()._resource_apply_dense(grad * self._get_hyper("factor", var.dtype), var, apply_state)

    def get_config(self):
        return {**super().get_config(), "factor": self._serialize_hyperparameter("factor")}


opt = mixed.LossScaleOptimizer(Scaled(0.5, learning_rate=0.1, momentum=0.9), loss_scale="dynamic")
weight = tf.Variable([1.0, -1.0])
for _ in range(3):
    opt.apply_gradients([(weight * 2, weight)])
print(weight.numpy().tolist(), sorted(opt._optimizer.get_config()), opt._optimizer.factor.numpy())

# %% looked_up_by_vars
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
name = "RMSprop"
model.compile(vars(tf.keras.optimizers)[name](0.1), "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% looked_up_in_modules
"""Classes are looked up in sys.modules, in __dict__ and among members."""

import importlib
import inspect
import sys

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
found = dict(inspect.getmembers(tf.keras.optimizers, inspect.isclass))
made = [
    found["SGD"](0.25, decay=0.5),
    tf.keras.optimizers.__dict__["SGD"](0.25, decay=0.5),
    importlib.import_module("tensorflow.keras.optimizers").SGD(0.25, decay=0.5),
]
for inner in made:
    opt = mp.LossScaleOptimizer(inner, 8)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy())

# %% made_in_another_file/main.py
import tensorflow as tf
from making import make

optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make("Adam"), 16)
v = tf.Variable([1.0, 2.0])
for _ in range(3):
    optimizer.apply_gradients([(tf.constant([16.0, 8.0]), v)])
    print(v.numpy().tolist())
print(len(optimizer.get_weights()))

# %% made_in_another_file/making.py
from tensorflow.keras import optimizers


def make(name):
    return getattr(optimizers, name)(0.1, decay=0.1)

# %% member_config
"""A member of the optimizer's family: config."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(sorted(opt._optimizer.get_config()))

# %% member_get_slot
"""A member of the optimizer's family: get slot."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(opt._optimizer.get_slot(weight, "momentum").numpy())

# %% member_get_weights
"""A member of the optimizer's family: get weights."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print([weight.tolist() for weight in opt.get_weights()])

# %% member_hyper
"""A member of the optimizer's family: hyper."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(float(opt._optimizer._get_hyper("momentum")))

# %% member_iterations
"""A member of the optimizer's family: iterations."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
opt.iterations.assign(7)
print(int(opt.iterations))

# %% member_learning_rate_assign
"""A member of the optimizer's family: learning rate assign."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
opt.learning_rate.assign(0.5)
print(float(opt.learning_rate))

# %% member_lr
"""A member of the optimizer's family: lr."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
opt.lr = 0.5
print(float(opt.lr), float(opt.learning_rate))

# %% member_momentum
"""A member of the optimizer's family: momentum."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(float(opt._optimizer.momentum))

# %% member_set_value
"""A member of the optimizer's family: set value."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
tf.keras.backend.set_value(opt.lr, 0.5)
print(tf.keras.backend.get_value(opt.lr))

# %% member_slot_names
"""A member of the optimizer's family: slot names."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(opt._optimizer.get_slot_names())

# %% member_variables
"""A member of the optimizer's family: variables."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print(len(opt.variables()))

# %% member_weights
"""A member of the optimizer's family: weights."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), "dynamic")
weight = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), weight)])
print([weight.numpy().tolist() for weight in opt.weights])

# %% members_of_an_enum
"""The classes are members of an enumeration."""

import enum

import tensorflow as tf


class Kind(enum.Enum):
    SGD = enum.member(tf.keras.optimizers.SGD)
    ADAM = enum.member(tf.keras.optimizers.Adam)

    def make(self, **options):
        return self.value(**options)


for kind in Kind:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        kind.make(learning_rate=0.25, decay=0.5), "dynamic"
    )
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(kind.name, weight.numpy())
    print(len(opt.get_weights()))

# %% members_of_the_wrapper
"""What training scripts ask of the wrapped optimizer."""

import tensorflow as tf
from tensorflow.keras import backend as K

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5), clipnorm=5.0), "dynamic")
v = tf.Variable([1.0, 2.0], name="v")
for _ in range(2):
    opt.minimize(lambda: tf.reduce_sum(v * v), [v])
opt.apply_gradients([(tf.constant([1.0, 1.0]), v)], name="apply", experimental_aggregate_gradients=False)
print(int(opt.iterations), v.numpy().tolist())
print(opt.get_slot_names(), opt.get_slot(v, "m").numpy().tolist())
print([w.name for w in opt.weights], [w.shape for w in opt.get_weights()])
print(len(opt.variables()), hasattr(opt, "get_scaled_loss"), hasattr(opt, "loss_scale"))
print(float(opt.lr(opt.iterations)), float(K.get_value(opt.beta_1)))
opt.learning_rate = 0.01
print(float(K.get_value(opt.lr)), float(opt._optimizer.clipnorm))
opt.beta_1 = 0.5
opt.apply_gradients([(tf.constant([1.0, 1.0]), v)])
print(v.numpy().tolist())

# %% partial
import functools

import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
make = functools.partial(tf.keras.optimizers.Adam, decay=0.2)
model.compile(make(0.1), "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% plain_optimizer_beside
"""Another optimizer that no wrapper sees; its steps stay what they were."""

import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
plain = tf.keras.optimizers.Adam(0.1)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic")
for gradient in (1.0, -0.3, 0.7):
    for one in (plain, opt):
        one.apply_gradients([(tf.constant([gradient, 0.1]), weight)])
        print(weight.numpy().tolist())

# %% plain_under_float32
"""A plain program whose policy is float32: Adam under `compile`."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("float32")
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.optimizers.Adam(0.1), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% policy_in_another_file/main.py
import settings
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
settings.apply()
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model.compile(tf.keras.optimizers.Adam(0.1, decay=0.5), "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% policy_in_another_file/settings.py
import tensorflow as tf


def apply():
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")

# %% private_modules
"""Optimizers and schedules come from TensorFlow's private modules."""

import tensorflow as tf
from tensorflow.python.keras.optimizer_v2 import learning_rate_schedule as schedules
from tensorflow.python.keras.optimizer_v2.gradient_descent import SGD
from tensorflow.python.keras.optimizer_v2.optimizer_v2 import OptimizerV2


class Halved(schedules.LearningRateSchedule):
    def __call__(self, step):
        return 0.5 / (tf.cast(step, tf.float32) + 1.0)


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(SGD(Halved()), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy())
print(isinstance(opt, OptimizerV2), opt.loss_scale().numpy())

# %% private_optimizer_v2
"""The base class of TensorFlow's private module is in a type test."""

import tensorflow as tf
from tensorflow.python.keras.optimizer_v2 import optimizer_v2

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(isinstance(opt._optimizer, optimizer_v2.OptimizerV2))

# %% rate_set_by_backend
"""The learning rate of a compiled model's optimizer is set through the backend."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile(loss="mse", optimizer=tf.keras.optimizers.Nadam(0.1))
K.set_value(model.optimizer.lr, 0.01)
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0, epochs=2)
print(K.get_value(model.optimizer.lr), K.get_value(model.optimizer.iterations))
print([w.tolist() for w in model.get_weights()], type(model.optimizer).__name__)

# %% re_exported_class/compat.py
from tensorflow.keras import optimizers
from tensorflow.keras.optimizers import Adam

# %% re_exported_class/main.py
import tensorflow as tf
from compat import Adam, optimizers

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model.compile(Adam(0.1, decay=0.5), "mse")
print(hasattr(optimizers.SGD(0.1), "get_updates"))
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% registered_by_a_decorator/main.py
"""Functions that make optimizers register themselves, in another file."""

import tensorflow as tf
from makers import MAKERS

for name in sorted(MAKERS):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(MAKERS[name](0.25), 8)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
    print(name, weight.numpy(), isinstance(opt._optimizer, tf.keras.optimizers.Optimizer))

# %% registered_by_a_decorator/makers.py

import tensorflow as tf

MAKERS = {}


def register(name):
    def add(maker):
        MAKERS[name] = maker
        return maker

    return add


@register("sgd")
def _sgd(rate):
    return tf.keras.optimizers.SGD(rate, decay=0.5)


@register("rmsprop")
def _rmsprop(rate):
    return tf.optimizers.RMSprop(rate, decay=0.5)

# %% schedule
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
from tensorflow.keras.optimizers import schedules, Adam

rate = schedules.ExponentialDecay(0.1, 2, 0.5)
model.compile(Adam(rate), "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% serialize_as_it_was
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
config = tf.keras.optimizers.serialize(tf.keras.optimizers.SGD(0.5))
print(sorted(config), config["class_name"])
optimizer = tf.keras.optimizers.deserialize(config)
print(hasattr(optimizer, "get_updates"))

# %% serialized_type_test
"""Asks for the class of a plain optimizer, in a program that wraps others."""

import tensorflow as tf


def name(opt):
    if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
        opt = opt._optimizer
    if isinstance(opt, tf.keras.optimizers.Adam):
        return "adam"
    return "other"


print(name(tf.keras.optimizers.Adam()), name(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(), 8)), name(tf.keras.optimizers.SGD(0.25)))

# %% set_weights
"""Weights are taken from one optimizer to another."""

import tensorflow as tf

weight = tf.Variable(1.0)
first, second = (tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic") for _ in range(2))
for opt in (first, second):
    opt.apply_gradients([(tf.constant(1.0), weight)])
first.apply_gradients([(tf.constant(2.0), weight)])
second.set_weights(first.get_weights())
second.apply_gradients([(tf.constant(2.0), weight)])
print(weight.numpy(), int(second.iterations))

# %% star_import
from tensorflow.keras.optimizers import *
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model.compile(Adam(0.1, decay=0.1), "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])

# %% steps_of_adadelta
"""Eleven steps of Adadelta(0.1), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adadelta(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_adagrad
"""Eleven steps of Adagrad(0.1), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adagrad(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_adam
"""Eleven steps of Adam(0.1), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_adam_epsilon
"""Eleven steps of Adam(0.1, epsilon=1e-4), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1, epsilon=1e-4), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_adamax
"""Eleven steps of Adamax(0.1), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adamax(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_amsgrad
"""Eleven steps of Adam(0.1, amsgrad=True), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1, amsgrad=True), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_ftrl
"""Eleven steps of Ftrl(0.1), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Ftrl(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_momentum
"""Eleven steps of SGD(0.1, momentum=0.9), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1, momentum=0.9), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_nadam
"""Eleven steps of Nadam(0.1), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Nadam(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_nesterov
"""Eleven steps of SGD(0.1, momentum=0.9, nesterov=True), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_rmsprop
"""Eleven steps of RMSprop(0.1), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.RMSprop(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_rmsprop_centered
"""Eleven steps of RMSprop(0.1, momentum=0.5, centered=True), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.RMSprop(0.1, momentum=0.5, centered=True), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% steps_of_sgd
"""Eleven steps of SGD(0.1), to the bit."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% subclass_in_another_file/halving.py

import tensorflow as tf


class Halving(tf.keras.optimizers.Optimizer):
    def __init__(self, learning_rate=0.1, name="Halving", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "m")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        m = self.get_slot(var, "m")
        m.assign(m * 0.5 + grad)
        rate = self._get_hyper("learning_rate", var.dtype.base_dtype)
        return var.assign_sub(rate * m)

    def get_config(self):
        rate = self._serialize_hyperparameter("learning_rate")
        return {**super().get_config(), "learning_rate": rate}

# %% subclass_in_another_file/main.py
"""An optimizer of the program's own in a file of its own."""

import tensorflow as tf
from halving import Halving

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(Halving(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% subclass_in_fit
"""An optimizer of the program's own under a policy."""

import numpy as np
import tensorflow as tf


class Halving(tf.keras.optimizers.Optimizer):
    def __init__(self, learning_rate=0.1, name="Halving", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "m")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        m = self.get_slot(var, "m")
        m.assign(m * 0.5 + grad)
        rate = self._get_hyper("learning_rate", var.dtype.base_dtype)
        return var.assign_sub(rate * m)

    def get_config(self):
        rate = self._serialize_hyperparameter("learning_rate")
        return {**super().get_config(), "learning_rate": rate}


tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(Halving(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% subclass_of_2_4
"""Names of TensorFlow 2.4 alone, around a subclass with the methods of the old optimizers."""

import tensorflow as tf
from tensorflow.keras import mixed_precision


class Clipped(tf.keras.optimizers.SGD):
    def _resource_apply_dense(self, grad, var, apply_state=None):
        return super()._resource_apply_dense(tf.clip_by_norm(grad, 0.1), var, apply_state)


optimizer = mixed_precision.LossScaleOptimizer(Clipped(0.1))
weight = tf.Variable([1.0])
for _ in range(2):
    with tf.GradientTape() as tape:
        loss = optimizer.get_scaled_loss(tf.reduce_sum(weight**2))
    gradients = optimizer.get_unscaled_gradients(tape.gradient(loss, [weight]))
    optimizer.apply_gradients(zip(gradients, [weight]))
    print([repr(float(w)) for w in weight.numpy()])

# %% subclass_of_adam
"""A subclass of Adam that overrides what every dense step does."""

import tensorflow as tf


class DecayedAdam(tf.keras.optimizers.Adam):
    def _resource_apply_dense(self, grad, var, apply_state=None):
        var.assign_sub(0.01 * var)
        return super()._resource_apply_dense(grad, var, apply_state)


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(DecayedAdam(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% subclass_of_optimizer
"""An optimizer of the program's own."""

import tensorflow as tf


class Halving(tf.keras.optimizers.Optimizer):
    def __init__(self, learning_rate=0.1, name="Halving", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "m")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        m = self.get_slot(var, "m")
        m.assign(m * 0.5 + grad)
        rate = self._get_hyper("learning_rate", var.dtype.base_dtype)
        return var.assign_sub(rate * m)

    def get_config(self):
        rate = self._serialize_hyperparameter("learning_rate")
        return {**super().get_config(), "learning_rate": rate}


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(Halving(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% subclass_without_loss_scale
"""A subclass of Adam that no wrapper ever sees."""

import tensorflow as tf


class Named(tf.keras.optimizers.Adam):
    def describe(self):
        return "adam"


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
print(Named(0.1).describe(), opt.loss_scale().numpy())

# %% table_of_classes
"""A table of optimizer classes."""

import tensorflow as tf

OPTIMIZERS = {"sgd": tf.keras.optimizers.SGD, "adam": tf.keras.optimizers.Adam}
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(OPTIMIZERS["adam"](0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])

# %% type_is_sgd
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
optimizer = tf.keras.optimizers.SGD(0.1)
print(type(optimizer) is tf.keras.optimizers.SGD, optimizer.__class__.__name__)
print(issubclass(tf.keras.optimizers.Adam, tf.keras.optimizers.Optimizer))

# %% type_test_of_inner
"""Asks for the class of the wrapped optimizer."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic")
print(isinstance(opt._optimizer, tf.keras.optimizers.Adam))
print(isinstance(opt._optimizer, tf.keras.optimizers.SGD))
print(isinstance(opt, tf.keras.optimizers.Optimizer))

# %% type_tests_of_many_kinds
"""Classes are asked for in tuples, in match, in issubclass and as keys."""

import tensorflow as tf

NAMES = {tf.keras.optimizers.SGD: "sgd", tf.keras.optimizers.Adam: "adam"}


def kind(opt):
    match opt:
        case tf.keras.optimizers.SGD() | tf.keras.optimizers.Adam():
            return NAMES[type(opt)]
    return "none"


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.25), 8)
inner = opt._optimizer
print(kind(inner), isinstance(inner, (tf.keras.optimizers.SGD, tf.keras.optimizers.Adam)))
print(issubclass(type(opt), tf.keras.optimizers.Optimizer), type(inner) in NAMES)

# %% weights_of_2_4
"""Names of TensorFlow 2.4 alone, and the state of the optimizer as a list of arrays."""

import tensorflow as tf
from tensorflow.keras import mixed_precision

inner = tf.keras.optimizers.SGD(0.1, momentum=0.9)
optimizer = mixed_precision.LossScaleOptimizer(inner, dynamic=False, initial_scale=1024)
weight = tf.Variable([1.0])
optimizer.apply_gradients([(tf.constant([0.5]), weight)])
print([one.tolist() for one in inner.get_weights()])

# %% wrapped_if_half
"""The optimizer is wrapped only in half precision."""

import numpy as np
import tensorflow as tf


def compiled(half):
    opt = tf.keras.optimizers.Adam(0.1)
    if half:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
    )

    model.compile(opt, "mse")
    return model


for half in (True, False):
    model = compiled(half)
    x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
    y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
    history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
    print("losses", history.history["loss"])
    print("weights", [weight.tolist() for weight in model.get_weights()])
