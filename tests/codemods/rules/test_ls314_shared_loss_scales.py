# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_review, check_transformed, program, reviews

OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"
SCALE = "tf.mixed_precision.experimental.DynamicLossScale"
NEW_SCALE = "tf.compat.v1.mixed_precision.DynamicLossScale"
SHARED = "its state"


@pytest.mark.parametrize(
    "use",
    [
        "print(scale())",
        "x = float(scale)",
        "def log():\n    return scale()",
        "scale.update(grads)",
        "print(scale)",
        "f(scale)",
        "print(scale.increment_period)",
    ],
)
@pytest.mark.parametrize("is_before", [False, True])
def test_a_shared_object_leaves_the_constructor(use: str, is_before: bool) -> None:
    lines = [f"opt = {OLD}(inner, scale)", use]
    rest = "\n".join(reversed(lines) if is_before else lines)
    check_review(
        f"import tensorflow as tf\nscale = {SCALE}(64)\n{rest}\n",
        f"import tensorflow as tf\nscale = {NEW_SCALE}(64)\n{rest}\n",
        SHARED,
    )


def test_an_attribute_that_is_used_elsewhere_leaves_the_constructor() -> None:
    check_review(
        f"""
        import tensorflow as tf
        class Trainer:
            def __init__(self, inner):
                self.scale = {SCALE}(64)
                self.opt = wrap({OLD}(inner, self.scale))
            def log(self):
                return self.scale()
        """,
        f"""
        import tensorflow as tf
        class Trainer:
            def __init__(self, inner):
                self.scale = {NEW_SCALE}(64)
                self.opt = wrap({OLD}(inner, self.scale))
            def log(self):
                return self.scale()
        """,
        SHARED,
    )


def test_an_object_that_a_function_makes_or_gets() -> None:
    check_review(
        f"""
        import tensorflow as tf
        def make():
            return {SCALE}(64)
        scale = make()
        opt = build({OLD}(inner, scale))
        print(scale())
        """,
        f"""
        import tensorflow as tf
        def make():
            return {NEW_SCALE}(64)
        scale = make()
        opt = build({OLD}(inner, scale))
        print(scale())
        """,
        SHARED,
    )


def test_an_object_that_is_given_on_twice() -> None:
    before = f"""
        import tensorflow as tf
        def wrap(inner, loss_scale):
            return {OLD}(inner, loss_scale)
        scale = {SCALE}(64)
        a, b = wrap(x, scale), wrap(y, scale)
        """
    [finding] = reviews(migrate_source(program(before)))
    assert finding.startswith("4: LS311 ")
    assert SHARED in finding


def test_an_object_of_a_loop_s_own_is_not_shared() -> None:
    check_transformed(
        f"import tensorflow as tf\nopts = [{OLD}(o, {SCALE}(64)) for o in inner]\n",
        f"import tensorflow as tf\nopts = [{NEW}(o, initial_scale=64) for o in inner]\n",
    )


def test_a_v1_optimizer_shares_its_object_as_before() -> None:
    old = "tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer"
    new = "tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer"
    check_transformed(
        f"import tensorflow as tf\nscale = {SCALE}(64)\nopt = {old}(inner, scale)\nx = scale()\n",
        f"import tensorflow as tf\nscale = {NEW_SCALE}(64)\nopt = {new}(inner, scale)\n"
        "x = scale()\n",
    )


def test_an_object_that_other_code_may_have_wrapped_is_reported_where_it_is_used() -> None:
    check_review(
        f"import tensorflow as tf\nscale = {SCALE}(64)\nopt = wrap(inner, scale)\nx = scale()\n",
        f"import tensorflow as tf\nscale = {NEW_SCALE}(64)\nopt = wrap(inner, scale)\n"
        "x = scale()\n",
        "no longer moves if that makes an optimizer of it",
    )


def test_the_loss_scale_of_another_optimizer_is_not_copied() -> None:
    for argument in ("a.loss_scale", "scale"):
        lines = f"scale = a.loss_scale\nb = {OLD}(y, {argument})\n"
        found = reviews(
            migrate_source(f"import tensorflow as tf\na = {OLD}(x, 'dynamic')\n{lines}")
        )
        assert any("is the loss scale of another optimizer" in text for text in found)


def test_an_object_that_is_a_default_is_shared_by_all_calls() -> None:
    check_review(
        f"import tensorflow as tf\ndef wrap(scale={SCALE}(8)):\n    return {OLD}(x, scale)\n",
        f"import tensorflow as tf\ndef wrap(scale={NEW_SCALE}(8)):\n    return {OLD}(x, scale)\n",
        SHARED,
    )


def test_what_is_called_elsewhere_is_an_object_wherever_it_comes_from() -> None:
    check_left(
        f"""
        import tensorflow as tf
        def wrap(opt, loss_scale):
            opt = {OLD}(opt, loss_scale)
            print(loss_scale())
        """,
        SHARED,
    )


def test_a_policy_that_takes_the_object_is_no_optimizer() -> None:
    result = check_review(
        f"import tensorflow as tf\nscale = {SCALE}(64)\n"
        "p = tf.keras.mixed_precision.experimental.Policy('mixed_float16', scale)\nx = scale()\n",
        f"import tensorflow as tf\nscale = {NEW_SCALE}(64)\n"
        "p = tf.keras.mixed_precision.experimental.Policy('mixed_float16', scale)\nx = scale()\n",
    )
    assert reviews(result)


def test_an_object_that_the_graph_rewrite_takes() -> None:
    enable = "tf.train.experimental.enable_mixed_precision_graph_rewrite"
    check_review(
        f"import tensorflow as tf\nscale = {SCALE}(64)\n"
        f"opt = {enable}(tf.keras.optimizers.SGD(), scale)\nx = scale()\n",
        f"import tensorflow as tf\nscale = {NEW_SCALE}(64)\n"
        f"opt = {enable}(tf.keras.optimizers.legacy.SGD(), scale)\nx = scale()\n",
        SHARED,
    )


def test_the_function_that_reads_a_loss_scale_only_asks_what_it_is() -> None:
    migrated = migrate_source(
        program(
            f"""
            import tensorflow as tf
            def make(n):
                return {SCALE}(n) if n else None
            def wrap(opt, n):
                scale = make(n)
                return {OLD}(opt, scale)
            """
        )
    )
    assert f"return {NEW}(opt, **_loss_scale_arguments(scale))" in migrated.text
    again = migrate_source(migrated.output)
    assert reviews(migrated) == reviews(again) == []
