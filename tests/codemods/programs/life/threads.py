# SPDX-License-Identifier: Apache-2.0
"""Several threads take steps, and read the loss scale."""

import threading

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(16, 100)
)
weight = tf.Variable(1.0)
lock, seen = threading.Lock(), []


def work(opt=opt):
    with lock:
        opt.apply_gradients([(tf.constant(1.0), weight)])
        seen.append(float(opt.loss_scale()))


threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(seen, weight.numpy())
