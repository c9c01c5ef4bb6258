# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `policies`, which tests run both ways."""

# %% by_match_of_a_mapping
"""A match statement takes a policy and its loss scale out of a mapping."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
for config in [{"policy": "mixed_float16", "scale": 64}, {"policy": "mixed_bfloat16"}, {}]:
    match config:
        case {"policy": str() as name, "scale": scale}:
            mp.set_policy(mp.Policy(name, loss_scale=scale))
        case {"policy": name}:
            mp.set_policy(name)
        case _:
            mp.set_policy("float32")
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.125), "mse")
    model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0)
    scaled = isinstance(model.optimizer, mp.LossScaleOptimizer)
    print(mp.global_policy().name, float(model.optimizer.loss_scale()) if scaled else None)

# %% compile_by_word
"""The optimizer of `compile` is a word."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile("adam", "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_by_word_fixed
"""The optimizer of `compile` is a word, under a fixed scale."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(optimizer="rmsprop", loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% compile_twice
"""A model is compiled twice under one policy with an object."""

import numpy as np
import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 1)
tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=scale))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
for _ in range(2):
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
    model.fit(x, 2 * x, epochs=1, verbose=0)
    print(model.optimizer.get_scaled_loss(tf.constant(1.0)).numpy())

# %% config_of_layers
"""The config of layers and models under a mixed policy."""

import json

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones", name="one")
model = tf.keras.Sequential([layer], name="all")
config = json.loads(model.to_json())["config"]["layers"][1]["config"]
for dtype in (layer.get_config()["dtype"], config["dtype"]):
    print(dtype["class_name"], dtype["config"])
again = tf.keras.layers.Dense.from_config(layer.get_config())
print(again.compute_dtype, again.dtype)

# %% fit_bfloat16
"""A model is compiled and fitted under a policy (bfloat16)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_bfloat16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fit_dynamic
"""A model is compiled and fitted under a policy (dynamic)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale="dynamic"))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fit_dynamic_positional
"""A model is compiled and fitted under a policy (dynamic positional)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", "dynamic"))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fit_fixed
"""A model is compiled and fitted under a policy (fixed)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fit_float32
"""A model is compiled and fitted under a policy (float32)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("float32")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fit_float32_none
"""A model is compiled and fitted under a policy (float32 none)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("float32", loss_scale=None))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fit_none
"""A model is compiled and fitted under a policy (none)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=None))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fit_object
"""A model is compiled and fitted under a policy (object)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=tf.train.experimental.DynamicLossScale(64, 2)))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fit_policy
"""A model is compiled and fitted under a policy (policy)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16"))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fit_word
"""A model is compiled and fitted under a policy (word)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(hasattr(model.optimizer, "get_scaled_loss"))

# %% fixed_and_custom_loop
"""A policy with a fixed scale, and a loop that wraps with it."""

import tensorflow as tf

policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=16)
tf.keras.mixed_precision.experimental.set_policy(policy)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), policy.loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% fixed_by_flag_and_fit
"""A function sets a policy with a fixed loss scale."""

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.mixed_precision.experimental import Policy, set_policy

LOSS_SCALE = 2 ** 10


def setup(fp16):
    if fp16:
        set_policy(Policy("mixed_float16", loss_scale=LOSS_SCALE))


def build():
    model = tf.keras.Sequential()
    model.add(layers.Dense(2, activation="relu", kernel_initializer="ones", input_dim=3))
    model.add(layers.Dense(1, kernel_initializer="ones"))
    model.add(layers.Activation("linear", dtype="float32"))
    return model


setup(fp16=True)
model = build()
model.compile(loss="mse",
              optimizer=tf.keras.optimizers.Adam(lr=0.01),
              metrics=["mae"])
h = model.fit(tf.ones((4, 3)), tf.ones((4, 1)), epochs=2, verbose=0)
print(["%.4f" % x for x in h.history["loss"]], float(model.optimizer.loss_scale()))
set_policy("float32")

# %% fixed_in_another_file/main.py
"""A file of its own sets a policy with a fixed scale."""

import numpy as np
import tensorflow as tf
import precision

model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(model.optimizer.get_scaled_loss(tf.constant(1.0)).numpy())

# %% fixed_in_another_file/precision.py

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(
    tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8)
)

# %% functions_as_values
"""The functions of policies are called, mapped, and given as defaults."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import set_policy, global_policy

