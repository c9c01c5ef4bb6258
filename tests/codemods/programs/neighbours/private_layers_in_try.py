# SPDX-License-Identifier: Apache-2.0
"""Private modules are imported in `try`, with a handler."""

import tensorflow as tf

try:
    from tensorflow.python.keras import layers
    from tensorflow.python.keras.engine.training import Model
except ImportError:
    from tensorflow.keras import layers
    from tensorflow.keras.models import Model

tf.keras.mixed_precision.experimental.set_policy("float32")
inputs = tf.keras.Input([2])
model = Model(inputs, layers.Dense(1, kernel_initializer="ones")(inputs))
model.compile("sgd", "mse")
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, verbose=0)
print(model.get_weights()[0].tolist(), isinstance(model.layers[1], tf.keras.layers.Dense))
