# SPDX-License-Identifier: Apache-2.0
"""Trains a convolutional network on scikit-learn's digits in float16, in a session.

Written for TensorFlow 1.15.
"""
from __future__ import print_function

import argparse
import os
import tempfile
import time

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--epochs', type=int, default=20)
parser.add_argument('--batch_size', type=int, default=64)
parser.add_argument('--learning_rate', type=float, default=0.02)
parser.add_argument('--log_every', type=int, default=20)
parser.add_argument('--seed', type=int, default=0)
parser.add_argument('--model_dir', default='', help='directory for checkpoints')
FLAGS = parser.parse_args()

tf.set_random_seed(FLAGS.seed)
rng = np.random.RandomState(FLAGS.seed)


def load_data():
    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images = (digits.images[order, :, :, np.newaxis] / 16.).astype('float32')
    labels = digits.target[order].astype('int32')
    return (images[360:], labels[360:]), (images[:360], labels[:360])


def float32_variable_storage_getter(getter, name, shape=None, dtype=None, initializer=None,
                                    regularizer=None, trainable=True, *args, **kwargs):
    """Stores the variables in float32 and casts them to float16 where they are used."""
    storage_dtype = tf.float32 if trainable else dtype
    variable = getter(name, shape, dtype=storage_dtype, initializer=initializer,
                      regularizer=regularizer, trainable=trainable, *args, **kwargs)
    if trainable and dtype != tf.float32:
        variable = tf.cast(variable, dtype)
    return variable


def he_initializer(shape, dtype=None, partition_info=None):
    """He initialization by numpy, the same on every machine."""
    stddev = np.sqrt(2. / np.prod(shape[:-1]))
    return tf.constant(rng.randn(*shape) * stddev, dtype=dtype)


def inference(images):
    with tf.variable_scope('fp32_vars', custom_getter=float32_variable_storage_getter):
        x = tf.cast(images, tf.float16)
        x = tf.layers.conv2d(x, 16, 3, padding='same', activation=tf.nn.relu,
                             kernel_initializer=he_initializer, name='conv1')
        x = tf.layers.conv2d(x, 32, 3, strides=2, padding='same', activation=tf.nn.relu,
                             kernel_initializer=he_initializer, name='conv2')
        x = tf.layers.flatten(x)
        x = tf.layers.dense(x, 64, activation=tf.nn.relu,
                            kernel_initializer=he_initializer, name='fc1')
        x = tf.layers.dense(x, 10, kernel_initializer=he_initializer, name='fc2')
        return tf.cast(x, tf.float32)


def main():
    (x_train, y_train), (x_test, y_test) = load_data()

    images = tf.placeholder(tf.float32, [None, 8, 8, 1], name='images')
    labels = tf.placeholder(tf.int32, [None], name='labels')
    logits = inference(images)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    accuracy = tf.reduce_mean(
        tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels), tf.float32))

    global_step = tf.train.get_or_create_global_step()
    learning_rate = tf.train.exponential_decay(
        FLAGS.learning_rate, global_step, decay_steps=100, decay_rate=0.8)
    opt = tf.train.MomentumOptimizer(learning_rate, momentum=0.9)
    loss_scale = tf.train.experimental.DynamicLossScale(
        initial_loss_scale=2 ** 15, increment_period=25)
    opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, loss_scale)
    train_op = opt.minimize(loss, global_step=global_step)
    current_loss_scale = loss_scale()

    saver = tf.train.Saver(max_to_keep=1)
    model_dir = FLAGS.model_dir or tempfile.mkdtemp()
    start = time.time()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        step = 0
        last_scale = sess.run(current_loss_scale)
        print('step 0 loss_scale %d' % last_scale)
        for epoch in range(FLAGS.epochs):
            order = rng.permutation(len(x_train))
            for i in range(0, len(order) - FLAGS.batch_size + 1, FLAGS.batch_size):
                batch = order[i:i + FLAGS.batch_size]
                _, loss_value = sess.run(
                    [train_op, loss],
                    feed_dict={images: x_train[batch], labels: y_train[batch]})
                step += 1
                scale, applied = sess.run([current_loss_scale, global_step])
                if step % FLAGS.log_every == 0 or scale != last_scale:
                    print('step %d loss %.4f loss_scale %d global_step %d' % (
                        step, loss_value, scale, applied))
                last_scale = scale
            value = sess.run(accuracy, feed_dict={images: x_test, labels: y_test})
            print('epoch %d step %d test_accuracy %.4f' % (epoch + 1, step, value))
            saver.save(sess, os.path.join(model_dir, 'model.ckpt'), global_step=global_step)

    # Evaluate what was saved.
    with tf.Session() as sess:
        saver.restore(sess, tf.train.latest_checkpoint(model_dir))
        value, scale, applied = sess.run(
            [accuracy, current_loss_scale, global_step],
            feed_dict={images: x_test, labels: y_test})
    print('restored global_step %d loss_scale %d' % (applied, scale))
    print('final test accuracy %.4f (%d steps, %.1f s)' % (value, step, time.time() - start))


if __name__ == '__main__':
    main()
