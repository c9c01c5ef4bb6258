# SPDX-License-Identifier: Apache-2.0
"""fit under two replicas with a policy: the batch is split, the NaN half spoils the whole step."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

cpu = tf.config.experimental.list_physical_devices("CPU")[0]
tf.config.experimental.set_virtual_device_configuration(
    cpu, [tf.config.experimental.VirtualDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,))]
    )
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(128.0, 2)
    )
    model.compile(opt, "mse")
x = np.array([[1.0], [1.0]], np.float32)
for step, targets in enumerate([[3.0, 5.0], [3.0, float("nan")], [float("nan"), 3.0], [3.0, 3.0], [4.0, 4.0]]):
    y = np.array(targets, np.float32)[:, None]
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(2)
    model.fit(data, epochs=1, verbose=0)
    observe("step%d.weights" % step, model.get_weights())
    observe("step%d.scale" % step, model.optimizer.get_scaled_loss(tf.constant(1.0)))
