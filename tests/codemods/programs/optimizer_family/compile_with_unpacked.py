# SPDX-License-Identifier: Apache-2.0
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
