# SPDX-License-Identifier: Apache-2.0
"""A test case of unittest makes an optimizer, and asserts what it is."""

import io
import unittest

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


class OptimizerTest(unittest.TestCase):
    def setUp(self):
        self.opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)

    def test_scale(self):
        self.assertIsInstance(self.opt, mp.LossScaleOptimizer)
        self.assertEqual(self.opt.loss_scale(), 64)
        self.assertAlmostEqual(float(self.opt.get_scaled_loss(tf.constant(2.0))), 128.0)

    def test_policy(self):
        with self.subTest("set"):
            mp.set_policy("mixed_bfloat16")
            self.assertEqual(mp.global_policy().compute_dtype, "bfloat16")
        self.addCleanup(mp.set_policy, "float32")


result = unittest.TextTestRunner(stream=io.StringIO()).run(
    unittest.defaultTestLoader.loadTestsFromTestCase(OptimizerTest)
)
print(result.testsRun, len(result.failures), len(result.errors), mp.global_policy().name)
