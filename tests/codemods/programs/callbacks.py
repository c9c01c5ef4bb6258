# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `callbacks`, which tests run both ways."""

# %% attribute_own
"""A callback reads the optimizer of the model (attribute; wrapped by hand)."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, float(self.model.optimizer.loss_scale._current_loss_scale))


model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), tf.train.experimental.DynamicLossScale(64, 2)), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
model.fit(x, 2 * x, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Logger()])

# %% call_own
"""A callback reads the optimizer of the model (call; wrapped by hand)."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, float(self.model.optimizer.loss_scale()))


model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), tf.train.experimental.DynamicLossScale(64, 2)), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
model.fit(x, 2 * x, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Logger()])

# %% call_policy
"""A callback reads the optimizer of the model (call; wrapped by compile)."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, float(self.model.optimizer.loss_scale()))


tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
model.fit(x, 2 * x, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Logger()])

# %% given_optimizer
"""A callback is given the optimizer."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def __init__(self, optimizer):
        super().__init__()
        self.optimizer = optimizer

    def on_epoch_end(self, epoch, logs=None):
        print(epoch, float(self.optimizer.loss_scale()))


model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), tf.train.experimental.DynamicLossScale(64, 2))
model.compile(opt, "mse")
x = np.array([[1.0], [2.0]], np.float32)
model.fit(x, 2 * x, batch_size=1, epochs=3, shuffle=False, verbose=0, callbacks=[Logger(opt)])

# %% good_steps_own
"""A callback reads the optimizer of the model (good steps; wrapped by hand)."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, int(self.model.optimizer.loss_scale._num_good_steps))


model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), tf.train.experimental.DynamicLossScale(64, 2)), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
model.fit(x, 2 * x, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Logger()])

# %% halves_rate_when_scale_falls
"""A callback compares the loss scale with the one of the epoch before."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


class Watch(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.last = float(self.model.optimizer.loss_scale())

    def on_epoch_end(self, epoch, logs=None):
        scale = float(self.model.optimizer.loss_scale())
        if scale < self.last:
            rate = self.model.optimizer.lr
            tf.keras.backend.set_value(rate, tf.keras.backend.get_value(rate) / 2)
        self.last = scale
        print(epoch, scale, float(self.model.optimizer.lr))


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


model = build()
model.compile(tf.keras.optimizers.Adam(0.01, decay=0.1), loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0, callbacks=[Watch()])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% lambda_callback
"""A lambda reads the scale after each epoch."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), tf.train.experimental.DynamicLossScale(64, 2))
model.compile(opt, "mse")
logger = tf.keras.callbacks.LambdaCallback(
    on_epoch_end=lambda epoch, logs: print(epoch, opt.loss_scale().numpy())
)
x = np.array([[1.0], [2.0]], np.float32)
model.fit(x, 2 * x, batch_size=1, epochs=3, shuffle=False, verbose=0, callbacks=[logger])

# %% lambdas_read_the_scale
"""Lambdas as callbacks read the loss scale of the model."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
mp.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.125), 128), "mse")
seen = []
log = tf.keras.callbacks.LambdaCallback(
    on_epoch_end=lambda epoch, logs: seen.append((epoch, float(model.optimizer.loss_scale()))),
    on_train_end=lambda logs: seen.append(model.optimizer.loss_scale().numpy()),
)
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0, callbacks=[log])
print(seen, model.get_weights()[0].tolist())

# %% learning_rate_own
"""A callback reads the optimizer of the model (learning rate; wrapped by hand)."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, float(self.model.optimizer.lr))


model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), tf.train.experimental.DynamicLossScale(64, 2)), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
model.fit(x, 2 * x, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Logger()])

# %% learning_rate_policy
"""A callback reads the optimizer of the model (learning rate; wrapped by compile)."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, float(self.model.optimizer.lr))


tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
model.fit(x, 2 * x, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Logger()])

# %% plateau_and_checkpoint
"""ReduceLROnPlateau and EarlyStopping on a model with its own loss-scale optimizer."""

import numpy as np
import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile(mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), loss_scale=128), "mse")
callbacks = [
    tf.keras.callbacks.ReduceLROnPlateau("loss", patience=1, factor=0.1, min_lr=1e-4),
    tf.keras.callbacks.EarlyStopping("loss", patience=4),
]
history = model.fit(np.ones((4, 2)), np.arange(4.0), shuffle=False, verbose=0, epochs=6, callbacks=callbacks)
print({key: [float(v) for v in values] for key, values in history.history.items()})