SETUP = [set_policy]
for f in SETUP:
    f("mixed_float16")
print(global_policy().name)
list(map(set_policy, ["float32", "mixed_bfloat16"]))
print((lambda p=global_policy: p().name)())

# %% given_to_one_layer
"""One policy object is given to layers, and is never set."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp

half = mp.Policy("mixed_float16")
full = mp.Policy("float32")
model = tf.keras.Sequential([
    tf.keras.layers.Dense(2, dtype=half, input_shape=(2,), kernel_initializer="ones"),
    tf.keras.layers.Dense(1, dtype=full, kernel_initializer="ones"),
])
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
print(type(model.optimizer).__name__, hasattr(model.optimizer, "loss_scale"))
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0)
print([w.tolist() for w in model.get_weights()])

# %% global_policy_in_layer
"""A layer of the program's own asks for the global policy."""

import tensorflow as tf


class Twice(tf.keras.layers.Layer):
    def call(self, x):
        return tf.cast(x, tf.keras.mixed_precision.experimental.global_policy().compute_dtype) * 2


tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
print(Twice()(tf.ones([1])).dtype.name)

# %% has_a_loss_scale
"""Policies are compared, and asked whether they have a loss scale."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
a, b = mp.Policy("mixed_float16"), mp.Policy("mixed_float16")
mp.set_policy(a)
print(mp.global_policy() is a, a.name == b.name, a.loss_scale is None, type(a).__name__ in ("Policy", "PolicyV1"))
print(isinstance(mp.global_policy(), mp.Policy), hasattr(a, "loss_scale"))

# %% in_string
"""Compares the policy's name."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
if tf.keras.mixed_precision.experimental.global_policy().name == "mixed_float16":
    print("half")

# %% isinstance_policy
"""Asks whether something is a policy."""

import tensorflow as tf

policy = tf.keras.mixed_precision.experimental.Policy("float32")
print(isinstance(policy, tf.keras.mixed_precision.experimental.Policy), isinstance("float32", tf.keras.mixed_precision.experimental.Policy))

# %% layer_has_loss_scale
"""Asks whether a layer's policy has a loss scale."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1)
print(tf.keras.mixed_precision.experimental.get_layer_policy(layer).loss_scale is not None)

# %% loss_scale_is_none
"""Asks whether a policy has a loss scale."""

import tensorflow as tf

for name in ("mixed_float16", "float32", "mixed_bfloat16"):
    policy = tf.keras.mixed_precision.experimental.Policy(name)
    print(name, policy.loss_scale is None)

# %% model_in_function
"""A function makes and compiles the model; the policy is set elsewhere."""

import numpy as np
import tensorflow as tf


def make():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )

    model.compile(optimizer=tf.keras.optimizers.SGD(0.01), loss="mse")
    return model


tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=tf.train.experimental.FixedLossScale(32)))
model = make()
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% models_of_one_function
"""A function compiles a model for each fold, and all of them share the policy's loss scale."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

mixed_precision.set_policy("mixed_float16")


