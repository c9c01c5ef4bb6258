# SPDX-License-Identifier: Apache-2.0
"""What becomes of imports and aliases once each of their uses is decided."""

from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_review, check_transformed


@pytest.mark.parametrize("target", ["tf-keras", "compat"])
def test_what_has_no_equivalent_and_is_offered_stays_and_says_so(target: str) -> None:
    check_left(
        """
        from tensorflow.keras.mixed_precision.experimental import policy_scope
        __all__ = ["policy_scope"]
        """,
        "experimental.policy_scope has no equivalent",
        target=target,
    )


def test_what_has_no_equivalent_stays_though_its_uses_can_go() -> None:
    head = """
        from tensorflow.keras.mixed_precision.experimental import get_layer_policy
        __all__ = ["get_layer_policy"]
        """
    check_review(
        f"{head}print(get_layer_policy(layer))\n".replace("\n        ", "\n"),
        f"{head}print(layer.dtype_policy)\n".replace("\n        ", "\n"),
        "experimental.get_layer_policy has no equivalent",
    )


ATTRIBUTE = """
    import tensorflow as tf
    class Trainer:
        def __init__(self):
            self.mixed_precision = tf.keras.mixed_precision{experimental}
        def start(self):
            self.mixed_precision.{set_policy}("float32")
    {use}
    """


def test_an_attribute_that_is_read_of_tensorflow_is_none_of_the_class() -> None:
    use = "policy = tf.keras.mixed_precision.Policy('float32')"
    check_transformed(
        ATTRIBUTE.format(experimental=".experimental", set_policy="set_policy", use=use),
        ATTRIBUTE.format(experimental="", set_policy="set_global_policy", use=use),
    )


@pytest.mark.parametrize("owner", ["trainer", "os", "(trainer if x else tf.keras)"])
def test_an_attribute_that_is_read_of_anything_else_may_be_that_of_the_class(owner: str) -> None:
    use = f"import os; f({owner}.mixed_precision, os)"
    before = ATTRIBUTE.format(experimental=".experimental", set_policy="set_policy", use=use)
    after = before.replace(
        "self.mixed_precision.set_policy", "tf.keras.mixed_precision.set_global_policy"
    )
    check_review(before, after, "must stay what it is: line 7 still needs it")
