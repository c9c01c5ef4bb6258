# SPDX-License-Identifier: Apache-2.0
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
