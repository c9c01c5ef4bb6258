# SPDX-License-Identifier: Apache-2.0
"""Two optimizers of a model that overrides `compile`."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision
from nets.gan import GAN
from nets import builders

mixed_precision.set_policy("mixed_float16")
gan = GAN(builders.build_generator(), builders.build_discriminator())
gan.compile(
    d_optimizer=builders.make_optimizer("d"),
    g_optimizer=builders.make_optimizer("g", beta_1=0.5),
)
data = tf.data.Dataset.from_tensor_slices(tf.ones((8, 2))).batch(4)
history = gan.fit(data, epochs=2, verbose=0)
print({name: ["%.4f" % value for value in values] for name, values in history.history.items()})
print(float(gan.d_optimizer.loss_scale()), gan.report())
