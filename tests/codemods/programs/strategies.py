# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `strategies`, which tests run both ways."""

# %% builder_in_a_scope
"""A runner builds its optimizer in the scope of a strategy."""

import contextlib

import tensorflow as tf


class Runner:
    _built = None

    def __init__(self, strategy=None, **hparams):
        self.strategy = strategy or tf.distribute.get_strategy()
        self.hparams = dict(dict(lr=0.1, amp=True, loss_scale=64.0), **hparams)

    @contextlib.contextmanager
    def scope(self):
        with self.strategy.scope():
            yield self

    def build(self):
        with self.scope():
            if self._built is None:
                opt = tf.keras.optimizers.SGD(self.hparams["lr"])
                return_value = opt if not self.hparams["amp"] else \
                    tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, self.hparams["loss_scale"])
                self._built = return_value
            self.v = tf.Variable([1.0, 2.0])
        return self._built

    @tf.function
    def step(self, x):
        def replica_step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.v * x)
                scaled = self._built.get_scaled_loss(loss)
            grads = tape.gradient(scaled, [self.v])
            grads = self._built.get_unscaled_gradients(grads)
            self._built.apply_gradients(zip(grads, [self.v]))
            return loss
        return self.strategy.reduce(
            tf.distribute.ReduceOp.SUM, self.strategy.run(replica_step, args=(x,)), axis=None)


for runner in (Runner(), Runner(tf.distribute.OneDeviceStrategy("/cpu:0"), loss_scale="dynamic")):
    optimizer = runner.build()
    print([float(runner.step(tf.constant([1.0, -1.0]))) for _ in range(2)])
    print(float(optimizer.loss_scale()), runner.v.numpy().tolist(), int(optimizer.iterations))

# %% default_strategy
"""The strategy that stands for none."""

import tensorflow as tf

strategy = tf.distribute.get_strategy()
with strategy.scope():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% mirrored_fit_adam
"""`fit` on two replicas: adam."""

import numpy as np
import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
    )

    model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.01), tf.train.experimental.DynamicLossScale(64, 2)), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% mirrored_fit_dynamic
"""`fit` on two replicas: dynamic."""

import numpy as np
import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
    )

    model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic"), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% mirrored_fit_fixed
"""`fit` on two replicas: fixed."""

import numpy as np
import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
    )

    model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), 64), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% mirrored_fit_rewrite
"""`fit` on two replicas: rewrite."""

import numpy as np
import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
    )

    model.compile(tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.01)), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% mirrored_loop_adam
"""A loop on two replicas: adam."""

import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.01), tf.train.experimental.DynamicLossScale(64, 2))
    weight = tf.Variable([1.0, 2.0])


@tf.function
def step(factor):
    def replica():
        index = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * weight) * (factor + index)
            scaled_loss = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, [weight]))
        opt.apply_gradients(zip(gradients, [weight]))
        return loss

    return strategy.reduce("sum", strategy.run(replica), axis=None)


for factor in (1.0, 2.0, float("nan"), 1.0):
    print(float(step(factor)), weight.numpy().tolist())

# %% mirrored_loop_dynamic
"""A loop on two replicas: dynamic."""

import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic")
    weight = tf.Variable([1.0, 2.0])


@tf.function
def step(factor):
    def replica():
        index = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * weight) * (factor + index)
            scaled_loss = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, [weight]))
        opt.apply_gradients(zip(gradients, [weight]))
        return loss

    return strategy.reduce("sum", strategy.run(replica), axis=None)


for factor in (1.0, 2.0, float("nan"), 1.0):
    print(float(step(factor)), weight.numpy().tolist())

# %% mirrored_loop_fixed
"""A loop on two replicas: fixed."""

import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), 64)
    weight = tf.Variable([1.0, 2.0])


@tf.function
def step(factor):
    def replica():
        index = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * weight) * (factor + index)
            scaled_loss = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, [weight]))
        opt.apply_gradients(zip(gradients, [weight]))
        return loss

    return strategy.reduce("sum", strategy.run(replica), axis=None)


for factor in (1.0, 2.0, float("nan"), 1.0):
    print(float(step(factor)), weight.numpy().tolist())

# %% mirrored_loop_rewrite
"""A loop on two replicas: rewrite."""

import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.01))
    weight = tf.Variable([1.0, 2.0])


@tf.function
def step(factor):
    def replica():
        index = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * weight) * (factor + index)
            scaled_loss = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, [weight]))
        opt.apply_gradients(zip(gradients, [weight]))
        return loss

    return strategy.reduce("sum", strategy.run(replica), axis=None)


for factor in (1.0, 2.0, float("nan"), 1.0):
    print(float(step(factor)), weight.numpy().tolist())

# %% mirrored_policy
"""`fit` on two replicas under a mixed policy."""

import numpy as np
import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
with strategy.scope():
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

# %% mirrored_scale_reported
"""Each replica reports the loss scale, and the mean of them is printed."""

import tensorflow as tf

cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    var = tf.Variable(1.0)
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.Adam(0.5), loss_scale="dynamic"
    )


@tf.function
def train(factors):
    def replica():
        index = tf.distribute.get_replica_context().replica_id_in_sync_group
        grads = [tf.gather(factors, index) * opt.loss_scale()]
        opt.apply_gradients(zip(opt.get_unscaled_gradients(grads), [var]))
        return opt.loss_scale()

    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(replica), axis=None)


for factors in ([1.0, 2.0], [float("nan"), 1.0], [0.5, 0.5]):
    print(float(train(tf.constant(factors))), float(opt.loss_scale()), var.numpy())

# %% one_device
"""A strategy of one device."""

import numpy as np
import tensorflow as tf

strategy = tf.distribute.OneDeviceStrategy("CPU:0")
with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
    )

    model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01, momentum=0.9), "dynamic"), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% scale_in_replica
"""A replica reads the scale."""

import tensorflow as tf

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 1))
    weight = tf.Variable(1.0)


def replica():
    opt.apply_gradients([(tf.constant(1.0), weight)])
    return opt.loss_scale()


for _ in range(2):
    print(strategy.experimental_local_results(strategy.run(replica))[0].numpy())

# %% scope_makes_all
"""Everything is made in the scope of a strategy, and the step is a method of a trainer."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer


class Trainer:
    def __init__(self, strategy, fp16):
        self.strategy = strategy
        with strategy.scope():
            self.weight = tf.Variable([1.0, 2.0])
            opt = tf.keras.optimizers.Adamax(0.1)
            self.optimizer = LossScaleOptimizer(opt, loss_scale="dynamic") if fp16 else opt
        self.fp16 = fp16

    @tf.function
    def step(self, x):
        def replica(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.weight * x)
                scaled = self.optimizer.get_scaled_loss(loss) if self.fp16 else loss
            grads = tape.gradient(scaled, [self.weight])
            if self.fp16:
                grads = self.optimizer.get_unscaled_gradients(grads)
            self.optimizer.apply_gradients(list(zip(grads, [self.weight])))
            return loss

        losses = self.strategy.run(replica, args=(x,))
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


for fp16 in (False, True):
    trainer = Trainer(tf.distribute.MirroredStrategy(["/cpu:0"]), fp16)
    for value in (1.0, 2.0, float("inf"), 3.0):
        print(trainer.step(tf.constant(value)).numpy(), trainer.weight.numpy().tolist())
    print(trainer.optimizer.iterations.numpy())
