# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `checkpoints`, which tests run both ways."""

# %% adam_dynamic
"""Training goes on from a checkpoint (adam, dynamic)."""

import os
import tempfile

import tensorflow as tf


def train(opt, weight, steps):
    for _ in range(steps):
        opt.minimize(lambda: weight * weight, var_list=[weight])
        print(weight.numpy(), opt.get_scaled_loss(tf.constant(1.0)).numpy())


with tempfile.TemporaryDirectory() as folder:
    weight = tf.Variable(2.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), tf.train.experimental.DynamicLossScale(64, 2))
    train(opt, weight, 3)
    path = tf.train.Checkpoint(optimizer=opt, weight=weight).save(os.path.join(folder, "checkpoint"))
    print(sorted(name for name, _ in tf.train.list_variables(path) if name[0] != "_"))
    again = tf.Variable(0.0)
    other = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5), tf.train.experimental.DynamicLossScale(64, 2))
    tf.train.Checkpoint(optimizer=other, weight=again).restore(path)
    train(other, again, 2)

# %% adam_fixed
"""Training goes on from a checkpoint (adam, fixed)."""

import os
import tempfile

import tensorflow as tf


def train(opt, weight, steps):
    for _ in range(steps):
        opt.minimize(lambda: weight * weight, var_list=[weight])
        print(weight.numpy(), opt.get_scaled_loss(tf.constant(1.0)).numpy())


with tempfile.TemporaryDirectory() as folder:
    weight = tf.Variable(2.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 64)
    train(opt, weight, 3)
    path = tf.train.Checkpoint(optimizer=opt, weight=weight).save(os.path.join(folder, "checkpoint"))
    print(sorted(name for name, _ in tf.train.list_variables(path) if name[0] != "_"))
    again = tf.Variable(0.0)
    other = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5), 64)
    tf.train.Checkpoint(optimizer=other, weight=again).restore(path)
    train(other, again, 2)

# %% copied
"""Optimizers are copied, pickled and made again from their class."""

import copy

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
opt = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(0.25, decay=0.5), 8)
again = type(opt._optimizer).from_config(opt._optimizer.get_config())
other = opt._optimizer.__class__(**{"learning_rate": 0.5, "decay": 0.25})
third = copy.copy(tf.keras.optimizers.SGD(0.25, decay=0.5))
for inner in [again, other, third]:
    one = mp.LossScaleOptimizer(inner, 8)
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        one.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), type(inner).__name__)

# %% custom_objects
"""The class stands among the custom objects."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 32)
with tf.keras.utils.custom_object_scope({"LossScaleOptimizer": tf.keras.mixed_precision.experimental.LossScaleOptimizer}):
    again = tf.keras.mixed_precision.experimental.LossScaleOptimizer.from_config(opt.get_config())
print(again.get_scaled_loss(tf.constant(1.0)).numpy())

# %% h5_model
"""A model is saved as h5 and loaded, with its optimizer."""

import os
import tempfile

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic"), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.h5")
    model.save(path)
    model = tf.keras.models.load_model(path)
print(model.optimizer.iterations.numpy(), float(model.optimizer.learning_rate))
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% keys_are_filtered
"""What a checkpoint holds is listed, and the slots of the optimizer are counted."""

import os
import tempfile

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
var = tf.Variable([1.0, 2.0])
opt = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5), "dynamic")
opt.apply_gradients([(tf.constant([1.0, 1.0]), var)])
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(var=var, opt=opt).save(os.path.join(folder, "ckpt"))
    keys = [key for key, _ in tf.train.list_variables(path)]
print(sorted(key for key in keys if "loss_scale" in key))
print(sorted(key.split("/")[-3] for key in keys if "OPTIMIZER_SLOT" in key))
print(len(opt.weights), [weight.shape.as_list() for weight in opt.weights])

# %% manager
"""A manager keeps the last checkpoints."""

import tempfile

import tensorflow as tf

weight = tf.Variable(2.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic")
with tempfile.TemporaryDirectory() as folder:
    checkpoint = tf.train.Checkpoint(step=tf.Variable(0), optimizer=opt, weight=weight)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    for _ in range(3):
        opt.minimize(lambda: weight * weight, var_list=[weight])
        checkpoint.step.assign_add(1)
        manager.save()
    weight.assign(9.0)
    checkpoint.restore(manager.latest_checkpoint).expect_partial()
print(weight.numpy(), int(checkpoint.step))

# %% momentum_dynamic
"""Training goes on from a checkpoint (momentum, dynamic)."""

import os
import tempfile

import tensorflow as tf


def train(opt, weight, steps):
    for _ in range(steps):
        opt.minimize(lambda: weight * weight, var_list=[weight])
        print(weight.numpy(), opt.get_scaled_loss(tf.constant(1.0)).numpy())


with tempfile.TemporaryDirectory() as folder:
    weight = tf.Variable(2.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1, momentum=0.9), tf.train.experimental.DynamicLossScale(64, 2))
    train(opt, weight, 3)
    path = tf.train.Checkpoint(optimizer=opt, weight=weight).save(os.path.join(folder, "checkpoint"))
    print(sorted(name for name, _ in tf.train.list_variables(path) if name[0] != "_"))
    again = tf.Variable(0.0)
    other = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5, momentum=0.1), tf.train.experimental.DynamicLossScale(64, 2))
    tf.train.Checkpoint(optimizer=other, weight=again).restore(path)
    train(other, again, 2)

# %% momentum_fixed
"""Training goes on from a checkpoint (momentum, fixed)."""

import os
import tempfile

import tensorflow as tf


def train(opt, weight, steps):
    for _ in range(steps):
        opt.minimize(lambda: weight * weight, var_list=[weight])
        print(weight.numpy(), opt.get_scaled_loss(tf.constant(1.0)).numpy())


with tempfile.TemporaryDirectory() as folder:
    weight = tf.Variable(2.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1, momentum=0.9), 64)
    train(opt, weight, 3)
    path = tf.train.Checkpoint(optimizer=opt, weight=weight).save(os.path.join(folder, "checkpoint"))
    print(sorted(name for name, _ in tf.train.list_variables(path) if name[0] != "_"))
    again = tf.Variable(0.0)
    other = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5, momentum=0.1), 64)
    tf.train.Checkpoint(optimizer=other, weight=again).restore(path)
    train(other, again, 2)

# %% restored_by_latest_checkpoint
"""A checkpoint of a step counter, an optimizer and weights, restored when there is one."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def make():
    weight = tf.Variable([1.0, 2.0])
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), loss_scale="dynamic")
    step = tf.Variable(0, dtype=tf.int64)
    return weight, opt, step, tf.train.Checkpoint(step=step, optimizer=opt, weight=weight)


