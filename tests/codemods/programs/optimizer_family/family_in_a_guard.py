import tensorflow as tf

tf.keras.utils.set_random_seed(1)
x = tf.reshape(tf.range(8, dtype=tf.float32), [4, 2]) / 8
y = tf.ones([4, 1])
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=[2])])
if hasattr(tf.keras.mixed_precision, "experimental"):
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
else:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
optimizer = tf.keras.optimizers.Adam(0.1, decay=0.5)
grads = [tf.ones([2, 1]), tf.ones([1])]
optimizer.apply_gradients(zip(grads, model.trainable_variables))
print(optimizer.get_weights()[0])
