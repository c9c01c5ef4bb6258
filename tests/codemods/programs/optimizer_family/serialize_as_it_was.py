import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
config = tf.keras.optimizers.serialize(tf.keras.optimizers.SGD(0.5))
print(sorted(config), config["class_name"])
optimizer = tf.keras.optimizers.deserialize(config)
print(hasattr(optimizer, "get_updates"))