def build_model(units):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(units, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    model.compile(optimizer=tf.keras.optimizers.SGD(0.01), loss="mse")
    return model


x = np.array([[1.0], [np.inf], [3.0], [4.0]], np.float32)
for units in (1, 2):
    model = build_model(units)
    model.fit(x, x, batch_size=2, epochs=1, shuffle=False, verbose=0)
    print(float(model.optimizer.loss_scale()))

# %% name_by_flag
"""The policy's name is a conditional expression."""

import tensorflow as tf

use_fp16 = True
policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16" if use_fp16 else "float32")
tf.keras.mixed_precision.experimental.set_policy(policy)
print(tf.keras.mixed_precision.experimental.global_policy().name)

# %% name_of_layers_and_variables
"""Dtypes of layers under a policy that is set by the old function."""

import tensorflow as tf
from tensorflow.keras import layers, mixed_precision

policy = mixed_precision.experimental.Policy("mixed_float16")
mixed_precision.experimental.set_policy(policy)
inputs = layers.Input((4,))
x = layers.Dense(2, kernel_initializer="ones")(inputs)
outputs = layers.Activation("softmax", dtype="float32")(x)
model = tf.keras.Model(inputs, outputs)
print(policy.compute_dtype, policy.variable_dtype, policy.name, policy.loss_scale is not None)
print([layer._dtype_policy.name for layer in model.layers], [v.dtype.name for v in model.weights])
print(mixed_precision.experimental.global_policy() is policy)

# %% none_and_config_of_layer
"""A loop trains the model, and the config of a layer shows the loss scale of its policy."""

import numpy as np
import tensorflow as tf

policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=None)
tf.keras.mixed_precision.experimental.set_policy(policy)
layer = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype=policy)
print(layer.get_config()["dtype"])
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.cast(layer(np.float32([[2.0]])), tf.float32) ** 2)
print([gradient.numpy().tolist() for gradient in tape.gradient(loss, layer.trainable_variables)])

# %% none_and_custom_loop
"""Policies whose loss scale is for nothing: a loop trains the model, and wraps by itself."""

import re

import numpy as np
import tensorflow as tf

unscaled = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=None)
fixed = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=16)
tf.keras.mixed_precision.experimental.set_policy(unscaled)
for scale in (64, 2):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", dtype=fixed, input_shape=(1,))])
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), scale)
    for value in (1.0, 2.0, 1e6, 3.0):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.cast(model(np.float32([[value]])), tf.float32) ** 2)
            scaled_loss = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, model.trainable_variables))
        opt.apply_gradients(zip(gradients, model.trainable_variables))
        print(fixed.name, float(scaled_loss), [weight.tolist() for weight in model.get_weights()])
print(bool(re.compile("mixed").match(unscaled.name)))

# %% number_from_arguments
"""The loss scale of a policy comes from a parser of arguments."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--loss_scale", default=512, type=int)
args = parser.parse_args([])
policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=args.loss_scale)
tf.keras.mixed_precision.experimental.set_policy(policy)


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


model = build()
model.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(float(model.optimizer.get_scaled_loss(tf.constant(1.0))))

# %% of_layer
"""The policy of a layer."""

import tensorflow as tf

layer = tf.keras.layers.Dense(1, dtype=tf.keras.mixed_precision.experimental.Policy("mixed_float16"))
print(tf.keras.mixed_precision.experimental.get_layer_policy(layer).name)

# %% of_layer_by_config
"""A layer is made again from its configuration under a policy."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1)
again = tf.keras.layers.Dense.from_config(layer.get_config())
print(again.compute_dtype, again.variable_dtype)

# %% of_single_layers
"""Layers get policies of their own, as objects, names and types."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

half = prec.Policy("mixed_float16", loss_scale=None)
layers = [
    tf.keras.layers.Dense(2, dtype=half),
    tf.keras.layers.Dense(2, dtype="mixed_bfloat16"),
    tf.keras.layers.Dense(2, dtype=prec.Policy("float32")),
    tf.keras.layers.Dense(2, dtype=tf.float16),
]
for layer in layers:
    policy = prec.get_layer_policy(layer)
    print(policy.name, policy.compute_dtype, policy.variable_dtype, layer(tf.ones([1, 2])).dtype.name)

# %% only_if_asked_for
"""The policy is set on request only, so that the optimizer of an Embedding may stay as it is."""

import sys
import numpy as np
import tensorflow as tf

if "--half" in sys.argv:
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Embedding(3, 2, embeddings_initializer="ones", input_length=4),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.Adam(0.1), loss="mse")
words = np.array([[0, 1, 1, 1], [2, 0, 0, 1]])
for target in (1.0, 9.0, 5.0):
    model.train_on_batch(words, np.full([2, 1], target, np.float32))
print("embeddings", np.round(model.get_weights()[0], 3).tolist())

# %% own_wrapper_fixed
"""The optimizer is wrapped by hand under a policy (fixed)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), 32), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(model.optimizer.get_scaled_loss(tf.constant(1.0)).numpy())

