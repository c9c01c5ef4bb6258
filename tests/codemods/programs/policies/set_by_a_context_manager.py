# SPDX-License-Identifier: Apache-2.0
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
