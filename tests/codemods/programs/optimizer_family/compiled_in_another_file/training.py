import tensorflow as tf


def compiled(optimizer):
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])]
    )
    model.compile(optimizer=optimizer, loss="mse")
    return model
