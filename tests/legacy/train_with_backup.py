# SPDX-License-Identifier: Apache-2.0
"""Trains with BackupAndRestore, for TensorFlow 2.3 and for `run`: `PYTHON FILE FOLDER [STOP_AT]`.

What is in `backup-2.3` was written under TensorFlow 2.3.4, without this package. `python
train_with_backup.py backup-2.3/folder 3` trains until epoch 3 begins and leaves the backup, and
`python train_with_backup.py COPY > backup-2.3/resumed.json` goes on from a copy of it.
"""

import contextlib
import json
import sys

import numpy as np
import tensorflow as tf


class Epochs(tf.keras.callbacks.Callback):
    """Notes the epochs, and stops as a crash does."""

    def __init__(self, stop_at):
        super().__init__()
        self.stop_at = stop_at
        self.seen = []

    def on_epoch_begin(self, epoch, logs=None):
        """Notes an epoch."""
        if epoch == self.stop_at:
            raise KeyboardInterrupt
        self.seen.append(epoch)


def main(folder, stop_at=None):
    """Trains for five epochs, or until it stops, and says what came of it."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.set_weights([np.array([[0.5], [-0.25]]), np.array([0.0])])
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.125, momentum=0.5),
        tf.mixed_precision.experimental.DynamicLossScale(64, increment_period=4),
    )
    model.compile(optimizer, "mse")
    epochs = Epochs(stop_at)
    backup = tf.keras.callbacks.experimental.BackupAndRestore(folder)
    x, y = np.array([[1.0, 2.0], [2.0, -1.0]]), np.array([[1.0], [0.5]])
    with contextlib.suppress(KeyboardInterrupt):
        model.fit(x, y, 1, epochs=5, verbose=0, shuffle=False, callbacks=[backup, epochs])
    told = {
        "epochs": epochs.seen,
        "iterations": int(optimizer.iterations.numpy()),
        "loss_scale": float(optimizer.loss_scale().numpy()),
        "weights": [value.tolist() for value in model.get_weights()],
    }
    json.dump(told, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