weight, opt, step, checkpoint = make()
manager = tf.train.CheckpointManager(checkpoint, "out", max_to_keep=1)
for _ in range(2):
    opt.apply_gradients([(tf.constant([float("inf"), 1.0]), weight)])
    step.assign_add(1)
manager.save()
weight, opt, step, checkpoint = make()
status = checkpoint.restore(tf.train.latest_checkpoint("out"))
status.assert_existing_objects_matched()
opt.apply_gradients([(tf.constant([1.0, 1.0]), weight)])
print(weight.numpy(), int(step), float(opt.get_scaled_loss(tf.constant(1.0))))

# %% resumes_with_other_growth
"""A run goes on from a checkpoint with an optimizer that is made by another function."""

import os
import tempfile

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer


def make(period):
    scale = tf.mixed_precision.experimental.DynamicLossScale(
        initial_loss_scale=32, increment_period=period
    )
    return LossScaleOptimizer(tf.keras.optimizers.Adam(0.5, beta_1=0.5), scale)


def run(var, opt, gradients):
    for gradient in gradients:
        opt.apply_gradients([(tf.constant(gradient), var)])
        print(var.numpy(), opt.loss_scale().numpy(), int(opt.iterations))


var, opt = tf.Variable(1.0), make(2)
run(var, opt, [1.0, 2.0, 3.0])
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(var=var, opt=opt).save(os.path.join(folder, "ckpt"))
    var, opt = tf.Variable(0.0), make(3)
    tf.train.Checkpoint(var=var, opt=opt).restore(path)
    run(var, opt, [1.0, float("nan"), 2.0])

# %% saved_model_with_optimizer
"""A compiled model is saved whole and loaded again, then trained on."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile(tf.keras.optimizers.Adam(0.1), "mse")
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0)
model.save("model.h5")
again = tf.keras.models.load_model("model.h5")
again.fit(np.ones((4, 2)), np.zeros(4), verbose=0)
print(again.optimizer.iterations.numpy(), [w.tolist() for w in again.get_weights()])
print(float(again.optimizer.loss_scale()))

# %% serialized
"""The optimizer is serialized and made again."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 32)
config = tf.keras.optimizers.serialize(opt)
again = tf.keras.optimizers.deserialize(config)
print(again.get_scaled_loss(tf.constant(1.0)).numpy(), float(again.learning_rate))

# %% serialized_class_name
"""The serialized optimizer's class is compared."""

import tensorflow as tf

config = tf.keras.optimizers.serialize(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 32))
print(config["class_name"] == "LossScaleOptimizer")

# %% weights
"""A model's weights are saved and loaded."""

import os
import tempfile

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 32), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "weights")
    model.save_weights(path)
    model.set_weights([weight * 0 for weight in model.get_weights()])
    model.load_weights(path).expect_partial()
print([weight.tolist() for weight in model.get_weights()])

# %% weights_of_the_wrapper
"""The weights of one wrapper go to another one."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer


def make():
    opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.1, momentum=0.9), loss_scale="dynamic")
    v = tf.Variable([1.0])
    opt.apply_gradients([(tf.constant([1.0]), v)])
    return opt, v


first, v = make()
first.apply_gradients([(tf.constant([2.0]), v)])
saved = first.get_weights()
second, w = make()
second.set_weights(saved)
second.apply_gradients([(tf.constant([0.0]), w)])
print(len(saved), w.numpy().tolist(), int(second.iterations))
clone = LossScaleOptimizer(tf.keras.optimizers.SGD.from_config(first._optimizer.get_config()), loss_scale=first.loss_scale)
print(float(clone.get_scaled_loss(tf.constant(1.0))), float(clone.lr))
