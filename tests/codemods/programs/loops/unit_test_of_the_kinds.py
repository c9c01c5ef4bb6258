# SPDX-License-Identifier: Apache-2.0
"""Assertions about the class of the loss scale."""

import unittest

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision


def make_optimizer(use_fp16, scale="dynamic"):
    opt = tf.keras.optimizers.SGD(0.1)
    if not use_fp16:
        return opt
    return mixed_precision.LossScaleOptimizer(opt, scale)


class OptimizerTest(unittest.TestCase):
    def test_plain(self):
        opt = make_optimizer(False)
        self.assertNotIsInstance(opt, mixed_precision.LossScaleOptimizer)
        self.assertIsInstance(opt, tf.keras.optimizers.SGD)

    def test_dynamic(self):
        opt = make_optimizer(True)
        self.assertIsInstance(opt, mixed_precision.LossScaleOptimizer)
        self.assertIsInstance(opt.loss_scale, tf.mixed_precision.experimental.DynamicLossScale)
        self.assertEqual(self.evaluate(opt.loss_scale()), 2 ** 15)

    def test_fixed(self):
        opt = make_optimizer(True, 128)
        self.assertIsInstance(opt.loss_scale, tf.mixed_precision.experimental.FixedLossScale)
        self.assertEqual(opt.loss_scale().numpy(), 128.0)

    def evaluate(self, tensor):
        return tensor.numpy()


result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromTestCase(OptimizerTest).run(result)
print(result.testsRun, len(result.failures), len(result.errors))