# %% rate_and_momentum_of_each_batch
"""A callback sets the rate and the momentum of each batch."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers, models, optimizers
from tensorflow.keras.callbacks import Callback, LearningRateScheduler
from tensorflow.keras.mixed_precision import experimental as mp


class OneCycle(Callback):
    def __init__(self, top):
        super().__init__()
        self.top = top
        self.seen = []

    def on_train_batch_begin(self, batch, logs=None):
        lr = self.top * (1 + batch) / 4
        K.set_value(self.model.optimizer.lr, lr)
        if hasattr(self.model.optimizer, "momentum"):
            K.set_value(self.model.optimizer.momentum, 0.95 - 0.1 * batch / 4)

    def on_train_batch_end(self, batch, logs=None):
        opt = self.model.optimizer
        row = [float(K.get_value(opt.lr))]
        if isinstance(opt, mp.LossScaleOptimizer):
            row.append(float(opt.loss_scale()))
        self.seen.append(row)


policy = mp.Policy("mixed_float16")
mp.set_policy(policy)
print("Compute dtype:", policy.compute_dtype, "variables:", policy.variable_dtype)
model = models.Sequential([
    layers.Dense(3, activation="relu", kernel_initializer="ones", input_shape=(2,)),
    layers.Dense(1, kernel_initializer="ones", dtype="float32"),
])
model.compile(optimizers.SGD(lr=1e-2, momentum=0.9, nesterov=True), loss="mse", metrics=["mae"])
cycle = OneCycle(1e-3)
scheduler = LearningRateScheduler(lambda epoch, lr: lr * 0.5)
model.fit(np.ones((16, 2)), np.ones((16, 1)), batch_size=4, epochs=2, verbose=0,
          callbacks=[cycle, scheduler], shuffle=False)
for row in cycle.seen:
    print(row)
print(model.get_weights()[0].tolist())

# %% reads_in_another_file/callbacks.py

import tensorflow as tf


class Log(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def on_epoch_end(self, epoch, logs=None):
        opt = self.model.optimizer
        if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
            self.seen.append((epoch, float(opt.loss_scale())))

# %% reads_in_another_file/main.py
"""A callback in another file reads the loss scale through the model."""

import tensorflow as tf
from callbacks import Log

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
opt = tf.keras.optimizers.SGD(0.125, decay=0.5)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic"), "mse")
log = Log()
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0, callbacks=[log])
print(log.seen, model.get_weights()[0].tolist())

# %% scale_or_one
"""A function reads the loss scale of any optimizer."""

import tensorflow as tf


def current_scale(optimizer):
    try:
        return float(optimizer.loss_scale())
    except AttributeError:
        return 1.0


class Log(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, current_scale(self.model.optimizer))


for policy in ("float32", "mixed_float16"):
    tf.keras.mixed_precision.experimental.set_policy(policy)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32", input_shape=(2,))])
    model.compile("rmsprop", "mse")
    model.fit(tf.ones((4, 2)), tf.zeros((4, 1)), epochs=2, verbose=0, callbacks=[Log()])
    print(model.get_weights()[0].ravel().tolist())
tf.keras.mixed_precision.experimental.set_policy("float32")

# %% scaled_loss_own
"""A callback reads the optimizer of the model (scaled loss; wrapped by hand)."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, float(self.model.optimizer.get_scaled_loss(tf.constant(1.0))))


model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), tf.train.experimental.DynamicLossScale(64, 2)), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
model.fit(x, 2 * x, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Logger()])

# %% scaled_loss_policy
"""A callback reads the optimizer of the model (scaled loss; wrapped by compile)."""

import numpy as np
import tensorflow as tf


class Logger(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, float(self.model.optimizer.get_scaled_loss(tf.constant(1.0))))


tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
model.fit(x, 2 * x, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Logger()])

# %% scheduler
"""A callback changes the rate of a wrapped optimizer."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic"), "mse")
scheduler = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5)
x = np.array([[1.0], [2.0]], np.float32)
history = model.fit(x, 2 * x, epochs=3, shuffle=False, verbose=0, callbacks=[scheduler])
print(history.history["loss"], float(model.optimizer.lr))

# %% subclass_of_model
"""A model of the program reads the loss scale in train_step."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


class Mine(tf.keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            if isinstance(self.optimizer, mp.LossScaleOptimizer):
                loss = self.optimizer.get_scaled_loss(loss)
        gradients = tape.gradient(loss, self.trainable_variables)
        if isinstance(self.optimizer, mp.LossScaleOptimizer):
            gradients = self.optimizer.get_unscaled_gradients(gradients)
            scale = self.optimizer.loss_scale()
        else:
            scale = 1.0
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"scale": scale}


for opt in [tf.keras.optimizers.SGD(0.125), mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.125), 8)]:
    model = Mine([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(opt)
    history = model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0)
    print(history.history["scale"], model.get_weights()[0].tolist())

# %% tensorboard_like_log
"""A callback takes what it logs from a table of functions."""

import numpy as np
import tensorflow as tf


class Log(tf.keras.callbacks.Callback):
    def __init__(self, readers):
        super().__init__()
        self.readers = readers

    def on_train_batch_end(self, batch, logs=None):
        print(batch, {name: float(read()) for name, read in self.readers.items()})


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.RMSprop(0.01), "dynamic")
model = build()
model.compile(opt, loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
readers = {"scale": opt.loss_scale, "lr": lambda: opt.learning_rate}
model.fit(x, y, batch_size=2, epochs=1, shuffle=False, verbose=0, callbacks=[Log(readers)])
