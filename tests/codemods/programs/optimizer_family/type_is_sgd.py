import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
optimizer = tf.keras.optimizers.SGD(0.1)
print(type(optimizer) is tf.keras.optimizers.SGD, optimizer.__class__.__name__)
print(issubclass(tf.keras.optimizers.Adam, tf.keras.optimizers.Optimizer))
