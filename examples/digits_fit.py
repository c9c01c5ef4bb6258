# SPDX-License-Identifier: Apache-2.0
"""Trains a small dense network on scikit-learn's digits in float16, with compile and fit.

Written for TensorFlow 2.3.
"""
import argparse
import os
import time

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tensorflow.keras import layers
from tensorflow.keras.mixed_precision import experimental as mixed_precision

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--epochs', type=int, default=30)
parser.add_argument('--batch_size', type=int, default=32)
parser.add_argument('--learning_rate', type=float, default=0.05)
parser.add_argument('--seed', type=int, default=0)
parser.add_argument('--out', default='', help='directory for the trained weights')


class LossScaleLogger(tf.keras.callbacks.Callback):
    """Prints the loss scale after each epoch, and after each step that changed it."""

    def on_train_begin(self, logs=None):
        self.step = 0
        self.last_scale = float(self.model.optimizer.loss_scale())
        print('step 0 loss_scale %d' % self.last_scale)

    def on_train_batch_end(self, batch, logs=None):
        self.step += 1
        scale = float(self.model.optimizer.loss_scale())
        if scale != self.last_scale:
            print('step %d loss_scale %d' % (self.step, scale))
        self.last_scale = scale

    def on_epoch_end(self, epoch, logs=None):
        print('epoch %d step %d loss %.4f val_accuracy %.4f lr %.5f loss_scale %d' % (
            epoch + 1, self.step, logs['loss'], logs['val_accuracy'],
            float(self.model.optimizer.lr), float(self.model.optimizer.loss_scale())))


def load_data():
    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images = (digits.data[order] / 16.).astype('float32')
    labels = digits.target[order].astype('int32')
    return (images[360:], labels[360:]), (images[:360], labels[:360])


def build_model():
    model = tf.keras.Sequential([
        layers.Dense(128, activation='relu', input_shape=(64,)),
        layers.Dense(128, activation='relu'),
        layers.Dense(10),
        layers.Activation('softmax', dtype='float32'),
    ])
    return model


def numpy_weights(model, rng):
    """He initialization by numpy, the same on every machine."""
    return [np.zeros_like(w) if w.ndim == 1
            else (rng.randn(*w.shape) * np.sqrt(2. / w.shape[0])).astype('float32')
            for w in model.get_weights()]


def main():
    args = parser.parse_args()
    np.random.seed(args.seed)
    tf.random.set_seed(args.seed)

    # Start high: the first steps overflow until the loss scale fits.
    loss_scale = tf.mixed_precision.experimental.DynamicLossScale(
        initial_loss_scale=2 ** 24, increment_period=100)
    policy = mixed_precision.Policy('mixed_float16', loss_scale=loss_scale)
    mixed_precision.set_policy(policy)
    print('policy %s, compute dtype %s, variable dtype %s' % (
        policy.name, policy.compute_dtype, policy.variable_dtype))

    (x_train, y_train), (x_test, y_test) = load_data()
    model = build_model()
    model.set_weights(numpy_weights(model, np.random.RandomState(args.seed)))
    model.compile(optimizer=tf.keras.optimizers.SGD(args.learning_rate, momentum=0.9),
                  loss='sparse_categorical_crossentropy',
                  metrics=['accuracy'])

    def schedule(epoch):
        return args.learning_rate * 0.5 * (1 + np.cos(np.pi * epoch / args.epochs))

    start = time.time()
    model.fit(x_train, y_train,
              batch_size=args.batch_size,
              epochs=args.epochs,
              validation_data=(x_test, y_test),
              shuffle=False,  # load_data has shuffled
              verbose=0,
              callbacks=[tf.keras.callbacks.LearningRateScheduler(schedule), LossScaleLogger()])
    seconds = time.time() - start

    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    if args.out:
        model.save_weights(os.path.join(args.out, 'digits.h5'))
    print('final test accuracy %.4f (%d steps, %.1f s)' % (
        accuracy, int(model.optimizer.iterations), seconds))


if __name__ == '__main__':
    main()
