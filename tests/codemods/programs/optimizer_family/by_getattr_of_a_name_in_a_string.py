import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
model.compile(getattr(tf.keras.optimizers, "Nadam")(0.1), "mse")
model.fit(x, y, batch_size=2, epochs=3, verbose=0, shuffle=False)
print([float(w) for w in tf.reshape(model.get_weights()[0], [-1])])
