# SPDX-License-Identifier: Apache-2.0
"""Trains a convolutional network on scikit-learn's digits in float16, with a custom loop.

Written for TensorFlow 2.3.
"""
import argparse
import time

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tensorflow.keras.mixed_precision import experimental as mixed_precision

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--epochs', type=int, default=20)
parser.add_argument('--batch_size', type=int, default=64)
parser.add_argument('--learning_rate', type=float, default=1e-3)
parser.add_argument('--log_every', type=int, default=20)
parser.add_argument('--seed', type=int, default=0)
parser.add_argument('--out', default='', help='directory for checkpoints')
args = parser.parse_args()

tf.random.set_seed(args.seed)
rng = np.random.RandomState(args.seed)

policy = mixed_precision.Policy('mixed_float16')
mixed_precision.set_policy(policy)


def load_data():
    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images = (digits.images[order, :, :, np.newaxis] / 16.).astype('float32')
    labels = digits.target[order].astype('int32')
    return (images[360:], labels[360:]), (images[:360], labels[:360])


def build_model():
    inputs = tf.keras.Input(shape=(8, 8, 1))
    x = tf.keras.layers.Conv2D(16, 3, padding='same', activation='relu')(inputs)
    x = tf.keras.layers.Conv2D(32, 3, strides=2, padding='same', activation='relu')(x)
    x = tf.keras.layers.Flatten()(x)
    x = tf.keras.layers.Dense(64, activation='relu')(x)
    x = tf.keras.layers.Dense(10)(x)
    # The logits must be float32 for the loss to be numerically stable.
    outputs = tf.keras.layers.Activation('linear', dtype='float32')(x)
    return tf.keras.Model(inputs, outputs)


def init_weights(model):
    """He initialization by numpy, the same on every machine."""
    weights = []
    for w in model.get_weights():
        if w.ndim == 1:
            weights.append(np.zeros_like(w))
        else:
            stddev = np.sqrt(2. / np.prod(w.shape[:-1]))
            weights.append((rng.randn(*w.shape) * stddev).astype('float32'))
    model.set_weights(weights)


(x_train, y_train), (x_test, y_test) = load_data()
model = build_model()
init_weights(model)

loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(args.learning_rate)
optimizer = mixed_precision.LossScaleOptimizer(
    optimizer,
    loss_scale=tf.mixed_precision.experimental.DynamicLossScale(
        initial_loss_scale=2 ** 15, increment_period=20))


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        loss = loss_fn(labels, logits)
        scaled_loss = optimizer.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, model.trainable_variables)
    gradients = optimizer.get_unscaled_gradients(scaled_gradients)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@tf.function
def predict(images):
    return tf.argmax(model(images, training=False), axis=-1)


def main():
    step = 0
    last_scale = float(optimizer.loss_scale())
    print('step 0 loss_scale %d' % last_scale)
    start = time.time()
    for epoch in range(args.epochs):
        order = rng.permutation(len(x_train))
        for i in range(0, len(order) - args.batch_size + 1, args.batch_size):
            batch = order[i:i + args.batch_size]
            loss = train_step(tf.constant(x_train[batch]), tf.constant(y_train[batch]))
            step += 1
            loss_scale = float(optimizer.loss_scale())
            if step % args.log_every == 0 or loss_scale != last_scale:
                print('step %d loss %.4f loss_scale %d' % (step, float(loss), loss_scale))
            last_scale = loss_scale
        accuracy = np.mean(predict(tf.constant(x_test)).numpy() == y_test)
        print('epoch %d step %d test_accuracy %.4f' % (epoch + 1, step, accuracy))

    if args.out:
        checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
        print('saved', checkpoint.save(args.out + '/ckpt'))
    print('final test accuracy %.4f (%d steps, %.1f s)' % (accuracy, step, time.time() - start))


if __name__ == '__main__':
    main()
