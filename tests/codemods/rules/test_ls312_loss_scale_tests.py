# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_review, check_transformed

OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"
HEAD = f"""
import tensorflow as tf
from tensorflow.mixed_precision.experimental import DynamicLossScale, FixedLossScale
opt = {OLD}(tf.keras.optimizers.SGD(), "dynamic")
"""
NEW_HEAD = f"""
import tensorflow as tf
opt = {NEW}(tf.keras.optimizers.legacy.SGD())
"""
MESSAGE = "what is tested can be the loss scale of an optimizer"


def test_the_optimizer_says_of_which_kind_it_is() -> None:
    check_transformed(
        HEAD
        + "x = isinstance(opt.loss_scale, DynamicLossScale) and 1\n"
        + "y = isinstance(opt.loss_scale, FixedLossScale) == True\n"
        + "z = 1 if isinstance(opt._loss_scale, FixedLossScale) else 2\n",
        NEW_HEAD
        + "x = opt.dynamic and 1\n"
        + "y = (not opt.dynamic) == True\n"
        + "z = 1 if not opt.dynamic else 2\n",
    )


def test_a_kept_loss_scale() -> None:
    check_transformed(
        HEAD.replace(", FixedLossScale", "")
        + "s = opt.loss_scale\nif isinstance(s, DynamicLossScale):\n    x = s()\n",
        NEW_HEAD + "s = opt.loss_scale\nif opt.dynamic:\n    x = opt.loss_scale\n",
    )


def test_several_classes_and_unknown_objects_are_reported() -> None:
    check_review(
        f"""
        import tensorflow as tf
        opt = {OLD}(tf.keras.optimizers.SGD(), "dynamic")
        a = isinstance(opt.loss_scale, tf.train.experimental.LossScale)
        def f(x):
            return isinstance(x.loss_scale, tf.train.experimental.DynamicLossScale)
        """,
        f"""
        import tensorflow as tf
        opt = {NEW}(tf.keras.optimizers.legacy.SGD())
        a = isinstance(opt.loss_scale, tf.train.experimental.LossScale)
        def f(x):
            return isinstance(x.loss_scale, tf.train.experimental.DynamicLossScale)
        """,
        MESSAGE,
        MESSAGE,
    )


def test_assertions_of_a_test_case() -> None:
    head = HEAD + "def check(self):\n"
    new_head = NEW_HEAD + "def check(self):\n"
    check_transformed(
        head
        + "    self.assertIsInstance(opt.loss_scale, DynamicLossScale)\n"
        + "    self.assertNotIsInstance(opt.loss_scale, DynamicLossScale, 'fixed')\n"
        + "    self.assertIsInstance(opt.loss_scale, FixedLossScale, msg='fixed')\n"
        + "    self.assertNotIsInstance(opt.loss_scale, FixedLossScale)\n",
        new_head
        + "    self.assertTrue(opt.dynamic)\n"
        + "    self.assertFalse(opt.dynamic, 'fixed')\n"
        + "    self.assertFalse(opt.dynamic, msg='fixed')\n"
        + "    self.assertTrue(opt.dynamic)\n",
    )
