# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_noop, check_review, check_transformed, reviews


def test_private_spellings() -> None:
    check_transformed(
        """
        import tensorflow as tf
        def log(opt):
            if isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
                print(opt._loss_scale._initial_loss_scale, opt.loss_scale._num_good_steps)
        """,
        """
        import tensorflow as tf
        def log(opt):
            if isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
                print(opt.initial_scale, opt.dynamic_counter)
        """,
    )


def test_what_is_not_proven() -> None:
    check_left(
        "import tensorflow as tf  # LossScale\nprint(m.optimizer.loss_scale._current_loss_scale)\n",
        "not proven",
    )
    check_noop("import tensorflow as tf  # LossScale\nprint(c.loss_scale.increment_period)\n")


def test_the_loss_scale_of_a_policy_is_not_respelled() -> None:
    # A summary of a GAN gets a policy, whose loss_scale is gone since TensorFlow 2.4.
    read = "print(self._policy.loss_scale._current_loss_scale)"
    source = f"class Summary:  # LossScale\n    def log(self):\n        {read}\n"
    result = check_left(f"import tensorflow as tf\n{source}", "nothing says", unsafe_fixes=True)
    assert [text[:8] for text in reviews(result)] == ["4: LS301"]


def test_what_has_no_equivalent() -> None:
    head = "import tensorflow as tf\nopt = tf.keras.mixed_precision."
    for line in (
        "opt.loss_scale.update(grads)",
        "opt.loss_scale.get_config()",
        "opt.loss_scale.current_loss_scale",
        "scale = opt.loss_scale._current_loss_scale",
        "print(opt.loss_scale._current_loss_scale)",
        "opt.loss_scale._current_loss_scale.assign(8.0)",
    ):
        result = check_review(
            f"{head}experimental.LossScaleOptimizer(o, 'dynamic')\n{line}\n",
            f"{head}LossScaleOptimizer(o)\n{line}\n",
        )
        assert [text[:8] for text in reviews(result)] == ["3: LS301"]


def test_parentheses_and_getattr() -> None:
    head = "import tensorflow as tf\nopt = tf.keras.mixed_precision."
    check_transformed(
        f"{head}experimental.LossScaleOptimizer(o, 8)\n"
        "x = (opt.loss_scale).increment_period\ny = getattr(opt, 'loss_scale')._loss_scale_value\n",
        f"{head}LossScaleOptimizer(o, dynamic=False, initial_scale=8)\n"
        "x = opt.dynamic_growth_steps\ny = opt.initial_scale\n",
    )


def test_configurations_are_no_optimizers() -> None:
    head = "import tensorflow as tf\nopt = tf.keras.mixed_precision."
    tail = "print(config.loss_scale.increment_period, FLAGS.loss_scale.multiplier)\n"
    check_transformed(
        f"{head}experimental.LossScaleOptimizer(o, 'dynamic')\n{tail}",
        f"{head}LossScaleOptimizer(o)\n{tail}",
    )