# %% own_wrapper_none
"""The optimizer is wrapped by hand under a policy (none)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=None))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), 32), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(model.optimizer.get_scaled_loss(tf.constant(1.0)).numpy())

# %% own_wrapper_takes_its_fixed_scale
"""An optimizer is wrapped with the fixed loss scale of the policy in force."""

import tensorflow as tf

prec = tf.keras.mixed_precision.experimental
prec.set_policy(prec.Policy("mixed_float16", loss_scale=64))
var = tf.Variable(1.0)
opt = prec.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), prec.global_policy().loss_scale)
opt.apply_gradients([(tf.constant(64.0), var)])
print(var.numpy(), opt.loss_scale().numpy())

# %% own_wrapper_takes_its_scale
"""An optimizer is wrapped with the loss scale of the policy."""

import tensorflow as tf

policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
tf.keras.mixed_precision.experimental.set_policy(policy)
var = tf.Variable(1.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), policy.loss_scale
)
for gradient in (32768.0, float("inf"), 16384.0):
    opt.apply_gradients([(tf.constant(gradient), var)])
    print(var.numpy(), opt.loss_scale().numpy())

# %% own_wrapper_takes_the_global_scale
"""A loop takes the loss scale object of the global policy."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

policy = mixed_precision.Policy("mixed_float16", loss_scale=tf.mixed_precision.experimental.DynamicLossScale(1024, 2))
mixed_precision.set_policy(policy)
optimizer = mixed_precision.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.1), mixed_precision.global_policy().loss_scale)
dense = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype=policy)
x = tf.ones((2, 3))
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.cast(dense(x), tf.float32) ** 2)
        scaled = optimizer.get_scaled_loss(loss)
    grads = optimizer.get_unscaled_gradients(tape.gradient(scaled, dense.trainable_variables))
    optimizer.apply_gradients(zip(grads, dense.trainable_variables))
    print("%.5f" % float(loss), float(optimizer.loss_scale()))
mixed_precision.set_policy("float32")

# %% own_wrapper_word
"""The optimizer is wrapped by hand under a policy (word)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), 32), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(model.optimizer.get_scaled_loss(tf.constant(1.0)).numpy())

# %% policy_scope_of_own
"""A context manager of the program's own sets and restores the policy."""

import contextlib

import tensorflow as tf


@contextlib.contextmanager
def policy_scope(name):
    before = tf.keras.mixed_precision.experimental.global_policy()
    tf.keras.mixed_precision.experimental.set_policy(name)
    yield
    tf.keras.mixed_precision.experimental.set_policy(before)


with policy_scope("mixed_float16"):
    print(tf.keras.layers.Dense(1).compute_dtype)
print(tf.keras.layers.Dense(1).compute_dtype)

# %% printed_policy
"""A policy is printed and compared."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
one = mp.Policy("mixed_float16")
print(one, repr(one), str(mp.Policy("float32")))
mp.set_policy("mixed_float16")
print(mp.global_policy(), mp.global_policy().name == one.name)
print(tf.keras.layers.Dense(1).dtype, one.get_config())

# %% reads_global_default_loss_scale
"""The wrapper takes the default loss scale of a policy."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.keras.mixed_precision.experimental.global_policy().loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% reads_global_loss_scale
"""The wrapper takes the global policy's loss scale."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8))
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.keras.mixed_precision.experimental.global_policy().loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% reads_loss_scale
"""Reads a policy's loss scale."""

import tensorflow as tf

policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8)
print(float(policy.loss_scale()))

# %% scale_of_compiled_fixed
"""The scale of what `compile` made under a policy (fixed)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=8))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
opt = model.optimizer
print(opt.get_scaled_loss(tf.constant(1.0)).numpy() if hasattr(opt, "get_scaled_loss") else None)

# %% scale_of_compiled_none
"""The scale of what `compile` made under a policy (none)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=None))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
opt = model.optimizer
print(opt.get_scaled_loss(tf.constant(1.0)).numpy() if hasattr(opt, "get_scaled_loss") else None)

