# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_review, check_transformed, reviews


def test_every_home_of_the_classes() -> None:
    for home in ("tf.train.experimental", "tf.mixed_precision.experimental"):
        check_transformed(
            f"import tensorflow as tf\nscale = {home}.FixedLossScale(8)\nprint(scale())\n",
            "import tensorflow as tf\nscale = tf.compat.v1.mixed_precision.FixedLossScale(8)\n"
            "print(scale())\n",
        )
    check_transformed(
        "import tensorflow.compat.v1 as tf\nprint(tf.train.experimental.DynamicLossScale())\n",
        "import tensorflow.compat.v1 as tf\nprint(tf.mixed_precision.DynamicLossScale())\n",
    )


def test_a_name_without_its_root() -> None:
    check_transformed(
        """
        from tensorflow.train import experimental as texp
        print(texp.DynamicLossScale(), texp.PythonState)
        """,
        """
        from tensorflow.train import experimental as texp
        from tensorflow.compat.v1.mixed_precision import DynamicLossScale
        print(DynamicLossScale(), texp.PythonState)
        """,
    )


def test_a_custom_loss_scale() -> None:
    check_left(
        """
        import tensorflow as tf
        class Mine(tf.train.experimental.DynamicLossScale):
            pass
        """,
        "loss scale of your own",
    )


def test_a_loss_scale_stays_with_the_optimizer_whose_argument_it_is() -> None:
    scale = "tf.{}.DynamicLossScale(multiplier=4)"
    old, new = scale.format("train.experimental"), scale.format("compat.v1.mixed_precision")
    made = "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, {})\n"
    check_left(f"import tensorflow as tf\n{made.format(old)}", "a multiplier of 4")
    lines = "import tensorflow as tf\nscale = {}\n" + made.format("scale")
    check_review(lines.format(old), lines.format(new), "a multiplier of 4 has no equivalent")


def test_a_loss_scale_in_a_variable_that_no_optimizer_takes_is_respelled() -> None:
    check_review(
        """
        import tensorflow as tf
        scale = tf.train.experimental.DynamicLossScale(multiplier=4)
        print(scale, f(scale))
        """,
        """
        import tensorflow as tf
        scale = tf.compat.v1.mixed_precision.DynamicLossScale(multiplier=4)
        print(scale, f(scale))
        """,
        "the object is given to other code",
    )


V1_OPTIMIZER = "tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer"
OWN = """
import tensorflow as tf
class Mine(tf.train.experimental.DynamicLossScale):
    def update(self, grads):
        return super().update(grads)
{rest}
"""


def own(rest: str) -> str:
    return OWN.format(rest=rest).lstrip()


@pytest.mark.parametrize("rest", ["opt = make(Mine())", f"opt = {V1_OPTIMIZER}(inner, Mine())"])
def test_a_custom_loss_scale_that_keras_may_get(rest: str) -> None:
    result = migrate_source(own(rest))
    assert "class Mine(tf.train.experimental.DynamicLossScale)" in result.text
    assert any("loss scale of your own" in text for text in reviews(result))
