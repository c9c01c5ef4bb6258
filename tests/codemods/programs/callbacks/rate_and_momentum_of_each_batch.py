# SPDX-License-Identifier: Apache-2.0
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
