import tensorflow as tf


def apply():
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
