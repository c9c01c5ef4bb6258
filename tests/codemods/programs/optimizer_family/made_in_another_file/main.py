import tensorflow as tf
from making import make

optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make("Adam"), 16)
v = tf.Variable([1.0, 2.0])
for _ in range(3):
    optimizer.apply_gradients([(tf.constant([16.0, 8.0]), v)])
    print(v.numpy().tolist())
print(len(optimizer.get_weights()))