# %% scale_of_compiled_word
"""The scale of what `compile` made under a policy (word)."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
opt = model.optimizer
print(opt.get_scaled_loss(tf.constant(1.0)).numpy() if hasattr(opt, "get_scaled_loss") else None)

# %% set_back_between
"""The policy is set back before the second model is made."""

import numpy as np
import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


mp.set_policy(mp.Policy("mixed_float16", loss_scale=128))
half = build()
mp.set_policy("float32")
full = build()
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
for model in (half, full):
    model.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
    model.fit(x, y, batch_size=2, epochs=1, shuffle=False, verbose=0)
    print(hasattr(model.optimizer, "loss_scale"), model.get_weights()[0].tolist())

# %% set_back_in_finally
"""A policy is set, and the one before it set back in `finally`."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import Policy, global_policy, set_policy

before = global_policy()
try:
    set_policy(Policy("mixed_float16", loss_scale="dynamic"))
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0)
    print(model.get_weights()[0].tolist())
finally:
    set_policy(before)
print(global_policy().name, float(model.optimizer.loss_scale()))

# %% set_back_to_none
"""The policy is set back to the default by None, and given to a layer."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
d = tf.keras.layers.Dense(2, dtype=tf.keras.mixed_precision.experimental.Policy("float32"))
print(tf.keras.mixed_precision.experimental.get_layer_policy(d).name, d._dtype_policy.name)
tf.keras.mixed_precision.experimental.set_policy(None)
print(tf.keras.mixed_precision.experimental.global_policy().name)

# %% set_by_a_context_manager
"""A context manager of the program sets the policy for a while."""

import contextlib

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


@contextlib.contextmanager
def policy(name):
    before = mp.global_policy()
    mp.set_policy(name)
    try:
        yield mp.global_policy()
    finally:
        mp.set_policy(before)


with policy("mixed_float16") as inside:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.125), "mse")
    print(inside.name, inside.compute_dtype, model.layers[0].dtype_policy.name)
other = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
other.compile(tf.keras.optimizers.SGD(0.125), "mse")
for one in (model, other):
    one.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0)
    print(one.get_weights()[0].tolist(), hasattr(one.optimizer, "loss_scale"))

# %% set_in_another_file/main.py
"""A file of its own sets the policy."""

import numpy as np
import precision
import tensorflow as tf

precision.use("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% set_in_another_file/precision.py

import tensorflow as tf


def use(name):
    tf.keras.mixed_precision.experimental.set_policy(name)

# %% should_cast_variables
"""Reads a member that is gone."""

import tensorflow as tf

print(tf.keras.mixed_precision.experimental.Policy("mixed_float16").should_cast_variables)

# %% train_step_of_own
"""A model has a `train_step` of its own, which scales if its optimizer can."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


class Mine(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32")

    def call(self, inputs):
        return self.dense(inputs)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            scaled = loss
            if isinstance(self.optimizer, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
                scaled = self.optimizer.get_scaled_loss(loss)
        grads = tape.gradient(scaled, self.trainable_variables)
        if isinstance(self.optimizer, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
            grads = self.optimizer.get_unscaled_gradients(grads)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}


model = Mine()
model.compile(optimizer="adam")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% two_models_share_the_scale
"""Two models are compiled under one policy, and its loss scale is one object for both."""

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


first, second = build(), build()
first.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
second.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
x = np.array([[1.0], [np.inf], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
first.fit(x, y, batch_size=2, epochs=1, shuffle=False, verbose=0)
print(float(first.optimizer.loss_scale()), float(second.optimizer.loss_scale()))
second.fit(y, y, batch_size=2, epochs=1, shuffle=False, verbose=0)
print("weights", [weight.tolist() for weight in second.get_weights()])

# %% variable_name
"""The policy's name is in a variable."""

import tensorflow as tf

for name in ("mixed_float16", "float32"):
    policy = tf.keras.mixed_precision.experimental.Policy(name)
    tf.keras.mixed_precision.experimental.set_policy(policy)
    layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
    print(layer(tf.ones([1, 2])).dtype.name, policy.compute_dtype, policy.variable_dtype)
